import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DATA_FOLDER } from "./places.js";

// What `npm run status` and `npm run db` know of a stack that another process runs: the addresses that the gateway
// does not tell. They stay in a file beside the rows, since the database's holds a password.

const schema = z.object({
  pid: z.int(),
  dbUrl: z.string().nullable(),
  mailpitUrl: z.string().nullable(),
  smtpUrl: z.string().nullable(),
});

/** The addresses of a running stack. */
export type Running = Omit<z.output<typeof schema>, "pid">;

const fileOf = (root: string, port: number) => join(root, DATA_FOLDER, `running-${port}.json`);

/** Writes down where the stack at `port` of the project in `root` is. Answers with what removes it. */
export async function writeRunning(
  root: string,
  port: number,
  addresses: Running,
): Promise<() => Promise<void>> {
  const file = fileOf(root, port);
  await mkdir(join(root, DATA_FOLDER), { recursive: true });
  // A stack that was killed has left one, which others might be able to read.
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify({ pid: process.pid, ...addresses }), { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** Where the stack at `port` is; null when none of the project in `root` runs there. */
export async function readRunning(root: string, port: number): Promise<Running | null> {
  const text = await readFile(fileOf(root, port), "utf8").catch(() => "null");
  const { data } = schema.safeParse(JSON.parse(text));
  return data && isAlive(data.pid) ? data : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
