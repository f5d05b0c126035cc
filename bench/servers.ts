import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * Starts a TypeScript program in a separate process; resolves with the first line it prints. Throws
 * if it ends before.
 */
export async function start(
  cwd: string,
  script: string,
  args: string[],
): Promise<[ChildProcess, string]> {
  // The log goes to a file, so that the measured processes need not read it.
  const folder = mkdtempSync(join(tmpdir(), "souk-bench-log-"));
  const log = join(folder, "log");
  const sink = openSync(log, "w");
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), script, ...args], {
    cwd,
    stdio: ["ignore", "pipe", sink],
  });
  closeSync(sink);
  const ended = once(child, "exit").then(([code]) => {
    const output = readFileSync(log, "utf8").split("\n").slice(-50).join("\n");
    rmSync(folder, { recursive: true });
    throw new Error(`${script} ended with ${code} before it was ready:\n${output}`);
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([once(lines, "line"), ended]);
  // Its end is expected later.
  ended.catch(() => {});
  return [child, line];
}

/** Ends a process; resolves when it is gone. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

/** Shows the current step on a terminal, in one line that the next step replaces. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}

/** The median: the middle number, or the mean of the middle two. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1];
  return ((sorted[low] as number) + (sorted[high] as number)) / 2;
}

/** A registered user of a bench. */
export interface Registered {
  token: string;
  id: string;
  tenantId: string;
}

/** Registers a user: `tenant_name` opens a tenant, `tenant_id` and `role` join one. */
export async function register(functionsUrl: string, fields: object): Promise<Registered> {
  const answer = await fetch(`${functionsUrl}/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      email: `${randomUUID()}@bench.souk.test`,
      password: randomUUID(),
      ...fields,
    }),
  });
  const made = (await answer.json()) as {
    access_token?: string;
    user: { id: string; tenant_id: string };
  };
  if (!made.access_token) throw new Error(`registration failed: ${JSON.stringify(made)}`);
  return { token: made.access_token, id: made.user.id, tenantId: made.user.tenant_id };
}
