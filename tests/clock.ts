import { query } from "./database.js";
import type { StackAddress } from "./stack.js";

// The clock of a project is pg_cron, which the stack runs as hosted does. Tests do not wait for it.

/** Does at once what the job of this name does when it is due. */
export async function runJob(name: string, stack?: StackAddress): Promise<void> {
  await query(await commandOf(name, stack), [], stack);
}

/** What the job of this name says, for a test that runs it over a connection of its own. */
export async function commandOf(name: string, stack?: StackAddress): Promise<string> {
  const [job] = await query<{ command: string }>(
    "select command from cron.job where jobname = $1",
    [name],
    stack,
  );
  if (!job) throw new Error(`no job is called ${name}`);
  return job.command;
}

/** Waits, where the day in UTC has not so many milliseconds left, until the next one has begun. */
export const dayThatLasts = (ms: number) => timeThatLasts(86_400_000, ms, 15_000);

/** The same of a minute, with which the jobs of each minute begin. */
export const minuteThatLasts = (ms: number) => timeThatLasts(60_000, ms, 2_000);

/** Waits a little longer: whatever the clock does at the turn is done, too. */
async function timeThatLasts(period: number, ms: number, longer: number): Promise<void> {
  const left = period - (Date.now() % period);
  if (left < ms) await new Promise((resolve) => setTimeout(resolve, left + longer));
}
