import { onTestFinished } from "vitest";
import { query } from "./database.js";
import { until } from "./eventually.js";
import type { StackAddress } from "./stack.js";

// Tests move the times in the rows that depend on the clock, so that they need not wait.

/** Runs the command of the cron job with this name immediately. */
export async function runJob(name: string, stack?: StackAddress): Promise<void> {
  const [job] = await query<{ command: string }>(
    "select command from cron.job where jobname = $1",
    [name],
    stack,
  );
  if (!job) throw new Error(`there is no cron job ${name}`);
  await query(job.command, [], stack);
}

/** Disables a cron job that the file's tests run themselves. Returns a function that enables it again. */
export async function restJob(name: string): Promise<() => Promise<void>> {
  const switchJob = (active: boolean) =>
    query("update cron.job set active = $1 where jobname = $2", [active, name]);
  await switchJob(false);
  await until(async () => {
    const running = await query(
      `select from cron.job_run_details d join cron.job j using (jobid)
       where j.jobname = $1 and d.status in ('starting', 'running')`,
      [name],
    );
    return running.length === 0;
  }, `the rest of ${name}`);
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
