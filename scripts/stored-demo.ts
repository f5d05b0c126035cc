/** The demo of a release as rows, by which a later upgrade is tried: `tests/releases/0.1.0.json.gz`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { createLog } from "../packages/stack/src/log.js";
import { startStack } from "../packages/stack/src/start.js";
import { savedTables } from "./backup/rows.js";

/** Rows that are secrets, or that belong to the database in which they were made. */
const LEFT_OUT = new Set([
  "auth.sessions",
  "auth.refresh_tokens",
  "auth.one_time_tokens",
  "private.signing_keys",
  "private.wakes",
  "private.jobs_due",
]);

/** The rows of each table as JSON of Postgres: a parser of JavaScript would round its numbers. */
export type StoredDemo = Record<string, string>;

/** A stack plays the demo twice: the seed's tenant, and two that sell, ship and pay. */
export async function makeStoredDemo(): Promise<Buffer> {
  const log = { ...createLog(), info: () => {} };
  const stack = await startStack({
    root: process.cwd(),
    place: "memory",
    port: 0,
    passwordCost: 4,
    log,
  });
  try {
    for (const _ of [1, 2]) {
      const demo = spawn(process.execPath, ["--import", "tsx", "scripts/demo.ts"], {
        env: {
          ...process.env,
          SUPABASE_URL: stack.url,
          SUPABASE_PUBLISHABLE_KEY: stack.keys.publishableKey,
          MAILPIT_URL: stack.mailpitUrl ?? "",
        },
        stdio: "inherit",
      });
      const [code] = await once(demo, "exit");
      if (code !== 0) throw new Error(`the demo ended with ${code}`);
    }
    const kept: StoredDemo = {};
    for (const { name } of await stack.db.query<{ name: string }>(savedTables)) {
      if (LEFT_OUT.has(name)) continue;
      const [found] = await stack.db.query<{ rows: string | null }>(
        `select json_agg(t)::text as rows from ${name} t`,
      );
      if (found?.rows) kept[name] = found.rows;
    }
    return gzipSync(JSON.stringify(kept), { level: 9 });
  } finally {
    await stack.close();
  }
}
