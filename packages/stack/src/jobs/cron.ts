import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { runCommand } from "./command.js";
import { isDue, type Schedule } from "./schedule.js";

interface Row {
  jobid: number;
  schedule: string;
  /** Null when the schedule is invalid, because it was written without being checked. */
  due: Schedule | null;
  command: string;
  database: string;
  username: string;
}

interface Job extends Row {
  due: Schedule;
  /** When the next run of an interval is due, in ms. */
  dueAt: number;
  /** Runs that became due while one was running; they follow it. */
  pending: number;
}

const MINUTE = 60_000;
const CLOSE_TIMEOUT_MS = 2000;
const MAX_CATCH_UP_MINUTES = 5;

/** Returns when the next run of an interval is due, in ms. */
const nextRun = (due: Schedule) => ("seconds" in due ? Date.now() + due.seconds * 1000 : 0);

/**
 * Runs the jobs of `cron.job` like pg_cron: at most one run of each job at a time, different jobs
 * concurrently, and without the runs missed while the stack was not running. Sleeps until the next
 * minute or interval, and is notified of changes.
 */
export async function runCron(db: Database, log: Log): Promise<() => Promise<void>> {
  let jobs = new Map<number, Job>();
  const running = new Map<number, Promise<void>>();
  /** The ids of the runs in progress. */
  const live = new Set<string>();
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
      if (due) loaded.set(row.jobid, { ...row, due, dueAt: nextRun(due), pending: 0 });
      else log.error(`job ${row.jobid} has no valid schedule: ${row.schedule}`);
    }
    jobs = loaded;
  }

  async function run({ jobid, database, username, command }: Job): Promise<void> {
    // Nothing is inserted if the job was disabled or removed and this process has not heard of it yet.
    const [started] = await db.query<{ runid: number; login: boolean }>(
      `insert into cron.job_run_details (jobid, database, username, command, status)
       select j.jobid, $2, $3, $4, 'starting' from cron.job j where j.jobid = $1::bigint and j.active
       returning runid, coalesce((select rolcanlogin from pg_roles where rolname = $3), false) as login`,
      [String(jobid), database, username, command],
    );
    if (!started) return;
    const runid = String(started.runid);
    live.add(runid);
    const begun = (pid: number) =>
      db.query(
        `update cron.job_run_details
         set status = 'running', job_pid = $2::int, start_time = clock_timestamp() where runid = $1::bigint`,
        [runid, String(pid)],
      );
    // pg_cron logs in as the job's user, which a role like service_role cannot do.
    const { status, message } = started.login
      ? await runCommand(db, username, command, begun)
      : { status: "failed", message: "connection failed" };
    live.delete(runid);
    await db.query(
      `update cron.job_run_details set status = $2, return_message = $3, end_time = clock_timestamp()
       where runid = $1::bigint`,
      [runid, status, message],
    );
  }

  function start(job: Job): void {
    if (running.has(job.jobid)) {
      // An interval is counted from its last run, so at most one run can wait.
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
    // Catches up a few minutes during which a long statement blocked the loop. If the clock was set or the machine
    // slept, it continues with the current minute.
    const passed = minute - lastMinute;
    const first = passed >= 0 && passed <= MAX_CATCH_UP_MINUTES ? lastMinute + 1 : minute;
    lastMinute = minute;
    for (const job of jobs.values()) {
      if ("minutes" in job.due) {
        for (let at = first; at <= minute; at++) {
          if (isDue(job.due, new Date(at * MINUTE))) start(job);
        }
      } else if ("seconds" in job.due && now >= job.dueAt) {
        job.dueAt = nextRun(job.due);
        start(job);
      }
    }
    sleep();
  }

  function sleep(): void {
    clearTimeout(timer);
    if (closed) return;
    // The minute after the last one that was checked, which may have begun already.
    const now = Date.now();
    let next = (Math.min(lastMinute, Math.floor(now / MINUTE)) + 1) * MINUTE;
    for (const job of jobs.values()) {
      if ("seconds" in job.due) next = Math.min(next, job.dueAt);
    }
    timer = setTimeout(tick, Math.max(next - now, 0));
    timer.unref();
  }

  // One read at a time, and another after it if something changed meanwhile.
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

  /** Marks runs as failed whose result will never be reported. */
  const settle = () =>
    db.query(
      `update cron.job_run_details set status = 'failed', return_message = 'server restarted'
       where status in ('starting', 'running')
         and runid not in (select json_array_elements_text($1::text::json)::bigint)`,
      [JSON.stringify([...live])],
    );
  await settle();
  const stopListening = await db.listen("cron_job", reload, () => {
    settle().catch((error) => log.error("interrupted runs could not be recorded", error));
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
    // A run that takes longer is cut off with the database, and recorded as failed at the next
    // start.
    await Promise.race([
      Promise.all(running.values()),
      pause(CLOSE_TIMEOUT_MS, null, { ref: false }),
    ]);
  };
}
