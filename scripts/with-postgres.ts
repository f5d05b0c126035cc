// Runs a command with DATABASE_URL naming an empty Postgres 17 from npm, which is gone afterwards.
import { spawn } from "node:child_process";
import { startServer } from "../packages/stack/src/db/server.js";
import { createLog } from "../packages/stack/src/log.js";

const [program, ...args] = process.argv.slice(2);
if (!program) throw new Error("usage: with-postgres.ts COMMAND [ARGS]");
const settings = { fsync: "off", max_connections: "200" };
const server = await startServer({ folder: null, port: 0, settings, log: createLog() });
// The command hears Ctrl-C itself.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
try {
  const env = { ...process.env, DATABASE_URL: server.url };
  const child = spawn(program, args, {
    stdio: "inherit",
    env,
    shell: process.platform === "win32",
  });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
} finally {
  await server.stop();
}
