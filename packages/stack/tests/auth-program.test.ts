import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { migrateAuth, runAuth } from "../src/auth/program.js";
import type { Database } from "../src/db/database.js";
import { openPglite } from "../src/db/pglite.js";
import { createKeys } from "../src/keys.js";
import { createLog } from "../src/log.js";
import type { ServiceContext } from "../src/service.js";
import { configOf } from "./auth-fixture.js";

// `--auth PROGRAM`, with a program that answers what it was given. SOUK_TEST_AUTH runs the other tests on a real one.

const PROGRAM = `#!${process.execPath}
const [command] = process.argv.slice(2);
if (process.env.GOTRUE_FAILS) {
  console.error("it fails at " + command);
  process.exit(1);
}
if (command === "serve") {
  require("node:http").createServer((request, response) => {
    const { url, headers } = request;
    if (url === "/away") response.writeHead(303, { location: "http://elsewhere/" });
    response.end(JSON.stringify({ url, headers, env: process.env }));
  }).listen(process.env.PORT, process.env.GOTRUE_API_HOST);
}
`;

const CONFIG = `
[auth]
site_url = "http://shop.test"
additional_redirect_urls = ["http://a.test", "http://b.test/**"]
enable_signup = false
password_requirements = "letters_digits"
[auth.email]
enable_confirmations = true
[auth.sessions]
timebox = "24h"
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/private/claims"
`;

describe("a program in place of the stack's own Auth", () => {
  let folder: string;
  let program: string;
  const executed: string[] = [];
  const db = {
    server: "postgres",
    url: "postgresql://supabase_admin:p%20w@127.0.0.1:5432/shop?sslmode=disable",
    query: async (_: string, [role, password]: string[]) => [{ statement: `${role} ${password}` }],
    execute: async (sql: string) => void executed.push(sql),
  } as unknown as Database;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "souk-auth-program-"));
    program = join(folder, "auth.cjs");
    await writeFile(program, PROGRAM);
    await chmod(program, 0o755);
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function start() {
    const keys = await createKeys();
    const context: ServiceContext = {
      db,
      keys,
      config: await configOf(CONFIG),
      log: { ...createLog(), error: () => {}, info: () => {} },
      url: "http://127.0.0.1:54321",
      smtpUrl: "smtp://127.0.0.1:2525",
    };
    const service = await runAuth(program, context);
    onTestFinished(() => service.close());
    return { keys, get: (request: Request) => service.fetch?.(request) as Promise<Response> };
  }

  test("gets the settings of config.toml, the keys, and a role that may log in", async () => {
    const { keys, get } = await start();
    const { env, url } = await (await get(new Request("http://gateway/user?a=b"))).json();
    expect(url).toBe("/user?a=b");
    expect(executed.at(-1)).toContain("supabase_auth_admin p w");
    expect(env).toMatchObject({
      DATABASE_URL: "postgresql://supabase_auth_admin:p%20w@127.0.0.1:5432/shop?sslmode=disable",
      API_EXTERNAL_URL: "http://127.0.0.1:54321/auth/v1",
      GOTRUE_JWT_SECRET: keys.jwtSecret,
      GOTRUE_SITE_URL: "http://shop.test",
      GOTRUE_URI_ALLOW_LIST: "http://a.test,http://b.test/**",
      GOTRUE_DISABLE_SIGNUP: "true",
      GOTRUE_MAILER_AUTOCONFIRM: "false",
      GOTRUE_PASSWORD_REQUIRED_CHARACTERS: expect.stringMatching(/^[a-zA-Z]{52}:0123456789$/),
      GOTRUE_SESSIONS_TIMEBOX: "24h",
      GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED: "true",
      GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI: "pg-functions://postgres/private/claims",
      GOTRUE_SMTP_PORT: "2525",
    });
    expect(env).not.toHaveProperty("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT");
    expect(JSON.parse(env.GOTRUE_JWT_KEYS)).toMatchObject([{ key_ops: ["sign", "verify"] }]);
  });

  test("gets the caller's address from servers of the project only, and redirects pass", async () => {
    const { keys, get } = await start();
    const addressFor = async (apikey: string) => {
      const headers = { apikey, "sb-forwarded-for": "203.0.113.7" };
      return (await (await get(new Request("http://gateway/", { headers }))).json()).headers;
    };
    expect(await addressFor(keys.secretKey)).toHaveProperty("sb-forwarded-for", "203.0.113.7");
    expect(await addressFor(keys.publishableKey)).not.toHaveProperty("sb-forwarded-for");
    const away = await get(new Request("http://gateway/away"));
    expect([away.status, away.headers.get("location")]).toEqual([303, "http://elsewhere/"]);
  });

  test("is refused with its own reason if it fails, and without a server", async () => {
    const config = await configOf("");
    await migrateAuth(program, db, config);
    process.env.GOTRUE_FAILS = "1";
    onTestFinished(() => void delete process.env.GOTRUE_FAILS);
    await expect(migrateAuth(program, db, config)).rejects.toThrow("it fails at migrate");
    await expect(start()).rejects.toThrow("ended with 1");
    const pglite = await openPglite(null);
    await expect(migrateAuth(program, pglite, config)).rejects.toThrow("--auth needs a server");
    await pglite.close();
  });
});
