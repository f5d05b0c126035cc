import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { until } from "../../../tests/eventually.js";
import type { Config } from "../src/config.js";
import type { Database } from "../src/db/database.js";
import { preparePlatform } from "../src/db/platform.js";
import { createJobs } from "../src/jobs/index.js";
import { isDue, type Schedule } from "../src/jobs/schedule.js";
import type { Service, ServiceContext } from "../src/service.js";
import { memoryLog } from "./functions-setup.js";
import { openReceiver, openScratch, type Receiver } from "./jobs-setup.js";
import { everyServer } from "./servers.js";

describe.each(everyServer)("jobs on %s", (server) => {
  let db: Database;
  let close: () => Promise<void>;
  let receiver: Receiver;
  let jobs: Service;
  const lines: string[] = [];
  const start = async () => {
    jobs = await createJobs({ db, url: receiver.url, log: memoryLog(lines) } as ServiceContext);
  };

  beforeAll(async () => {
    ({ db, close } = await openScratch(server));
    receiver = await openReceiver((request, response) => {
      if (request.url === "/slow") return;
      if (request.url === "/drop") return void request.socket.destroy();
      if (request.url === "/500") response.statusCode = 500;
      if (request.url === "/zero") return void response.end("before\0after");
      if (request.url === "/moved") {
        response.writeHead(302, { location: "/there" });
        return void response.end();
      }
      response.setHeader("content-type", "text/plain");
      response.setHeader("x-own", "1");
      response.end("answered");
    });
    await db.execute(
      "create table public.seen (word text, at timestamptz default clock_timestamp())",
    );
    await start();
  });
  afterAll(async () => {
    await jobs.close();
    await receiver.close();
    await close();
  });
  beforeEach(async () => {
    await db.execute(
      "delete from cron.job; delete from cron.job_run_details; truncate public.seen",
    );
    receiver.requests.length = 0;
  });

  const one = async <T = Record<string, unknown>>(sql: string, params: string[] = []) =>
    (await db.query<T>(sql, params))[0] as T;
  const answered = (id: number) =>
    until(() =>
      one<{
        status_code: number | null;
        content_type: string | null;
        headers: Record<string, string>;
        content: string | null;
        timed_out: boolean;
        error_msg: string | null;
      }>("select * from net._http_response where id = $1::bigint", [String(id)]),
    );
  const send = async (call: string) => (await one<{ id: number }>(`select ${call} as id`)).id;

  describe("net", () => {
    test("http_post sends JSON, headers and parameters, and stores the answer", async () => {
      const id = await send(
        `net.http_post('${receiver.url}/hook', '{"a": "ü"}', '{"q": "a b&c=ü"}', '{"X-Mine": "1"}')`,
      );
      expect(await answered(id)).toMatchObject({
        status_code: 200,
        content_type: "text/plain",
        content: "answered",
        timed_out: false,
        error_msg: null,
      });
      expect((await answered(id)).headers["x-own"]).toBe("1");
      expect(receiver.requests).toMatchObject(
        [
          {
            method: "POST",
            path: "/hook?q=a%20b%26c%3D%C3%BC",
            body: '{"a": "ü"}',
            headers: { "content-type": "application/json", "x-mine": "1", "user-agent": /pg_net/ },
          },
        ].map((r) => ({ ...r, headers: { ...r.headers, "user-agent": "pg_net/0.20.0" } })),
      );
      expect(await db.query("select from net.http_request_queue")).toEqual([]);
    });

    test("http_get and http_delete", async () => {
      await answered(await send(`net.http_get('${receiver.url}/a?b=c', '{"d": "e"}')`));
      await answered(await send(`net.http_delete('${receiver.url}/f', body := '{"g": 1}')`));
      expect(receiver.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
        ["GET", "/a?b=c&d=e", ""],
        ["DELETE", "/f", '{"g": 1}'],
      ]);
    });

    test("a request is sent after the commit, and never when it is rolled back", async () => {
      await expect(
        db.transaction({}, async (tx) => {
          await tx.query(`select net.http_get('${receiver.url}/undone')`);
          throw new Error("undo");
        }),
      ).rejects.toThrow("undo");
      await answered(await send(`net.http_get('${receiver.url}/done')`));
      expect(receiver.requests.map((request) => request.path)).toEqual(["/done"]);
    });

    test("the database's name for the gateway resolves to the gateway", async () => {
      const url = "http://api.supabase.internal:8000/functions/v1/webhook-dispatch";
      expect((await answered(await send(`net.http_post('${url}')`))).status_code).toBe(200);
      expect(receiver.requests[0]?.path).toBe("/functions/v1/webhook-dispatch");
    });

    test.each([
      ["/500", { status_code: 500, content: "answered", error_msg: null }],
      ["/moved", { status_code: 200, content: "answered" }],
      ["/zero", { status_code: 200, content: "before" }],
      ["/drop", { status_code: null, timed_out: false, error_msg: expect.stringMatching(/.+/) }],
    ])("an answer from %s", async (path, expected) => {
      expect(await answered(await send(`net.http_get('${receiver.url}${path}')`))).toMatchObject(
        expected,
      );
    });

    test("a time-out, a refused connection, an unknown host and an invalid URL are recorded as answers", async () => {
      const slow = await answered(
        await send(`net.http_get('${receiver.url}/slow', timeout_milliseconds := 100)`),
      );
      expect(slow).toMatchObject({ status_code: null, timed_out: true });
      expect(slow.error_msg).toMatch(
        /^Timeout of 100 ms reached\. Total time: [\d.]+ ms \(DNS time: .* ms, TCP\/SSL handshake time: .* ms, HTTP Request\/Response time: [\d.]+ ms\)$/,
      );
      expect(await answered(await send("net.http_get('http://127.0.0.1:9')"))).toMatchObject({
        timed_out: false,
      });
      for (const [url, reason] of [
        ["http://127.0.0.1:2", "Couldn't connect to server"],
        ["http://nowhere.invalid", "Couldn't resolve host name"],
        ["nonsense", "URL using bad/illegal format or missing URL"],
        ["file:///etc/hosts", "Unsupported protocol"],
      ]) {
        const answer = await answered(await send(`net.http_get('${url}')`));
        expect(answer).toMatchObject({ status_code: null, error_msg: reason });
      }
    });

    test("a thousand requests all arrive once, and none waits for another of its batch", async () => {
      await db.query("select net.http_get($1 || '/' || n) from generate_series(1, 1000) as n", [
        receiver.url,
      ]);
      await until(() => receiver.requests.length >= 1000);
      await until(
        async () =>
          (await one<{ n: number }>("select count(*) as n from net.http_request_queue")).n === 0,
      );
      expect(new Set(receiver.requests.map((request) => request.path)).size).toBe(1000);
      expect(receiver.requests).toHaveLength(1000);
    });

    test("answers are kept for six hours", async () => {
      await db.query(
        "insert into net._http_response (id, created) values (-1, now() - interval '361 minutes'), (-2, now() - interval '359 minutes')",
      );
      await answered(await send(`net.http_get('${receiver.url}')`));
      expect(await db.query("select id from net._http_response where id < 0")).toEqual([
        { id: -2 },
      ]);
    });

    test("requests committed while the stack was stopped are sent at the next start", async () => {
      await jobs.close();
      const id = await send(`net.http_get('${receiver.url}/late')`);
      await start();
      expect((await answered(id)).status_code).toBe(200);
    });

    test("close does not wait for a request in progress, and records this as its answer", async () => {
      const id = await send(`net.http_get('${receiver.url}/slow', timeout_milliseconds := 60000)`);
      await until(() => receiver.requests.some(({ path }) => path === "/slow"));
      await jobs.close();
      // It has not waited until the request timed out.
      expect(await answered(id)).toMatchObject({ status_code: null, timed_out: false });
      await start();
    });

    test("refuses another content type, as pg_net does", async () => {
      await expect(
        send(`net.http_post('${receiver.url}', headers := '{"content-type": "text/plain"}')`),
      ).rejects.toThrow('Content-Type header must be "application/json"');
    });

    test("net._http_collect_response returns the answer to a request", async () => {
      const collect = (id: number) =>
        one(
          `select r.status, r.message, (r.response).status_code, (r.response).body
           from net._http_collect_response($1::bigint) as r`,
          [String(id)],
        );
      const id = await send(`net.http_get('${receiver.url}/collected')`);
      await answered(id);
      expect(await collect(id)).toEqual({
        status: "SUCCESS",
        message: "ok",
        status_code: 200,
        body: "answered",
      });
      expect(await collect(-1)).toMatchObject({
        status: "ERROR",
        message: "request matching request_id not found",
      });
      expect(
        await one("select net.worker_restart() as ok, net.wait_until_running()"),
      ).toMatchObject({
        ok: true,
      });
    });

    test("works for each role that can use the schema, with that role's rights", async () => {
      await db.run({ role: "service_role" }, `select net.http_get('${receiver.url}/as-service')`);
      await until(() => receiver.requests.some(({ path }) => path === "/as-service"));
    });
  });

  describe("cron", () => {
    const details = (status: string) =>
      until(async () => {
        const rows = await db.query<{ return_message: string; jobid: number; end_time: string }>(
          "select * from cron.job_run_details where status = $1 order by runid",
          [status],
        );
        return rows.length > 0 && rows;
      });

    test("a job of every second runs, and is recorded, changed and unscheduled immediately", async () => {
      const id = await send(
        "cron.schedule('tick', '1 second', $job$insert into seen values ('one'); select word from seen$job$)",
      );
      const [row] = await details("succeeded");
      expect(row).toMatchObject({ jobid: id, return_message: "1 row" });
      expect(row?.end_time).toBeTruthy();
      expect(
        await send("cron.schedule('tick', '1 second', $job$insert into seen values ('two')$job$)"),
      ).toBe(id);
      await until(() => one("select from seen where word = 'two'"));
      expect((await one<{ ok: boolean }>("select cron.unschedule('tick') as ok")).ok).toBe(true);
      await db.query("truncate seen");
      // If it were still scheduled, it would run in this time.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await db.query("select from seen")).toEqual([]);
    });

    test("a minute job runs once a minute, when the minute begins, and missed runs are skipped", async () => {
      await jobs.close();
      // This clock runs a little slow: a timer fires before the clock reaches its time.
      const begun = performance.now();
      const passed = () => Math.floor((performance.now() - begun) * 0.98);
      let now = Math.ceil(Date.now() / 60_000) * 60_000 + 30_000;
      const clock = vi.spyOn(Date, "now").mockImplementation(() => now + passed());
      const changed = (name: string) =>
        db.query("select cron.schedule($1, '0 0 1 1 *', '')", [name]);
      const runs = async (count: number) => {
        await until(async () => (await db.query("select from seen")).length >= count);
        // A second run for the same minute would follow at once.
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(await db.query("select from seen")).toHaveLength(count);
      };
      try {
        await db.query(
          "select cron.schedule('minute', '* * * * *', $job$insert into seen values ('minute')$job$)",
        );
        await start();
        // Two hours later, two and a half seconds before the next minute.
        now += 7_200_000 + 27_500 - passed();
        await changed("one");
        await runs(1);
        await runs(2);
        // The jobs change after the next minute has begun and before its timer fires.
        now += 60_000;
        await changed("two");
        await runs(3);
      } finally {
        clock.mockRestore();
      }
    });

    test("a failing job is recorded and stops no other", async () => {
      await db.query("select cron.schedule('bad', '1 second', 'select 1 / 0')");
      await db.query("select cron.schedule('worse', '1 second', 'no sql at all')");
      await db.query(
        "select cron.schedule('half', '1 second', $job$insert into seen values ('half'); select 1 / 0$job$)",
      );
      await db.query(
        "select cron.schedule('good', '1 second', $job$insert into seen values ('good')$job$)",
      );
      await until(() => one("select from seen where word = 'good'"));
      await until(async () => new Set((await details("failed")).map((r) => r.jobid)).size === 3);
      const messages = (await details("failed")).map((row) => row.return_message);
      expect(messages).toContain("ERROR:  division by zero\n");
      expect(messages).toContain(
        'ERROR:  syntax error at or near "no"\nLINE 1: no sql at all\n        ^\n',
      );
      expect(await one("select from seen where word = 'half'")).toBeUndefined();
    });

    test("a job runs with the rights of the role that scheduled it, which must have LOGIN", async () => {
      const role = "jobs_clerk";
      await db.execute(
        `create role ${role} login; grant usage on schema cron to ${role}, service_role`,
      );
      try {
        await db.run(
          { role },
          "select cron.schedule('mine', '1 second', 'select current_user; delete from auth.users')",
        );
        await db.run(
          { role: "service_role" },
          "select cron.schedule('theirs', '1 second', 'select 1')",
        );
        await expect(
          db.run({ role: "authenticated" }, "select cron.schedule('* * * * *', 'select 1')"),
        ).rejects.toThrow("permission denied for schema cron");
        await until(async () => new Set((await details("failed")).map((r) => r.jobid)).size === 2);
        const messages = (await details("failed")).map((row) => row.return_message);
        expect(messages.join("")).toContain("ERROR:  permission denied for schema auth\n");
        expect(messages).toContain("connection failed");
        expect(await db.run({ role }, "select jobname from cron.job")).toEqual([
          { jobname: "mine" },
        ]);
      } finally {
        await db.execute(`delete from cron.job; revoke usage on schema cron from service_role`);
        // A run in progress keeps the role.
        await until(() =>
          db.execute(`drop owned by ${role}; drop role ${role}`).then(
            () => true,
            () => false,
          ),
        );
      }
    });

    test("a run ends in cron.job_run_details as with pg_cron", async () => {
      await db.execute(`
        create materialized view if not exists looks as select 1 as n;
        create or replace procedure twice() language plpgsql as $$ begin commit; end $$`);
      const endings = {
        "select 1; select generate_series(1, 3)": "3 rows",
        "insert into seen values ('a'), ('b')": "INSERT 0 2",
        "insert into seen values ('a') returning 1": "1 row",
        "drop table if exists made; create table made as select 1 as n": "SELECT 1",
        "drop table if exists none; refresh materialized view looks": "REFRESH MATERIALIZED VIEW",
        "do $$ begin perform 1; end $$": "DO",
        "begin; insert into seen values ('kept'); commit; select 1 where false": "0 rows",
        "call twice()": "CALL",
        "-- nothing": "0 rows",
      };
      for (const command of Object.keys(endings)) {
        await db.query("select cron.schedule('1 second', $1)", [command]);
      }
      await until(async () => {
        const rows = await db.query<{ command: string; return_message: string; job_pid: number }>(
          "select distinct on (command) * from cron.job_run_details where status = 'succeeded'",
        );
        if (rows.length < Object.keys(endings).length) return false;
        const results = rows.map(({ command, return_message }) => [command, return_message]);
        expect(Object.fromEntries(results)).toEqual(endings);
        expect(rows.every(({ job_pid }) => job_pid > 0)).toBe(true);
        return true;
      });
    });

    test("a job leaves no state in the session, and its COPY is refused", async () => {
      await db.query("select cron.schedule('set', '1 second', $1)", [
        "set search_path = ''; set request.jwt.claims = 'mine'; create temp table odd (); listen x; unlisten *",
      ]);
      await db.query("select cron.schedule('copy', '1 second', 'copy seen from stdin')");
      await details("succeeded");
      expect((await details("failed"))[0]).toMatchObject({ return_message: "COPY not supported" });
      expect(
        await one(`select coalesce(current_setting('request.jwt.claims', true), '') as claims,
          to_regclass('odd')::text as odd, to_regclass('seen')::text as seen`),
      ).toEqual({ claims: "", odd: null, seen: "seen" });
      // The loop still receives changes.
      await db.query("select cron.unschedule('copy'), cron.unschedule('set')");
      await db.query(
        "select cron.schedule('heard', '1 second', $$insert into seen values ('heard')$$)",
      );
      await until(() => one("select from seen where word = 'heard'"));
    });

    test.runIf(server === "postgres")(
      "a job that is still running is not started again",
      async () => {
        await db.query(
          "select cron.schedule('long', '1 second', $job$insert into seen values ('in'); select pg_sleep(2.2)$job$)",
        );
        const running = async () =>
          (
            await one<{ n: number }>(
              "select count(*) as n from cron.job_run_details where status = 'running'",
            )
          ).n;
        await until(async () => (await running()) === 1);
        let most = 0;
        for (let i = 0; i < 30; i += 1) {
          most = Math.max(most, await running());
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect(most).toBe(1);
        await db.query("select cron.unschedule('long')");
      },
    );

    test("vacuum runs, outside any transaction", async () => {
      await db.query("select cron.schedule('clean', '1 second', 'vacuum public.seen')");
      const [row] = await details("succeeded");
      expect(row?.return_message).toBe("VACUUM");
    });

    test("after a crash, unfinished runs are recorded as failed, and jobs continue", async () => {
      await db.query(
        "select cron.schedule('tick', '1 second', $job$insert into seen values ('x')$job$)",
      );
      await jobs.close();
      await db.query("insert into cron.job_run_details (jobid, status) values (7, 'running')");
      await db.query("truncate seen");
      await start();
      const [row] = await details("failed");
      expect(row).toMatchObject({ jobid: 7, return_message: "server restarted" });
      await until(() => one("select from seen"));
    });

    test.each([
      ["* * * * *", "2026-03-01T12:34:00Z", true],
      ["*/5 * * * *", "2026-03-01T12:35:00Z", true],
      ["*/5 * * * *", "2026-03-01T12:36:00Z", false],
      ["30 4 * * *", "2026-03-01T04:30:00Z", true],
      ["30 4 * * *", "2026-03-01T05:30:00Z", false],
      ["0 9-17/2 * * mon-fri", "2026-03-02T11:00:00Z", true],
      ["0 9-17/2 * * MON-FRI", "2026-03-01T11:00:00Z", false],
      ["0 0 * * 7", "2026-03-01T00:00:00Z", true],
      ["0 0 * * 0", "2026-03-01T00:00:00Z", true],
      ["0 0 13 * fri", "2026-03-13T00:00:00Z", true],
      ["0 0 13 * fri", "2026-03-06T00:00:00Z", true],
      ["0 0 13 * fri", "2026-03-07T00:00:00Z", false],
      // A day field that begins with a star makes both fields count.
      ["0 0 */2 * fri", "2026-03-07T00:00:00Z", false],
      ["0 0 */2 * fri", "2026-03-13T00:00:00Z", true],
      ["0 0 $ * *", "2026-02-28T00:00:00Z", true],
      ["0 0 $ * *", "2026-02-27T00:00:00Z", false],
      ["@hourly", "2026-03-01T12:00:00Z", true],
      ["@hourly", "2026-03-01T12:01:00Z", false],
      ["1,2,3 0 1 jan,mar *", "2026-03-01T00:02:00Z", true],
      // The surprising behaviour is the same in pg_cron.
      ["@yearly", "2026-01-01T00:00:00Z", false],
      ["* * * * * *", "2026-03-01T12:34:00Z", true],
      ["*5 * * * *", "2026-03-01T12:34:00Z", true],
      ["5-1 * * * *", "2026-03-01T12:05:00Z", false],
      ["0 22-2 * * *", "2026-03-01T23:00:00Z", true],
      ["0 22-2 * * *", "2026-03-01T01:00:00Z", true],
      ["0 22-2 * * *", "2026-03-01T12:00:00Z", false],
    ])("%s at %s: %s", async (schedule, minute, expected) => {
      const { due } = await one<{ due: Schedule }>("select cron.read_schedule($1) as due", [
        schedule,
      ]);
      expect("minutes" in due && isDue(due, new Date(minute))).toBe(expected);
    });

    test("intervals and @reboot are valid schedules", async () => {
      const read = async (schedule: string) =>
        (await one<{ due: unknown }>("select cron.read_schedule($1) as due", [schedule])).due;
      expect(await read("30 seconds")).toEqual({ seconds: 30 });
      expect(await read(" 1  SECOND")).toEqual({ seconds: 1 });
      expect(await read("@reboot")).toEqual({ start: true });
    });

    test("schedules and names that pg_cron refuses are refused", async () => {
      for (const schedule of [
        "",
        "* * * *",
        "60 * * * *",
        "0 seconds",
        "60 seconds",
        "* * * * 8",
        "a * * * *",
        "5/10 * * * *",
        "*/60 * * * *",
        "1,,2 * * * *",
        "1- * * * *",
        "* * $1 * *",
        "* * * jan-foo *",
        "@HOURLY",
        "30 second ",
        "*/0 * * * *",
        "@never",
        "* * 0 * *",
      ]) {
        await expect(
          db.query("select cron.schedule($1, 'select 1')", [schedule]),
          schedule,
        ).rejects.toThrow(`invalid schedule: ${schedule}`);
      }
      await expect(db.query("select cron.unschedule('nobody')")).rejects.toThrow(
        "could not find valid entry for job 'nobody'",
      );
      await expect(db.query("select cron.unschedule(0)")).rejects.toThrow("job 0");
    });

    test("the platform's scripts and a migration that asks for the extensions can run again", async () => {
      await preparePlatform(db, { db: { vault: {} } } as Config);
      await db.query("select cron.schedule('kept', '0 0 1 1 *', 'select 1')");
      await db.execute(`
        do $$
        begin
          if to_regclass('cron.job') is null then
            create extension if not exists pg_cron;
          end if;
          if to_regclass('net.http_request_queue') is null then
            create extension if not exists pg_net with schema extensions;
          end if;
        end
        $$`);
      expect(await one("select jobname from cron.job")).toEqual({ jobname: "kept" });
    });

    test("@reboot runs once, at the start", async () => {
      await db.query(
        "select cron.schedule('boot', '@reboot', $job$insert into seen values ('boot')$job$)",
      );
      await jobs.close();
      await start();
      await until(() => one("select from seen"));
      expect(await db.query("select word from seen")).toEqual([{ word: "boot" }]);
    });

    test("alter_job changes the given fields", async () => {
      const id = await send("cron.schedule('alter', '0 0 1 1 *', 'select 1')");
      await db.query(
        "select cron.alter_job($1::bigint, schedule := '30 seconds', active := false)",
        [String(id)],
      );
      expect(await one("select schedule, command, active from cron.job")).toEqual({
        schedule: "30 seconds",
        command: "select 1",
        active: false,
      });
    });
  });
});
