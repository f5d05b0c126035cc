import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyWebhook } from "../../packages/client/src/verify-webhook.js";
import { findDeno } from "../../packages/stack/src/functions/deno.js";
import { signedHeaders } from "../../supabase/functions/_shared/webhooks/sign.ts";
import { eventually } from "../eventually.js";
import { must, openReceiver, type Person, type Receiver, register } from "../souk.js";

// Runs the receivers of docs/webhooks.md unchanged. They must accept real deliveries of the stack, also while the
// secret is being changed, and refuse forged and old ones.

const page = readFileSync("docs/webhooks.md", "utf8");

/** The code below a heading of the page. */
function codeBelow(heading: string): string {
  const code = new RegExp(`^### ${heading}\\n+\`\`\`\\w+\\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1];
  if (code === undefined) throw new Error(`docs/webhooks.md has no receiver in ${heading}`);
  return code;
}

/** The languages of the page, with the command for each. */
const languages = {
  Node: { file: "receiver.mjs", command: [process.execPath] },
  Deno: {
    file: "receiver.js",
    command: [
      findDeno(),
      "run",
      "--quiet",
      "--no-config",
      "--no-lock",
      "--allow-net",
      "--allow-env",
    ],
  },
  Python: { file: "receiver.py", command: ["python3"] },
};
type Language = keyof typeof languages;

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) console.warn("SKIPPED: the receiver in Python needs python3");

/** The parts of a delivery that a receiver reads. */
interface Delivery {
  headers: Record<string, string>;
  body: string;
}

/** A running receiver, and its output. */
interface Running {
  url: string;
  printed: string[];
  end(): Promise<void>;
}

/** A secret that Souk does not know. */
const STRANGE = "a secret of somebody else's";
/** A secret that the user chose, so it is not base64. */
const CHOSEN = "a secret that somebody chose";

let folder: string;
let there: Receiver;
/** Deliveries before the secret is changed, and while it is. */
let first: Delivery;
let second: Delivery;
let secret: string;
const running: Running[] = [];

beforeAll(async () => {
  [folder, there] = await Promise.all([mkdtemp(join(tmpdir(), "souk-receivers-")), openReceiver()]);
  const operator = await register({ tenant_name: "Oasis" });
  const webhook = await must("POST", "/api/webhooks", {
    as: operator,
    body: { url: there.url, events: ["user.registered"] },
  });
  secret = webhook.secret;
  first = await delivered(operator, 1);
  await must("POST", `/api/webhooks/${webhook.id}/rotate-secret`, {
    as: operator,
    body: { secret: CHOSEN },
  });
  second = await delivered(operator, 2);
});

afterAll(async () => {
  await Promise.all(running.map(({ end }) => end()));
  await there?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The delivery that a new member causes: the one with this number. */
async function delivered({ tenantId }: Person, count: number): Promise<Delivery> {
  await register({ tenant_id: tenantId });
  await eventually(() => expect(there.received).toHaveLength(count));
  const { headers, body } = there.received[count - 1] as Receiver["received"][number];
  const kept = Object.entries(headers).filter(([name]) => /^(x-)?webhook-/.test(name));
  return { headers: Object.fromEntries(kept) as Record<string, string>, body };
}

/** Runs a receiver with a secret. */
async function run(language: Language, secret: string): Promise<Running> {
  const { file, command } = languages[language];
  const path = join(folder, file);
  await writeFile(path, codeBelow(language));
  const port = await freePort();
  const child = spawn(command[0] as string, [...command.slice(1), path], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: `${port}`, DENO_NO_UPDATE_CHECK: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  const complained: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => printed.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => complained.push(line));
  const gone = once(child, "exit");
  const started = {
    url: `http://127.0.0.1:${port}/hooks`,
    printed,
    async end() {
      child.kill();
      await gone;
    },
  };
  running.push(started);
  const answers = eventually(() => fetch(started.url, { method: "POST" }));
  await Promise.race([
    answers,
    gone.then(() => {
      throw new Error(`the receiver in ${language} has ended:\n${complained.join("\n")}`);
    }),
  ]);
  return started;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The status that a receiver answers to a delivery. */
async function send({ url }: Running, { headers, body }: Delivery): Promise<number> {
  const { status } = await fetch(url, { method: "POST", headers, body });
  return status;
}

const replacing = (headers: Record<string, string>): Delivery => ({
  ...first,
  headers: { ...first.headers, ...headers },
});

/** A correctly signed delivery, sent this many seconds ago. */
function signed(body: string, secret: string, secondsAgo = 0): Delivery {
  const id = crypto.randomUUID();
  const sentAt = new Date(Date.now() - secondsAgo * 1000);
  return {
    body,
    headers: signedHeaders({ id, event: "user.registered", body, secrets: [secret] }, sentAt),
  };
}

/** Deliveries that must be refused, by their error. */
function forgeries(): Record<string, Delivery> {
  const { headers, body } = first;
  const time = Number(headers["webhook-timestamp"]);
  const signature = headers["webhook-signature"] as string;
  const without = (...names: string[]) => ({
    body,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
  });
  return {
    "another body": { headers, body: body.replace("user.registered", "user.verified") },
    "a space more": { headers, body: `${body} ` },
    "no body": { headers, body: "" },
    "another id": replacing({ "webhook-id": crypto.randomUUID() }),
    "no id": without("webhook-id"),
    "another time": replacing({ "webhook-timestamp": `${time + 1}` }),
    "a time that is none": replacing({ "webhook-timestamp": "now" }),
    "no time": without("webhook-timestamp"),
    "no signature": without("webhook-signature"),
    "an empty signature": replacing({ "webhook-signature": "" }),
    "a signature cut short": replacing({ "webhook-signature": signature.slice(0, -4) }),
    "a signature of another version": replacing({
      "webhook-signature": signature.replace("v1,", "v2,"),
    }),
    "a signature of letters that are none of base64": replacing({
      "webhook-signature": "v1,\u00e9",
    }),
    "nothing but the signature of the body": without("webhook-signature", "webhook-timestamp"),
    "a stranger's secret": signed(body, STRANGE),
    "sent six minutes ago": signed(body, secret, 360),
    "to be sent in six minutes": signed(body, secret, -360),
  };
}

for (const language of Object.keys(languages) as Language[]) {
  describe.skipIf(language === "Python" && !hasPython)(`the receiver in ${language}`, () => {
    let old: Running;
    let changed: Running;

    beforeAll(async () => {
      [old, changed] = await Promise.all([run(language, secret), run(language, CHOSEN)]);
    });

    it("accepts deliveries of Souk, and refuses forged, old and foreign ones", async () => {
      const refused: Record<string, number> = {};
      const forged = forgeries();
      for (const [what, delivery] of Object.entries(forged)) {
        refused[what] = await send(old, delivery);
      }
      expect(refused).toEqual(Object.fromEntries(Object.keys(forged).map((what) => [what, 401])));
      expect(old.printed).toEqual([]);
      expect(await send(old, first)).toBe(204);
    });

    it("handles a repeated delivery once", async () => {
      expect([await send(old, first), await send(old, first)]).toEqual([204, 204]);
      await eventually(() => expect(old.printed).not.toEqual([]));
      expect(old.printed).toEqual([`${first.headers["webhook-id"]} user.registered`]);
    });

    it("accepts one of two signatures while the secret is changed, with the old and the new secret", async () => {
      expect(second.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
      expect([await send(old, second), await send(changed, second)]).toEqual([204, 204]);
      // This delivery is older than the new secret.
      expect(await send(changed, first)).toBe(401);
    });
  });
}

describe("verifyWebhook", () => {
  it("accepts the same, with either secret or both", async () => {
    const verify = (one: Delivery, secret: string | string[]) =>
      verifyWebhook({ payload: one.body, headers: one.headers, secret });
    for (const one of [secret, CHOSEN, [CHOSEN, secret]]) {
      expect(await verify(second, one)).toEqual(JSON.parse(second.body));
    }
    expect(await verify(first, [CHOSEN, secret])).toEqual(JSON.parse(first.body));
    await expect(verify(first, CHOSEN)).rejects.toThrow("does not match");
    for (const [what, { headers, body }] of Object.entries(forgeries())) {
      const verified = verifyWebhook({ payload: body, headers, secret });
      await expect(verified, what).rejects.toThrow();
    }
  });
});
