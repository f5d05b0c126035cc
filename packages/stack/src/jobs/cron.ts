import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { runCommand } from "./command.js";
import { isDue, type Schedule } from "./schedule.js";

interface Row {
  jobid: number;
  schedule: string;
  /** Null when the schedule was not checked before it was written, and is none. */
  due: Schedule | null;
  command: string;
  database: string;
  username: string;
}

interface Job extends Row {
  due: Schedule;
  /** For intervals: when the next run is due, in ms. */
  dueAt: number;
  /** Runs that fell due while one was running; they follow it. */
  pending: number;
}

const MINUTE = 60_000;
const PATIENCE_MS = 2000;
const CAUGHT_UP = 5;

/** For intervals: when the next run is due, in ms. */
const soonest = (due: Schedule) => ("seconds" in due ? Date.now() + due.seconds * 1000 : 0);

/**
 * Runs the jobs of `cron.job` as pg_cron does: at most one run of a job at a time, jobs beside each
 * other, and no catching up for the minutes in which the stack was not running. It sleeps until the
 * next minute, or the next interval, and hears of changes by `notify`.
 */
export async function runCron(db: Database, log: Log): Promise<() => Promise<void>> {
  let jobs = new Map<number, Job>();
  const running = new Map<number, Promise<void>>();
  /** The ids of those runs. */
  const runIds = new Set<string>();
  let lastMinute = Math.floor(Date.now() / MINUTE);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function load(): Promise<void> {
    const rows = await db.query<Row>(
      `select jobid, schedule, cron.read_schedule(schedule) as due, command, database, username
       from cron.job where active order by jobid`,
    );
    const loaded = new Map<number, Job>();
    for (const row of rows) {
      const known = jobs.get(row.jobid);
      if (known?.schedule === row.schedule) {
        loaded.set(row.jobid, Object.assign(known, row));
        continue;
      }
      const { due } = row;
      if (due) loaded.set(row.jobid, { ...row, due, dueAt: soonest(due), pending: 0 });
      else log.error(`job ${row.jobid} has no valid schedule: ${row.schedule}`);
    }
    jobs = loaded;
  }

  async function run({ jobid, database, username, command }: Job): Promise<void> {
    const [started] = await db.query<{ runid: number; login: boolean }>(
      `insert into cron.job_run_details (jobid, database, username, command, status)
       values ($1::bigint, $2, $3, $4, 'starting')
       returning runid, coalesce((select rolcanlogin from pg_roles where rolname = $3), false) as login`,
      [String(jobid), database, username, command],
    );
    const runid = String(started?.runid);
    runIds.add(runid);
    const begun = (pid: number) =>
      db.query(
        `update cron.job_run_details
         set status = 'running', job_pid = $2::int, start_time = clock_timestamp() where runid = $1::bigint`,
        [runid, String(pid)],
      );
    // pg_cron logs in as the job's user, which a role such as service_role cannot do.
    const { status, message } = started?.login
      ? await runCommand(db, username, command, begun)
      : { status: "failed", message: "connection failed" };
    runIds.delete(runid);
    await db.query(
      `update cron.job_run_details set status = $2, return_message = $3, end_time = clock_timestamp()
       where runid = $1::bigint`,
      [runid, status, message],
    );
  }

  function start(job: Job): void {
    if (running.has(job.jobid)) {
      // An interval is counted from its last run, so only one can ever wait.
      job.pending = "seconds" in job.due ? 1 : job.pending + 1;
      return;
    }
    const work = run(job)
      .catch((error) => log.error(`job ${job.jobid} could not be recorded`, error))
      .finally(() => {
        running.delete(job.jobid);
        const still = jobs.get(job.jobid);
        if (closed || !still || still.pending === 0) return;
        still.pending -= 1;
        start(still);
      });
    running.set(job.jobid, work);
  }

  function tick(): void {
    const now = Date.now();
    const minute = Math.floor(now / MINUTE);
    // A few minutes that a long statement took away are made up for; a clock that was set, or a
    // machine that slept, starts anew with the present minute.
    const passed = minute - lastMinute;
    const first = passed >= 0 && passed <= CAUGHT_UP ? lastMinute + 1 : minute;
    lastMinute = minute;
    for (const job of jobs.values()) {
      if ("minutes" in job.due) {
        for (let at = first; at <= minute; at++) {
          if (isDue(job.due, new Date(at * MINUTE))) start(job);
        }
      } else if ("seconds" in job.due && now >= job.dueAt) {
        job.dueAt = soonest(job.due);
        start(job);
      }
    }
    sleep();
  }

  function sleep(): void {
    clearTimeout(timer);
    if (closed) return;
    // The minute after the last one that was looked at, which may have begun by now.
    const now = Date.now();
    let next = (Math.min(lastMinute, Math.floor(now / MINUTE)) + 1) * MINUTE;
    for (const job of jobs.values()) {
      if ("seconds" in job.due) next = Math.min(next, job.dueAt);
    }
    timer = setTimeout(tick, Math.max(next - now, 0));
    timer.unref();
  }

  // One reading at a time, and another after it when something changed meanwhile.
  let reading: Promise<void> | null = null;
  let stale = false;
  function reload(): void {
    if (closed) return;
    if (reading) {
      stale = true;
      return;
    }
    reading = load()
      .then(sleep)
      .catch((error) => log.error("cannot read cron.job", error))
      .finally(() => {
        reading = null;
        if (stale) {
          stale = false;
          reload();
        }
      });
  }

  /** Ends the runs of which nobody will say how they ended. */
  const settle = () =>
    db.query(
      `update cron.job_run_details set status = 'failed', return_message = 'server restarted'
       where status in ('starting', 'running')
         and runid not in (select json_array_elements_text($1::text::json)::bigint)`,
      [JSON.stringify([...runIds])],
    );
  await settle();
  const stopListening = await db.listen("cron_job", reload, () => {
    settle().catch((error) => log.error("what was cut off could not be recorded", error));
    reload();
  });
  reload();
  await reading;
  for (const job of jobs.values()) if ("start" in job.due) start(job);

  return async () => {
    closed = true;
    clearTimeout(timer);
    await stopListening();
    await reading;
    // A run that takes longer is cut off with the database, and told of at the next start.
    await Promise.race([Promise.all(running.values()), pause(PATIENCE_MS, null, { ref: false })]);
  };
}
