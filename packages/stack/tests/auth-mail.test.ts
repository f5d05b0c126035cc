import { createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../src/db/database.js";
import { readEnvironment } from "../src/functions/environment.js";
import { createKeys } from "../src/keys.js";
import { createLog } from "../src/log.js";
import { createMailbox, type Mail } from "../src/mail/mailbox.js";
import { openMailpit } from "../src/mail/mailpit.js";
import { mailPortOf, smtpPortOf } from "../src/places.js";
import { startStack } from "../src/start.js";
import { configOf } from "./auth-fixture.js";
import { makeProject, removeProject } from "./project.js";

describe("the mailbox", () => {
  const mailbox = createMailbox();
  let mailpit: Awaited<ReturnType<typeof openMailpit>>;
  beforeAll(async () => {
    mailpit = await openMailpit(0, mailbox, await configOf(""));
  });
  afterAll(() => mailpit?.close());
  beforeEach(() => mailbox.remove());

  const deliver = (mail: Partial<Mail>) =>
    mailbox.deliver({
      to: "ada@example.com",
      subject: "Hello",
      text: "Look:",
      link: null,
      code: "1",
      ...mail,
    });
  const get = (path: string, init?: RequestInit) => fetch(mailpit.url + path, init);
  const subjects = async (path: string) =>
    (await (await get(path)).json()).messages.map((one: { Subject: string }) => one.Subject);

  test("lists the newest first, in pages", async () => {
    for (const subject of ["one", "two", "three"]) deliver({ subject });
    const list = await (await get("/api/v1/messages?limit=2")).json();
    expect(list).toMatchObject({ total: 3, unread: 3, messages_count: 3, count: 2, start: 0 });
    expect(list.messages[0]).toMatchObject({
      Subject: "three",
      To: [{ Name: "", Address: "ada@example.com" }],
      Read: false,
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      Snippet: "Look: 1",
    });
    expect(await subjects("/api/v1/messages?start=2&limit=2")).toEqual(["one"]);
    expect(await subjects("/api/v1/messages?start=x&limit=-1")).toHaveLength(3);
  });

  test("opens a mail by its id, or the latest, and marks it as read", async () => {
    deliver({ subject: "old" });
    deliver({ subject: "new", link: "http://127.0.0.1/verify?a=1&b=2" });
    const latest = await (await get("/api/v1/message/latest")).json();
    expect(latest.Subject).toBe("new");
    expect(latest.Text).toContain("http://127.0.0.1/verify?a=1&b=2");
    expect(latest.HTML).toContain('href="http://127.0.0.1/verify?a=1&amp;b=2"');
    expect(await (await get(`/api/v1/message/${latest.ID}`)).json()).toEqual(latest);
    expect(await subjects("/api/v1/search?query=is:unread")).toEqual(["old"]);
    expect((await get("/api/v1/message/nobody")).status).toBe(404);
    mailbox.remove();
    expect((await get("/api/v1/message/latest")).status).toBe(404);
  });

  test.each([
    ["to:ADA@example", ["Ada's second", "Ada's"]],
    ["to:ada subject:second", ["Ada's second"]],
    ['subject:"ada\'s second"', ["Ada's second"]],
    ["-to:ada", ["Bob's"]],
    ["!to:ada from:admin@email.com", ["Bob's"]],
    ["addressed:bob", ["Bob's"]],
    ["BOB", ["Bob's"]],
    ["http://nowhere", []],
  ])("finds by %s", async (query, found) => {
    deliver({ subject: "Bob's", to: "bob@example.com" });
    deliver({ subject: "Ada's" });
    deliver({ subject: "Ada's second" });
    expect(await subjects(`/api/v1/search?query=${encodeURIComponent(query)}`)).toEqual(found);
  });

  test("refuses searches that it does not support", async () => {
    expect((await get("/api/v1/search")).status).toBe(400);
    const answer = await get("/api/v1/search?query=before:2026-01-01");
    expect([answer.status, await answer.text()]).toEqual([
      400,
      'the local stack does not support searching by "before:"',
    ]);
  });

  test("deletes selected mails, those found, and all", async () => {
    for (const to of ["a@x.org", "b@x.org", "c@x.org", "d@x.org"]) deliver({ to, subject: to });
    const { messages } = await (await get("/api/v1/messages")).json();
    const remove = (path: string, body?: string) => get(path, { method: "DELETE", body });
    expect(await (await remove("/api/v1/messages", `{"IDs":["${messages[0].ID}"]}`)).text()).toBe(
      "ok",
    );
    expect(await subjects("/api/v1/messages")).toEqual(["c@x.org", "b@x.org", "a@x.org"]);
    await remove("/api/v1/search?query=to:b@");
    expect(await subjects("/api/v1/messages")).toEqual(["c@x.org", "a@x.org"]);
    await remove("/api/v1/messages");
    expect(await subjects("/api/v1/messages")).toEqual([]);
  });

  test("shows mails as a page and runs no script that they contain", async () => {
    expect(await (await get("/")).text()).toContain("No mail yet.");
    deliver({ to: "<script>alert(1)</script>@x.org", link: 'http://x/?"onclick="alert(1)' });
    const answer = await get("/");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await answer.text();
    expect(page).not.toMatch(/<script|"onclick/);
    expect(page).toContain('<a href="http://x/?&quot;onclick=&quot;alert(1)">Hello</a>');
  });

  test("keeps the newest 500", () => {
    for (let i = 0; i < 502; i++) deliver({ subject: String(i) });
    expect(mailbox.mails()).toHaveLength(500);
    expect(mailbox.mails()[0]?.subject).toBe("501");
  });
});

describe("the mail port", () => {
  test("is the config's port for the stack at the config's port, and a free one for other stacks", async () => {
    const config = await configOf("[api]\nport = 54321\n[inbucket]\nport = 1234\nsmtp_port = 1235");
    expect([mailPortOf(config, 54321), smtpPortOf(config, 54321)]).toEqual([1234, 1235]);
    expect([mailPortOf(config, 0), smtpPortOf(config, 0)]).toEqual([0, 0]);
    expect([mailPortOf(config, 54999), smtpPortOf(config, 54999)]).toEqual([0, 0]);
    const off = await configOf("[local_smtp]\nenabled = false");
    expect([mailPortOf(off, 54321), smtpPortOf(off, 54321)]).toEqual([null, null]);
  });

  test("is refused in one line when it is in use", async () => {
    const [taken, free] = await Promise.all([listening(), listening()]);
    await new Promise((resolve) => free.server.close(resolve));
    const root = await makeProject({
      "supabase/config.toml": `[api]\nport = ${free.port}\n[local_smtp]\nport = ${taken.port}`,
    });
    try {
      await expect(
        startStack({ root, place: "memory", log: createLog() }).then((stack) => stack.close()),
      ).rejects.toThrow(
        new RegExp(`^port ${taken.port} for reading mails is taken: .*\\[local_smtp\\] port`),
      );
    } finally {
      await removeProject(root);
      taken.server.close();
    }
  });
});

test("functions send to the stack, unless the config names another server", async () => {
  const own = "smtp://127.0.0.1:54325";
  const keys = await createKeys();
  const mailUrl = async (toml: string, smtpUrl: string | null) => {
    const config = await configOf(toml);
    const db = { url: null } as Database;
    const context = { db, config, keys, log: createLog(), url: "http://127.0.0.1", smtpUrl };
    return (await readEnvironment(context)).variables.MAIL_URL;
  };
  const named = "[edge_runtime.secrets]\nMAIL_URL = 'smtps://mail.example'";
  const unset = "[edge_runtime.secrets]\nMAIL_URL = 'env(NOT_SET_BY_ANYBODY)'";
  expect(await mailUrl("", own)).toBe(own);
  expect(await mailUrl(unset, own)).toBe(own);
  expect(await mailUrl(named, own)).toBe("smtps://mail.example");
  expect(await mailUrl("[local_smtp]\nenabled = false", null)).toBeUndefined();
});

async function listening() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as { port: number }).port };
}
