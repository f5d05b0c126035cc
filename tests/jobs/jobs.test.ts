import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { asOwner, jobOf, restJob, runJob } from "../clock.js";
import { endSession, query as queryOf } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import { call, openTestTenant, register, supabaseAs, supabaseAsService } from "../souk.js";

// The clocks of the database. These tests add their jobs to queues of their own, which no cron job of the stack runs.

const owner = asOwner(ownStack);

/** Queries with the rights of the clocks. */
const query = <Found = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  queryOf<Found>(sql, values, owner);

const QUEUE = "tested";
const ADVISED_CRON_JOBS = 8;

interface Job {
  name: string;
  due_at: Date;
  running_since: Date | null;
  last_batch: string | null;
  last_run_at: Date | null;
  failures: number;
  last_error: string | null;
}

interface Adding {
  every?: string;
  at?: string;
  queue?: string;
  in_batches?: boolean;
  timeout?: string;
}

/** Adds a job for this test. It is due now. */
async function addJob(name: string, command: string, options: Adding = {}): Promise<void> {
  const { every = "1 hour", at = "0", queue = QUEUE, in_batches = false, timeout } = options;
  await query("select private.schedule_job($1, $2, $3, $4, $5, $6, $7)", [
    ...[name, command, every, at, queue, in_batches, timeout ?? null],
  ]);
  onTestFinished(async () => void (await query("select private.unschedule_job($1)", [name])));
  await makeDue(name);
}

const makeDue = (name: string, ago = "1 second") =>
  query("update private.jobs_due set due_at = clock_timestamp() - $2::interval where name = $1", [
    name,
    ago,
  ]);

async function read(name: string): Promise<Job> {
  const [job] = await query<Job>("select * from private.jobs_due where name = $1", [name]);
  return job as Job;
}

const runDue = (queue = QUEUE) => query("call private.run_due_jobs($1)", [queue]);

/** What the jobs of a test have done, in order. */
const ran = async () =>
  (await query<{ name: string }>("select name from public.job_runs_tested order by id")).map(
    ({ name }) => name,
  );

const record = (name: string) => `insert into public.job_runs_tested (name) values ('${name}')`;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: owner.db_url as string });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

const severalSessions = process.env.DATABASE_URL !== undefined;

beforeAll(async () => {
  const name = "public.job_runs_tested";
  await query(`create table ${name} (id bigint generated always as identity, name text not null)`);
  return async () => void (await query(`drop table ${name}`));
});

const begin = () => query("truncate public.job_runs_tested");

describe("the jobs", () => {
  it("are run by three cron jobs, and Supabase advises at most 8", async () => {
    // The superuser also sees those of other roles.
    const crons = await queryOf<{ jobname: string; schedule: string; command: string }>(
      "select jobname, schedule, command from cron.job where active",
    );
    expect(crons.length).toBeLessThanOrEqual(ADVISED_CRON_JOBS);
    for (const [jobname, command] of [
      ["clock", "call private.run_due_jobs()"],
      ["clock-workers", "call private.run_due_jobs('workers')"],
      ["clock-long", "call private.run_due_jobs('long')"],
    ]) {
      expect(crons).toContainEqual({ jobname, schedule: "* * * * *", command });
    }
  });

  it("have their periods and times", async () => {
    const rows = await query<{ name: string; every: string; at: string }>(
      "select name, every::text, at::text from private.jobs_due where active order by name",
    );
    const schedules: Record<string, string[]> = {};
    for (const { name, every, at } of rows) {
      const key = at === "00:00:00" ? `every ${every}` : `every ${every} at ${at}`;
      schedules[key] = [...(schedules[key] ?? []), name];
    }
    expect(schedules).toEqual(await expectedSchedules());
  });

  it("each belong to a queue that a clock runs", async () => {
    const queues = await query("select distinct queue from private.jobs_due order by queue");
    expect(queues).toEqual([{ queue: "long" }, { queue: "main" }, { queue: "workers" }]);
  });

  it("that wake a worker have a queue of their own", async () => {
    const waking = await query<{ name: string }>(
      "select name from private.jobs_due where queue = 'workers' and name <> 'embed' order by name",
    );
    expect(waking.map(({ name }) => name)).toEqual([
      ...["sweep-exports", "sweep-mails", "sweep-media", "wake-workers", "webhook-dispatch"],
    ]);
  });

  it("all succeed", async () => {
    const [{ begun } = { begun: "" }] = await query<{ begun: string }>(
      "select clock_timestamp()::text as begun",
    );
    await query("update private.jobs_due set due_at = now(), failures = 0");
    // A clock of the stack may be running them already.
    await eventually(async () => {
      for (const queue of ["main", "workers", "long"]) await runDue(queue);
      const rest =
        "select name from private.jobs_due where last_run_at is null or last_run_at < $1";
      expect(await query(rest, [begun])).toEqual([]);
    });
    const failed = "select name, last_error from private.jobs_due where failures > 0";
    expect(await query(failed)).toEqual([]);
  });

  it("are due at the next time of their period", async () => {
    const next = async (every: string, at: string) => {
      const [row] = await query<{ due_at: Date; now: Date }>(
        "select private.next_due($1, $2) as due_at, clock_timestamp() as now",
        [every, at],
      );
      const { due_at, now } = row as { due_at: Date; now: Date };
      const wait = due_at.getTime() - now.getTime();
      const [hours = 0, minutes = 0] = at.split(":").map(Number);
      return { due_at, wait, offset: (hours * 60 + minutes) * 60_000 };
    };
    for (const [every, at, ms] of [
      ["1 minute", "00:00", 60_000],
      ["5 minutes", "00:00", 300_000],
      ["10 minutes", "00:00", 600_000],
      ["1 hour", "00:33", 3_600_000],
      ["1 day", "03:27", 86_400_000],
      ["1 day", "23:59", 86_400_000],
    ] as const) {
      const { due_at, wait, offset } = await next(every, at);
      expect(wait).toBeGreaterThan(-1000);
      expect(wait).toBeLessThanOrEqual(ms);
      expect((due_at.getTime() - offset) % ms).toBe(0);
    }
  });
});

describe("a clock", () => {
  it("runs what is due, those that have waited longest first, and nothing else", async () => {
    await begin();
    for (const name of ["a", "b", "c"]) await addJob(name, record(name));
    await makeDue("a", "1 minute");
    await makeDue("b", "3 minutes");
    await makeDue("c", "2 minutes");
    await addJob("later", record("later"));
    await makeDue("later", "-1 hour");
    await addJob("off", record("off"));
    await query("update private.jobs_due set active = false where name = 'off'");
    await addJob("elsewhere", record("elsewhere"), { queue: "tested-elsewhere" });
    await runDue();
    expect(await ran()).toEqual(["b", "c", "a"]);
    await runDue();
    expect(await ran()).toEqual(["b", "c", "a"]);
    const { due_at, last_run_at, running_since } = await read("b");
    expect(due_at.getTime()).toBeGreaterThan(Date.now());
    expect(last_run_at?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(running_since).toBeNull();
  });

  it("records the error of a job, and runs the others", async () => {
    await begin();
    await addJob("breaks", `${record("breaks")}; select 1 / 0`);
    await makeDue("breaks", "2 minutes");
    await addJob("goes-on", record("goes-on"));
    await runDue();
    // What the failed job had done is undone.
    expect(await ran()).toEqual(["goes-on"]);
    expect(await read("breaks")).toMatchObject({
      failures: 1,
      last_error: "division by zero (22012)",
      running_since: null,
    });
    expect((await read("breaks")).due_at.getTime()).toBeGreaterThan(Date.now());
    await makeDue("breaks");
    await runDue();
    expect((await read("breaks")).failures).toBe(2);
    // After a success it counts as healthy.
    await query("update private.jobs_due set command = 'select 1' where name = 'breaks'");
    await makeDue("breaks");
    await runDue();
    expect((await read("breaks")).failures).toBe(0);
  });

  it.each([
    ["a refusal of the product", "select private.refuse('CONFLICT', 'No.')", "CONFLICT (PT409)"],
    ["a failed assertion", "do $$ begin assert false; end $$", "assertion failed (P0004)"],
    ["a cancelled statement", "do $$ begin raise query_canceled; end $$", "query_canceled (57014)"],
    [
      "a commit, which no job may do",
      "call public.commit_tested()",
      "invalid transaction termination (2D000)",
    ],
    ["no statement", "no sql at all", 'syntax error at or near "no" (42601)'],
    [
      "a deferred check that fails at the end",
      "insert into public.deferred_tested values (1), (1)",
      'duplicate key value violates unique constraint "deferred_tested_id_key" (23505)',
    ],
  ])("survives %s", async (_, command, error) => {
    await begin();
    await query(`
      create table public.deferred_tested (id int, unique (id) deferrable initially deferred);
      create procedure public.commit_tested() language plpgsql as 'begin commit; end'`);
    onTestFinished(async () => {
      await query("drop table public.deferred_tested; drop procedure public.commit_tested");
    });
    await addJob("breaks", command);
    await makeDue("breaks", "2 minutes");
    await addJob("goes-on", record("goes-on"));
    await runDue();
    expect(await ran()).toEqual(["goes-on"]);
    expect(await read("breaks")).toMatchObject({ failures: 1, last_error: error });
  });

  it("runs the batches of a job one after the other, each behind what is due", async () => {
    await begin();
    await addJob(
      "batches",
      `with run as (${record("batch")})
       select case coalesce($1, '0') when '2' then null else (coalesce($1, '0')::int + 1)::text end`,
      { in_batches: true },
    );
    await makeDue("batches", "2 minutes");
    await addJob("single", record("single"));
    await runDue();
    expect(await ran()).toEqual(["batch", "single", "batch", "batch"]);
    expect((await read("batches")).last_batch).toBeNull();
    expect((await read("batches")).due_at.getTime()).toBeGreaterThan(Date.now());
  });

  it("starts a job over when one of its batches fails", async () => {
    await begin();
    await addJob("batches", "select case $1 when 'a' then (1 / 0)::text else 'a' end", {
      in_batches: true,
    });
    await runDue();
    expect(await read("batches")).toMatchObject({ failures: 1, last_batch: null });
  });

  it("runs a job once after several of its times have passed", async () => {
    await begin();
    await addJob("missed", record("missed"), { every: "1 minute" });
    await makeDue("missed", "3 days");
    await runDue();
    expect(await ran()).toEqual(["missed"]);
  });

  it("keeps the times of a job whose schedule changes, and forgets a removed one", async () => {
    await begin();
    await addJob("changes", record("changes"));
    await runDue();
    await query("select private.schedule_job('changes', $1, '1 day', '04:11')", [
      record("changed"),
    ]);
    const changed = await read("changes");
    expect(changed.last_run_at).not.toBeNull();
    expect(changed.due_at.toISOString()).toMatch(/T04:11:00/);
    expect(await query("select private.unschedule_job('changes') as done")).toEqual([
      { done: true },
    ]);
    expect(await query("select private.unschedule_job('changes') as done")).toEqual([
      { done: false },
    ]);
  });

  it("refuses schedules that have no time", async () => {
    for (const [every, at] of [
      ["1 second", "0"],
      ["1 hour", "01:30"],
      ["1 day", "-1 hour"],
    ]) {
      await expect(
        query("select private.schedule_job('bad', 'select 1', $1, $2)", [every, at]),
      ).rejects.toThrow("check constraint");
    }
  });

  it.skipIf(!severalSessions)("is alone in its queue, and lets other queues run", async () => {
    await begin();
    const holding = await connect();
    await holding.query("begin; lock table public.job_runs_tested in share mode");
    await addJob("waits", record("waits"));
    await addJob("elsewhere", "select 1", { queue: "tested-elsewhere" });
    const clock = await connect();
    const running = clock.query(`call private.run_due_jobs('${QUEUE}')`);
    await eventually(async () =>
      expect(
        await query("select name from private.running_jobs where queue = $1", [QUEUE]),
      ).toEqual([{ name: "waits" }]),
    );
    // A second clock of the queue does not wait, and runs nothing twice.
    await runDue();
    await runDue("tested-elsewhere");
    expect((await read("elsewhere")).last_run_at).not.toBeNull();
    await holding.query("commit");
    await running;
    expect(await ran()).toEqual(["waits"]);
  });

  it.skipIf(!severalSessions)("is interrupted by a crash: the next one runs the rest", async () => {
    await begin();
    await addJob("first", record("first"));
    await makeDue("first", "3 minutes");
    await addJob("dies", `${record("dies")}; select pg_sleep(600)`);
    await makeDue("dies", "2 minutes");
    await addJob("last", record("last"));
    const clock = await connect();
    const [{ pid }] = (await clock.query("select pg_backend_pid() as pid")).rows;
    const died = expect(clock.query(`call private.run_due_jobs('${QUEUE}')`)).rejects.toThrow();
    await eventually(async () =>
      expect(await query("select pid from private.running_jobs where name = 'dies'")).toEqual([
        { pid },
      ]),
    );
    await endSession(pid);
    await died;
    expect(await ran()).toEqual(["first"]);
    expect(await query("select from private.running_jobs where queue = $1", [QUEUE])).toEqual([]);
    await query("update private.jobs_due set command = $1 where name = 'dies'", [record("lives")]);
    await runDue();
    // The interrupted job is repeated in the next run, behind those that were due.
    expect(await ran()).toEqual(["first", "last", "lives"]);
    const after = await read("dies");
    expect(after).toMatchObject({ failures: 0, running_since: null });
    expect(after.last_error).toMatch(/^The run of .* was interrupted: its session ended\.$/);
  });

  it("repeats a job that ends its session each time only at its own times", async () => {
    await begin();
    await addJob("dies", record("dies"));
    for (const failures of [1, 2]) {
      await query(
        "update private.jobs_due set running_since = now(), due_at = now() where name = 'dies'",
      );
      await query("select private.begin_clock($1)", [QUEUE]);
      const { due_at, ...job } = await read("dies");
      expect(job).toMatchObject({ failures, running_since: null });
      if (failures === 1) expect(due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
      else expect(due_at.getTime()).toBeGreaterThan(Date.now());
    }
  });

  it.skipIf(!severalSessions)(
    "cancels a job of another queue that exceeds its timeout",
    async () => {
      await begin();
      await addJob("hangs", "select pg_sleep(600)", { timeout: "1 second" });
      await makeDue("hangs", "2 minutes");
      await addJob("waits", record("waits"));
      const clock = await connect();
      const running = clock.query(`call private.run_due_jobs('${QUEUE}')`);
      await eventually(async () => {
        await runDue("tested-elsewhere");
        expect((await read("hangs")).failures).toBe(1);
      });
      await running;
      expect((await read("hangs")).last_error).toBe(
        "canceling statement due to user request (57014)",
      );
      // The jobs behind it had to wait, and run.
      expect(await ran()).toEqual(["waits"]);
    },
  );

  it.skipIf(!severalSessions)("survives the statement timeout of its role", async () => {
    await begin();
    await addJob("hangs", "select pg_sleep(600)");
    await makeDue("hangs", "2 minutes");
    await addJob("waits", record("waits"));
    const clock = await connect();
    await clock.query("set statement_timeout = '1s'");
    await clock.query(`call private.run_due_jobs('${QUEUE}')`);
    expect((await read("hangs")).last_error).toBe(
      "canceling statement due to statement timeout (57014)",
    );
    expect(await ran()).toEqual(["waits"]);
  });

  it.skipIf(!severalSessions)("passes over a job whose row another transaction holds", async () => {
    await begin();
    await addJob("held", record("held"));
    await makeDue("held", "3 minutes");
    await addJob("crashed", record("crashed"));
    await query("update private.jobs_due set running_since = now() where name = 'crashed'");
    await addJob("goes-on", record("goes-on"));
    const holding = await connect();
    await holding.query(
      "begin; update private.jobs_due set active = active where name in ('held', 'crashed')",
    );
    const clock = await connect();
    await clock.query("set statement_timeout = '20s'");
    await clock.query(`call private.run_due_jobs('${QUEUE}')`);
    expect(await ran()).toEqual(["goes-on"]);
    await holding.query("commit");
    await runDue();
    expect(await ran()).toEqual(["goes-on", "held", "crashed"]);
  });

  it("records the run of a job that takes another role, and runs the others as before", async () => {
    await begin();
    await addJob("as-somebody", "set role authenticated; select 1");
    await makeDue("as-somebody", "2 minutes");
    await addJob("goes-on", record("goes-on"));
    await runDue();
    expect(await ran()).toEqual(["goes-on"]);
    expect(await read("as-somebody")).toMatchObject({ failures: 0, running_since: null });
  });

  it.skipIf(!severalSessions)("does not let a job wait for a lock for long", async () => {
    const [row] = await query<{ settings: string[] }>(
      "select proconfig as settings from pg_proc where proname = 'run_job'",
    );
    expect(row?.settings).toContain("lock_timeout=10s");
  });
});

describe("GET /api/health", () => {
  const withKey = (key: string) => call("GET", "/api/health", { headers: { apikey: key } });

  /** Other files may have locked what a job needs, or stopped the clocks. */
  const forgetProblems = () =>
    query("update private.jobs_due j set failures = 0, due_at = private.next_due(j.every, j.at)");

  it("says that all is well", async () => {
    await forgetProblems();
    const { status, body } = await withKey(ownStack.secret_key);
    expect(status).toBe(200);
    expect(body.jobs.failing).toEqual([]);
    expect(body).toMatchObject({ status: "ok", jobs: { late: [] } });
    expect(body.jobs.total).toBe(Object.values(await expectedSchedules()).flat().length);
  });

  it("names the jobs that fail, and those that are late", async () => {
    await forgetProblems();
    await addJob("fails", "select 1 / 0", { every: "1 day", at: "04:11" });
    await addJob("off", "select 1");
    await query("update private.jobs_due set active = false where name = 'off'");
    await makeDue("off", "1 day");
    await runDue();
    // No clock runs this queue.
    await addJob("stands", "select 1", { queue: "tested-elsewhere" });
    await makeDue("stands", "4 minutes");
    const { body } = await withKey(ownStack.secret_key);
    expect(body.status).toBe("failing");
    expect(body.jobs.failing).toMatchObject([
      {
        name: "fails",
        queue: QUEUE,
        every_seconds: 86_400,
        running_since: null,
        failures: 1,
        last_error: "division by zero (22012)",
      },
    ]);
    expect(body.jobs.late).toMatchObject([{ name: "stands", last_run_at: null }]);
    const { data } = await supabaseAsService().rpc("health").throwOnError();
    expect(data).toMatchObject({ status: "failing", jobs: { late: [{ name: "stands" }] } });
  });

  it("shows visitors and members nothing", async () => {
    const { operator } = await openTestTenant();
    const other = await register({ tenant_name: "Elsewhere" });
    for (const headers of [
      {},
      { apikey: ownStack.publishable_key as string },
      { apikey: "sb_secret_wrong" },
    ] as Record<string, string>[]) {
      for (const as of [undefined, operator, other]) {
        const answer = await call("GET", "/api/health", { as, headers });
        expect(answer.status).toBe(401);
        expect(answer.body.error.code).toBe("UNAUTHORIZED");
        expect(JSON.stringify(answer.body)).not.toContain("jobs");
      }
    }
    const { error } = await supabaseAs(operator).rpc("health");
    expect(error?.code).toBe("42501");
  });
});

describe("the history of cron jobs", () => {
  it("is deleted after 7 days, in batches", async () => {
    onTestFinished(await restJob("delete-old-cron-runs"));
    // Ids ascend with the time, so those of old runs are lower than those of the stack's own. A run that could not be
    // started has no times.
    await query(`
      insert into cron.job_run_details (runid, jobid, command, status, start_time)
      select n - 30000, 1, 'old', 'succeeded', now() - interval '8 days' from generate_series(1, 25000) as n
      union all values
        (-3, 1, 'old', 'failed', null),
        (-2, 1, 'old', 'succeeded', now() - interval '169 hours'),
        (-1, 1, 'recent', 'succeeded', now() - interval '167 hours')`);
    const count = async () =>
      (
        await query<{ command: string; count: number }>(
          `select command, count(*)::int from cron.job_run_details where command in ('old', 'recent') group by 1 order by 1`,
        )
      ).map(({ command, count }) => [command, count]);
    const { command } = await jobOf("delete-old-cron-runs");
    await query(command);
    expect(await count()).toEqual([
      ["old", 15_002],
      ["recent", 1],
    ]);
    await runJob("delete-old-cron-runs");
    expect(await count()).toEqual([["recent", 1]]);
    await query("delete from cron.job_run_details where command = 'recent'");
  });
});

/** The jobs of this server. Without the extension `vector` there is no job for embeddings. */
async function expectedSchedules(): Promise<typeof SCHEDULES> {
  const found = await query("select from private.jobs_due where name = 'embed'");
  const names = SCHEDULES["every 00:01:00"] ?? [];
  return {
    ...SCHEDULES,
    "every 00:01:00": names.filter((name) => name !== "embed" || found.length > 0),
  };
}

/** The jobs by their schedule. Times are UTC. */
const SCHEDULES: Record<string, string[]> = {
  "every 00:01:00": [
    "add-up-sales",
    "cancel-unpaid-orders",
    "claim-customers",
    "count-visitors",
    "deliver-due-shipments",
    "deliver-ended-bookings",
    "embed",
    "end-switched-off-deliveries",
    "redraw-visitor-days",
    "release-waiting-products",
    "remove-tenants",
    "roll-up-sales",
    "run-campaigns",
    "run-content-schedule",
    "settle-suppliers",
    "suspend-expired-keys",
    "sweep-exports",
    "sweep-mails",
    "wake-workers",
    "webhook-dispatch",
    "write-outdated-texts",
  ],
  "every 00:05:00": ["count-auctions", "forget-rest-requests", "run-export-schedules"],
  "every 00:10:00": [
    "forget-counts",
    "forget-event-counts",
    "forget-guests",
    "forget-request-counts",
    "gather-content-counts",
    "sweep-media",
  ],
  "every 01:00:00 at 00:03:00": ["make-event-partitions"],
  "every 01:00:00 at 00:05:00": ["make-storefront-partitions"],
  "every 01:00:00 at 00:07:00": ["forget-idempotency-keys"],
  "every 01:00:00 at 00:11:00": ["forget-guest-counts"],
  "every 01:00:00 at 00:17:00": ["forget-content-previews"],
  "every 01:00:00 at 00:19:00": ["end-crashed-guest-registrations", "forget-template-previews"],
  "every 01:00:00 at 00:23:00": ["forget-webhook-secrets"],
  "every 01:00:00 at 00:33:00": ["forget-events"],
  "every 01:00:00 at 00:37:00": ["forget-storefront-events"],
  "every 01:00:00 at 00:39:00": ["forget-visitor-event-counts"],
  "every 01:00:00 at 00:41:00": ["forget-placement-events"],
  "every 01:00:00 at 00:43:00": ["end-old-key-sessions", "forget-auctions", "forget-visitor-days"],
  "every 01:00:00 at 00:44:00": ["forget-visitor-gaps"],
  "every 01:00:00 at 00:47:00": ["delete-old-audit-entries"],
  "every 01:00:00 at 00:51:00": ["delete-old-cron-runs"],
  "every 01:00:00 at 00:53:00": ["delete-old-checkouts"],
  "every 1 day at 03:17:00": ["compare-sales", "forget-spent-refresh-tokens"],
  "every 1 day at 03:23:00": ["mend-search"],
  "every 1 day at 03:27:00": ["forget-sessions-that-are-over"],
  "every 1 day at 03:47:00": ["compare-visitors", "forget-sales"],
  "every 1 day at 03:53:00": ["compare-ledger"],
};
