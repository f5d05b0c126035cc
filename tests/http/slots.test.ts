import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { content } from "../../supabase/functions/_shared/content/routes.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { createRoutes } from "../../supabase/functions/_shared/http/routes.ts";
import { createSlots } from "../../supabase/functions/_shared/http/slots.ts";
import { until } from "../eventually.js";

// Large answers of a tenant, which take slots, without a stack: the tests decide when each ends.

const SECRET = "a secret of at least thirty-two characters";

beforeAll(() => {
  vi.stubEnv("SUPABASE_URL", "http://127.0.0.1:9");
  vi.stubEnv("SUPABASE_SERVICE_ROLE_KEY", "key");
  vi.stubEnv("SUPABASE_ANON_KEY", "public key");
  vi.stubEnv("JWT_SECRET", SECRET);
  return () => vi.unstubAllEnvs();
});

/** The answers of the function `render`, and of functions of the database. */
let rendering: (path: string) => Promise<Response>;
let asking: (name: string) => Response;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { pathname } = new URL(String(input));
    if (pathname.startsWith("/functions/v1/render/")) return rendering(pathname);
    if (pathname.endsWith("/functions_key")) return Response.json("functions' key");
    if (!pathname.endsWith("/count_requests")) return asking(pathname.split("/").at(-1) as string);
    const { requests } = JSON.parse(init?.body as string) as { requests: unknown[] };
    return Response.json(
      requests.map(() => ({ minute: "", resets_in: 60, allowed: 1000, counted: 1, member: true })),
    );
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The token of a new user in a tenant. */
const tokenIn = (tenant_id: string, tenant_role = "supplier") =>
  new SignJWT({ sub: randomUUID(), aud: "authenticated", tenant_id, tenant_role })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(SECRET));

describe("a process", () => {
  /** An app with a list whose answers wait until it is opened. `most`: of each kind, how many have run at once. */
  function makeLists() {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const now: Record<string, number> = {};
    const most: Record<string, number> = {};
    const routes = createRoutes();
    routes.get("/", async (c) => {
      const kind = c.req.query("kind") as string;
      now[kind] = (now[kind] ?? 0) + 1;
      most[kind] = Math.max(most[kind] ?? 0, now[kind]);
      await opened;
      now[kind] -= 1;
      return c.json({});
    });
    const app = createApp({ "/things": routes });
    const [here, there] = [randomUUID(), randomUUID()];
    const list = async (
      kind: string,
      limit: number,
      {
        tenant = here,
        role,
        signal,
      }: { tenant?: string; role?: string; signal?: AbortSignal } = {},
    ) => {
      const headers = { authorization: `Bearer ${await tokenIn(tenant, role)}` };
      const path = `http://here/things?kind=${kind}&limit=${limit}`;
      return app.request(new Request(path, { headers, signal }));
    };
    return { list, most, open, there };
  }

  const statusesOf = (answers: Promise<Response>[]) =>
    Promise.all(
      answers.map(async (one) => {
        const answer = await one;
        if (!answer.bodyUsed) await answer.text();
        return answer.status;
      }),
    );

  it("lets a tenant have two large answers at once, and the others wait", async () => {
    const { list, most, open, there } = makeLists();
    const large = Array.from({ length: 5 }, () => list("large", 101));
    await until(() => most.large === 2, "two large answers");
    // Small answers, and those of another tenant, do not wait.
    const others = [list("small", 100), list("other", 1000, { tenant: there })];
    await until(() => most.small === 1 && most.other === 1, "the answers that do not wait");
    open();
    expect(await statusesOf([...large, ...others])).toEqual(Array(7).fill(200));
    expect(most.large).toBe(2);
  });

  /** An app whose requests wait until it is opened, except last ones. */
  function makeSaves() {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const saves = { most: 0, ended: 0 };
    let now = 0;
    const routes = createRoutes();
    routes.post("/", async (c) => {
      now += 1;
      saves.most = Math.max(saves.most, now);
      if (c.get("body")?.isLast === undefined) await opened;
      now -= 1;
      return c.json({});
    });
    const app = createApp({ "/things": routes });
    const send = async (tenant: string, body: object, role?: string) => {
      const answer = await app.request("/things", {
        method: "POST",
        headers: {
          authorization: `Bearer ${await tokenIn(tenant, role)}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(body),
      });
      saves.ended += 1;
      return answer.status;
    };
    return { send, saves, open };
  }

  it("lets a tenant have one request with a large body at once, and the others wait", async () => {
    const { send, saves, open } = makeSaves();
    const text = "x".repeat(100_000);
    const [here, there] = [randomUUID(), randomUUID()];
    const large = Array.from({ length: 25 }, () => send(here, { text }));
    // Too many wait: 1 has its slot, and 20 wait for it.
    await until(() => saves.ended === 4, "the refusals");
    // A small body and those of another tenant do not wait.
    expect(await send(here, { text: "x", isLast: true })).toBe(200);
    expect(await send(there, { text, isLast: true })).toBe(200);
    expect(saves.most).toBe(2);
    open();
    expect((await Promise.all(large)).toSorted()).toEqual([
      ...Array(21).fill(200),
      ...Array(4).fill(429),
    ]);
    expect(saves.most).toBe(2);
  });

  it("answers members while too many large requests of customers wait, and customers while members wait", async () => {
    const [here, there] = [randomUUID(), randomUUID()];
    for (const [many, others] of [
      ["customer", ["supplier", "client", "admin"]],
      ["admin", ["customer"]],
    ] as const) {
      const { list, most, open } = makeLists();
      const { send, saves, open: openSaves } = makeSaves();
      const text = "x".repeat(100_000);
      const lists = Array.from({ length: 23 }, () => list("many", 200, { role: many }));
      const bodies = Array.from({ length: 22 }, () => send(here, { text }, many));
      expect((await Promise.race(lists)).status).toBe(429);
      await until(() => saves.ended === 1, "the refusal of a body");
      for (const role of others) {
        expect(await send(here, { text, isLast: true }, role), role).toBe(200);
      }
      const other = list("other", 200, { role: others[0] });
      await until(() => most.other === 1, "the answer that does not wait");
      expect(await send(there, { text, isLast: true }, many)).toBe(200);
      open();
      openSaves();
      expect(await statusesOf([other])).toEqual([200]);
      expect((await Promise.all(bodies)).filter((status) => status === 429)).toHaveLength(1);
      expect((await statusesOf(lists)).filter((status) => status === 429)).toHaveLength(1);
    }
  });

  it("refuses a large answer for which too many wait, and says when to try again", async () => {
    const { list, most, open } = makeLists();
    const large = Array.from({ length: 25 }, () => list("large", 200));
    const response = await Promise.race(large);
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("2");
    expect((await response.json()).error.code).toBe("RATE_LIMITED");
    let answered = 0;
    for (const one of large) one.then(() => answered++);
    await until(async () => answered === 3, "the refusals");
    open();
    expect((await statusesOf(large)).toSorted()).toEqual([
      ...Array(22).fill(200),
      ...Array(3).fill(429),
    ]);
    expect(most.large).toBe(2);
  });

  it("ends the slot of an answer that fails, is not read, or has no reader", async () => {
    const routes = createRoutes();
    routes.get("/", (c) => c.json({}));
    routes.get("/failing", () => {
      throw new Error("unexpected");
    });
    vi.spyOn(console, "error").mockImplementation(() => {});
    const app = createApp({ "/things": routes });
    const headers = { authorization: `Bearer ${await tokenIn(randomUUID())}` };
    for (let round = 0; round < 3; round++) {
      const failing = await app.request("/things/failing?limit=1000", { headers });
      expect(failing.status).toBe(500);
      const unread = await app.request("/things?limit=1000", { headers });
      await unread.body?.cancel();
      const head = await app.request("/things?limit=1000", { method: "HEAD", headers });
      expect([unread.status, head.status]).toEqual([200, 200]);
    }
  });

  it("gives no slot to a large answer whose client went away", async () => {
    const { list, most, open } = makeLists();
    const large = [list("large", 200), list("large", 200)];
    await until(() => most.large === 2, "two large answers");
    const leaving = new AbortController();
    const gone = list("gone", 200, { signal: leaving.signal });
    const next = list("next", 200);
    leaving.abort();
    expect(await statusesOf([gone])).toEqual([429]);
    open();
    expect(await statusesOf([...large, next])).toEqual([200, 200, 200]);
    expect(most).toEqual({ large: 2, next: 1 });
  });

  it("lets nobody have a slot for as long as it took", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const slots = createSlots(1, () => new Error("refused"));
    const begun: string[] = [];
    const begin = (name: string, wait_ms: number) =>
      slots.begin("tenant", wait_ms).then(
        (end) => {
          begun.push(name);
          return end;
        },
        (error) => {
          begun.push(`${name} ${error.message}`);
          return () => {};
        },
      );
    const first = begin("first", 0);
    const late = begin("late", 900);
    const second = begin("second", 5000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(begun).toEqual(["first", "late refused"]);
    (await first)();
    await vi.advanceTimersByTimeAsync(999);
    expect(begun).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun.at(-1)).toBe("second");
    await late;
    // A long slot rests two seconds.
    await vi.advanceTimersByTimeAsync(8000);
    (await second)();
    (await second)();
    const third = begin("third", 2500);
    await vi.advanceTimersByTimeAsync(1999);
    expect(begun.at(-1)).toBe("second");
    await vi.advanceTimersByTimeAsync(1);
    expect(begun.at(-1)).toBe("third");
    (await third)();
  });

  const piece = `/api/content/static_pages/${randomUUID()}`;
  const merge = async (app: ReturnType<typeof createApp>, token: string, from = "other") =>
    app.request(`${piece}/merge`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ from }),
    });

  it("lets a tenant merge or compare one document at once, and leaves that to another function", async () => {
    const running: { path: string; release: () => void }[] = [];
    rendering = async (path) => {
      await new Promise<void>((resolve) => running.push({ path, release: resolve }));
      return Response.json({ changes: [] });
    };
    const app = createApp({ "/api/content": content });
    const [here, there] = await Promise.all([tokenIn(randomUUID()), tokenIn(randomUUID())]);
    const compare = async (token: string) =>
      app.request(`${piece}/compare?from=1&to=2`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const first = merge(app, here);
    await until(async () => running.length === 1, "the first merge");
    const rest = [compare(here), merge(app, here), compare(there)];
    await until(async () => running.length === 2, "the comparison of the other tenant");
    let ended = 0;
    for (const one of [first, ...rest]) one.finally(() => ended++).catch(() => {});
    for (let released = 0; released < 4; released += 1) {
      await until(async () => running[released] !== undefined, "the next work");
      expect(running.length - ended).toBeLessThanOrEqual(2);
      running[released]?.release();
      await until(async () => ended > released, "the end of a work");
    }
    const answers = await Promise.all([first, ...rest]);
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect(running.map(({ path }) => path.split("/").at(-1)).toSorted()).toEqual([
      "compare",
      "compare",
      "merge",
      "merge",
    ]);
  });

  it("lets a tenant have two large documents as HTML at once", async () => {
    const running: (() => void)[] = [];
    rendering = async () => {
      await new Promise<void>((resolve) => running.push(resolve));
      return Response.json({ content: "<p>" });
    };
    asking = () => Response.json({ content: "x".repeat(50_000) });
    const app = createApp({ "/api/content": content });
    const headers = { authorization: `Bearer ${await tokenIn(randomUUID())}` };
    const reads = Array.from({ length: 3 }, async () => {
      const answer = await app.request(`${piece}?format=html`, { headers });
      return answer.json();
    });
    for (let released = 0; released < 3; released += 1) {
      await until(async () => running.length > released, "the next document");
      expect(running.length - released).toBeLessThanOrEqual(2);
      running[released]?.();
    }
    expect(await Promise.all(reads)).toEqual(Array(3).fill({ content: "<p>" }));
  });

  it("answers a conflict that repeats from memory, until the documents have other versions", async () => {
    let [version, rendered, asked] = [1, 0, 0];
    rendering = async () => {
      rendered += 1;
      const error = { code: "CONFLICT", message: `conflict ${version}`, details: {} };
      return Response.json(
        { error },
        { status: 409, headers: { "x-souk-merge-key": `key ${version}` } },
      );
    };
    asking = (name) => {
      expect(name).toBe("branches_to_merge");
      asked += 1;
      return Response.json({ key: `key ${version}` });
    };
    const app = createApp({ "/api/content": content });
    const [here, there] = await Promise.all([tokenIn(randomUUID()), tokenIn(randomUUID())]);
    const conflictOf = async (token: string, from?: string) => {
      const answer = await merge(app, token, from);
      expect(answer.status).toBe(409);
      expect(answer.headers.get("x-souk-merge-key")).toBeNull();
      return (await answer.json()).error.message;
    };
    for (let round = 0; round < 3; round += 1) expect(await conflictOf(here)).toBe("conflict 1");
    expect([rendered, asked]).toEqual([1, 2]);
    version = 2;
    for (let round = 0; round < 2; round += 1) expect(await conflictOf(here)).toBe("conflict 2");
    expect([rendered, asked]).toEqual([2, 4]);
    // Another request, and one of another tenant, are new ones.
    await conflictOf(here, "third");
    await conflictOf(there);
    expect([rendered, asked]).toEqual([4, 4]);
  });
});
