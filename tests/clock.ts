import { onTestFinished } from "vitest";
import { OWNER } from "../packages/stack/src/db/roles.js";
import { query } from "./database.js";
import { until } from "./eventually.js";
import { stackInUse } from "./souk.js";
import { loggedInAs, type StackAddress } from "./stack.js";

// Tests move the times in the rows that depend on the clock, so that they need not wait.

/** The stack, for queries of the role that owns Souk's tables and runs its jobs. It is no superuser. */
export const asOwner = (stack: StackAddress = stackInUse()): StackAddress => ({
  ...stack,
  db_url: loggedInAs(OWNER, stack.db_url as string),
});

/** The command of a job, and whether it does the work in batches. */
export async function jobOf(name: string, stack?: StackAddress) {
  const [job] = await query<{ command: string; in_batches: boolean }>(
    "select command, in_batches from private.jobs_due where name = $1",
    [name],
    stack,
  );
  if (!job) throw new Error(`there is no job ${name}`);
  return job;
}

/**
 * Runs the command of the job with this name immediately, and all its batches, with the rights of the clocks. The stack's own run of the job may begin
 * at any moment, and each of the two skips what the other one has locked. So this waits until no run is under way before,
 * for one that began too early, and after, for one that has taken a part of the work.
 */
export async function runJob(name: string, stack?: StackAddress): Promise<void> {
  const { command, in_batches } = await jobOf(name, stack);
  const takesBatch = command.includes("$1");
  await untilIdle(name, stack);
  let batch: unknown = null;
  do {
    const [row] = await query(command, takesBatch ? [batch] : [], asOwner(stack));
    batch = in_batches ? Object.values(row ?? {})[0] : null;
  } while (batch !== null);
  await untilIdle(name, stack);
}

/** Waits until no clock of the stack runs the job with this name. */
async function untilIdle(name: string, stack?: StackAddress): Promise<void> {
  await until(async () => {
    const running = "select from private.running_jobs where name = $1";
    return (await query(running, [name], stack)).length === 0;
  }, `the rest of ${name}`);
}

/** Disables a job that the file's tests run themselves. Returns a function that enables it again. */
export async function restJob(name: string): Promise<() => Promise<void>> {
  const switchJob = (active: boolean) =>
    query("update private.jobs_due set active = $1 where name = $2", [active, name]);
  await switchJob(false);
  await untilIdle(name);
  return async () => void (await switchJob(true));
}

/** Repeats `work` until one run starts and ends within the same clock minute. Callers check the result afterwards. */
export async function withinMinute<Seen>(work: () => Promise<Seen>): Promise<Seen> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const begun = minute();
    const seen = await work();
    if (minute() === begun) return seen;
  }
}

/** Starts a new minute of the rate limits now. No other minute begins until the end of the test. */
export async function beginMinute(stack?: StackAddress): Promise<void> {
  const define = (minute: string) =>
    query(
      `create or replace function private.this_minute() returns timestamptz
       language plpgsql stable set search_path = '' as $$ begin return ${minute}; end $$`,
      [],
      stack,
    );
  const [{ now } = { now: "" }] = await query<{ now: string }>("select now()::text", [], stack);
  await define(`timestamptz '${now}'`);
  onTestFinished(async () => void (await define("date_trunc('minute', now())")));
}
