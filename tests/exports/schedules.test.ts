import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { clockOf, daysBefore } from "../analytics/reference.js";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  type Person,
  registerClient,
  stackInUse,
  type TestTenant,
} from "../souk.js";
import { type Export, exportBecomes, getExport, occupy, vacate } from "./exporting.js";

// Recurring exports, which are queued when the tenant's day begins.

const SCHEDULES = "/api/analytics/exports/schedules";
const ZONE = "Asia/Kathmandu";
const REQUEST = { type: "sales", period: "yesterday", format: "csv", every: "day" };

const trySchedule = (as: Person, request: object = {}) =>
  call("POST", SCHEDULES, { as, body: { ...REQUEST, ...request } });

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
const schedule = async (as: Person, request: object = {}): Promise<any> =>
  must("POST", SCHEDULES, { as, body: { ...REQUEST, ...request } });

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
async function schedulesOf(as: Person): Promise<any[]> {
  return (await must("GET", `${SCHEDULES}?limit=1000`, { as })).schedules;
}

async function exportsOf(as: Person): Promise<Export[]> {
  return (await must("GET", "/api/analytics/exports?limit=1000", { as })).exports;
}

/** Makes all schedules of a tenant due, and runs the job. */
async function midnight({ tenantId }: TestTenant): Promise<void> {
  await query("update public.export_schedules set next_at = now() where tenant_id = $1", [
    tenantId,
  ]);
  await runJob("run-export-schedules");
}

/** Adds schedules of the operator to a tenant. */
async function addSchedules({ tenantId, operator }: TestTenant, many: number): Promise<void> {
  await query(
    `insert into public.export_schedules (tenant_id, asked_by, type, format, every, next_at)
     select $1, $2, 'products', 'csv', 'day', now() + interval '1 hour' from generate_series(1, $3::integer)`,
    [tenantId, operator.id, many],
  );
}

/** Fails unless the time is within five minutes. */
function expectSoon(next_at: string) {
  const minutes = (Date.parse(next_at) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(0);
  expect(minutes).toBeLessThanOrEqual(5);
}

describe("a schedule", () => {
  it("is due at the beginning of the next day, week or month of the tenant", async () => {
    const { operator } = await openTestTenant();
    await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: ZONE } });
    const clock = clockOf(ZONE);
    const today = clock(new Date()).slice(0, 10);
    const due: Record<string, string> = {};
    for (const every of ["day", "week", "month"]) {
      const { next_at } = await schedule(operator, { every });
      const [day, time] = clock(new Date(next_at)).split(" ") as [string, string];
      expect(time).toBe("00:00:00.000");
      due[every] = day;
    }
    expect(due.day).toBe(daysBefore(today, -1));
    expect(new Date(due.week as string).getUTCDay()).toBe(1);
    expect(daysBefore(due.week as string, 7) <= today && (due.week as string) > today).toBe(true);
    expect(due.month).toMatch(/-01$/);
    expect(daysBefore(due.month as string, 1).slice(0, 7)).toBe(today.slice(0, 7));

    // A new time zone moves the schedules.
    const elsewhere = "America/Sao_Paulo";
    await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: elsewhere } });
    const there = clockOf(elsewhere);
    for (const { next_at } of await schedulesOf(operator)) {
      expect(there(new Date(next_at))).toMatch(/ 00:00:00\.000$/);
    }
  });

  it("queues an export of its creator and gets the time of the next one", async () => {
    const testTenant = await openTestTenant();
    const { supplier, operator } = testTenant;
    const made = await schedule(supplier, { type: "orders", format: "json" });
    await midnight(testTenant);
    const [asked, ...others] = await exportsOf(supplier);
    expect(others).toEqual([]);
    expect(asked).toMatchObject({
      ...{ type: "orders", period: "yesterday", format: "json", asked_by: supplier.id },
      supplier_id: (await must("GET", "/auth/me", { as: supplier })).supplier_id,
    });
    await exportBecomes(operator, asked, "ready");
    const [run] = await schedulesOf(supplier);
    expect(run).toMatchObject({ id: made.id, next_at: made.next_at, last_error: null });
    expect(Date.now() - Date.parse(run.last_at)).toBeLessThan(60_000);
    // Only schedules that are due and not deleted queue exports.
    await runJob("run-export-schedules");
    expect(await exportsOf(supplier)).toHaveLength(1);
    await must("DELETE", `${SCHEDULES}/${made.id}`, { as: supplier });
    await midnight(testTenant);
    expect(await exportsOf(supplier)).toHaveLength(1);
    expect((await getExport(supplier, asked)).status).toBe("ready");
  });

  it("records why its export was refused, and is due again the next day", async () => {
    const testTenant = await openTestTenant();
    const { operator, customer, tenantId } = testTenant;
    const leaver = await registerClient(tenantId);
    const made = await schedule(leaver);
    const announced = await schedule(operator, { email: customer.email });
    await must("PATCH", `/api/members/${leaver.id}`, { as: operator, body: { role: "customer" } });
    await must("PATCH", `/api/members/${customer.id}`, {
      as: operator,
      body: { status: "suspended" },
    });
    await midnight(testTenant);
    const errors = new Map((await schedulesOf(operator)).map((one) => [one.id, one]));
    expect(errors.get(made.id)).toMatchObject({
      last_error: "The member who made the schedule may no longer see these rows.",
      next_at: made.next_at,
    });
    expect(errors.get(announced.id)).toMatchObject({
      last_error: expect.stringMatching(/active member/),
      next_at: announced.next_at,
    });
    expect(await exportsOf(operator)).toEqual([]);
  });

  it("of each month has whole months: 30 days are refused, and no period is last_month", async () => {
    const { operator } = await openTestTenant();
    const monthly = { every: "month", type: "orders" };
    const refused = await trySchedule(operator, { ...monthly, period: "30d" });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "period", value: "30d" });
    expect(refused.body.error.message).toContain("last_month");
    const whole = await schedule(operator, { ...monthly, period: undefined });
    expect(whole.period).toBe("last_month");
    // Types that are a stock of records have all of them.
    const stock = await schedule(operator, { ...monthly, type: "products", period: undefined });
    expect(stock.period).toBeNull();
    const rolling = await schedule(operator, { type: "orders", period: "30d" });
    expect(rolling.period).toBe("30d");
  });

  it("is refused with a custom period and beyond the maximum number", async () => {
    const testTenant = await openTestTenant();
    expectRefusal(
      await trySchedule(testTenant.operator, { period: "custom" }),
      422,
      "VALIDATION_ERROR",
      { field: "period" },
    );
    await addSchedules(testTenant, 99);
    await schedule(testTenant.operator);
    expectRefusal(await trySchedule(testTenant.operator), 422, "LIMIT_REACHED", {
      ...{ cap: "export_schedules_per_tenant", maximum: 100 },
    });
  });
});

interface Span {
  from: string;
  to: string;
}

/** The days of the exports that a tenant's schedules have queued, the earliest first. Deletes the exports. */
function takeSpans({ tenantId }: TestTenant): Promise<Span[]> {
  return query<Span>(
    `with gone as (delete from public.exports where tenant_id = $1 returning "from", "to")
     select "from"::text, "to"::text from gone order by "from", "to"`,
    [tenantId],
  );
}

/** Runs a schedule as if a year and a month had passed since its first run: with each change of the clocks. */
async function passOneYear(id: string, zone: string): Promise<void> {
  await query(`
    do $$
    declare
      schedule public.export_schedules;
    begin
      update public.export_schedules s
      set next_at = private.next_export_at(s.every, '${zone}', now() - interval '13 months')
      where s.id = '${id}';
      loop
        select * into schedule from public.export_schedules s where s.id = '${id}';
        exit when schedule.next_at > now();
        perform private.run_export_schedule(schedule);
        delete from private.export_jobs j where j.tenant_id = schedule.tenant_id;
        delete from private.jobs j where j.tenant_id = schedule.tenant_id;
      end loop;
    end
    $$`);
}

describe("the files of a schedule", () => {
  it.each([
    "Pacific/Kiritimati",
    "America/Los_Angeles",
    "Africa/Cairo",
    "America/Havana",
    "Asia/Kathmandu",
  ])("contain each day of a year once in %s", async (zone) => {
    const testTenant = await openTestTenant();
    const { operator } = testTenant;
    await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: zone } });
    const today = clockOf(zone)(new Date()).slice(0, 10);
    for (const [every, period] of [
      ["day", "yesterday"],
      ["day", "today"],
      ["week", "7d"],
      ["week", "last_week"],
      ["month", "last_month"],
    ]) {
      const { id } = await schedule(operator, { every, period, type: "orders" });
      await passOneYear(id, zone);
      const spans = await takeSpans(testTenant);
      const named = `${every} ${period}`;
      expect([named, spans.length >= 12]).toEqual([named, true]);
      for (const [index, span] of spans.entries()) {
        const before = spans[index - 1];
        if (before) expect([named, span.from]).toEqual([named, daysBefore(before.to, -1)]);
      }
      // The last period is over, and the next one is not.
      const last = spans.at(-1)?.to as string;
      expect([named, last < today]).toEqual([named, true]);
      const longest = { day: 1, week: 7, month: 31 }[every as "day" | "week" | "month"];
      expect([named, daysBefore(today, longest) <= last]).toEqual([named, true]);
      if (every === "week") expect(new Date(last).getUTCDay()).toBe(0);
      if (every === "month") expect(daysBefore(last, -1)).toMatch(/-01$/);
      await must("DELETE", `${SCHEDULES}/${id}`, { as: operator });
    }
  });

  it("have the days of when they were due, if they had to wait", async () => {
    const testTenant = await openTestTenant();
    const { operator } = testTenant;
    const { id } = await schedule(operator, { type: "orders" });
    await query(
      `update public.export_schedules set next_at = now(), delayed_from = now() - interval '3 days' where id = $1`,
      [id],
    );
    const today = clockOf("UTC")(new Date()).slice(0, 10);
    // Those that were missed follow one after the other.
    for (const _ of [4, 3, 2, 1]) await runJob("run-export-schedules");
    expect((await takeSpans(testTenant)).map(({ from, to }) => [from, to])).toEqual(
      [4, 3, 2, 1].map((days) => [daysBefore(today, days), daysBefore(today, days)]),
    );
    expect(await schedulesOf(operator)).toMatchObject([{ last_error: null }]);
  });

  it("leave no day out if an export could not be queued for a moment", async () => {
    const testTenant = await openTestTenant();
    const { operator, tenantId } = testTenant;
    await schedule(operator, { type: "orders" });
    const today = clockOf("UTC")(new Date()).slice(0, 10);
    await query(
      `create function private.fail_to_queue() returns trigger language plpgsql as $$
       begin raise exception 'disk full' using errcode = 'disk_full'; end $$`,
    );
    onTestFinished(async () => void (await query("drop function private.fail_to_queue cascade")));
    await query(
      `create trigger exports_fail_to_queue before insert on public.exports
       for each row when (new.tenant_id = '${tenantId}') execute function private.fail_to_queue()`,
    );
    await midnight(testTenant);
    const [failed] = await schedulesOf(operator);
    expect(failed.last_error).toMatch(/disk full/);
    expectSoon(failed.next_at);
    await query("drop trigger exports_fail_to_queue on public.exports");
    await query("update public.export_schedules set next_at = now() where tenant_id = $1", [
      tenantId,
    ]);
    await runJob("run-export-schedules");
    const yesterday = daysBefore(today, 1);
    expect(await takeSpans(testTenant)).toEqual([{ from: yesterday, to: yesterday }]);
    expect(await schedulesOf(operator)).toMatchObject([{ last_error: null }]);
  });

  it.each([
    ["Pacific/Kiritimati", "America/Los_Angeles"],
    ["America/Los_Angeles", "Pacific/Kiritimati"],
  ])("leave no time out after a change from %s to %s", async (before, after) => {
    const testTenant = await openTestTenant();
    const { operator } = testTenant;
    const live = (time_zone: string) =>
      must("PATCH", "/api/tenant", { as: operator, body: { time_zone } });
    await live(before);
    await schedule(operator, { type: "orders" });
    await midnight(testTenant);
    const { schedules } = await must("GET", SCHEDULES, { as: operator });
    expect(schedules).toMatchObject([{ last_error: null }]);
    const [last] = await takeSpans(testTenant);
    expect(last).toBeDefined();
    await live(after);
    // The next period begins before the last one ended, by less than a day.
    const [found] = await query(
      `select ended_at - begins_at between interval '0' and interval '25 hours' as continues
       from public.export_schedules s,
         cast((s.next_at at time zone $2)::date - 1 as timestamp) as day,
         cast(day at time zone $2 as timestamptz) as begins_at,
         cast(($3::date + 1)::timestamp at time zone $4 as timestamptz) as ended_at
       where s.tenant_id = $1`,
      [testTenant.tenantId, after, last?.to, before],
    );
    expect(found).toEqual({ continues: true });
  });

  it("can be of the last week, month and quarter on request", async () => {
    const { operator } = await openTestTenant();
    const today = clockOf("UTC")(new Date()).slice(0, 10);
    const spanOf = async (period: string): Promise<Span> => {
      const body = { type: "orders", format: "csv", period };
      const { from, to } = await must("POST", "/api/analytics/export", { as: operator, body });
      const figures = await must("GET", `/api/analytics/overview?period=${period}`, {
        as: operator,
      });
      expect({ from: figures.from, to: figures.to }).toEqual({ from, to });
      return { from, to };
    };
    const week = await spanOf("last_week");
    expect(new Date(week.from).getUTCDay()).toBe(1);
    expect(daysBefore(week.to, 6)).toBe(week.from);
    expect(week.to < today && daysBefore(today, 7) <= week.to).toBe(true);
    const month = await spanOf("last_month");
    expect(month.from).toMatch(/-01$/);
    expect(daysBefore(month.to, -1)).toBe(`${today.slice(0, 7)}-01`);
    const quarter = await spanOf("last_quarter");
    expect(quarter.from).toMatch(/-(01|04|07|10)-01$/);
    expect(daysBefore(quarter.to, -1)).toMatch(/-(01|04|07|10)-01$/);
    expect(daysBefore(today, 92) <= quarter.to && quarter.to < today).toBe(true);
  });
});

describe("schedules for which too many exports are pending", () => {
  it("are due again in five minutes", async () => {
    const testTenant = await openTestTenant();
    const { operator, tenantId } = testTenant;
    const obstacle = await occupy(tenantId);
    await addSchedules(testTenant, 25);
    await midnight(testTenant);
    const waiting = (await schedulesOf(operator)).filter(({ last_error }) => last_error);
    expect(waiting).toHaveLength(6);
    for (const { last_error, next_at } of waiting) {
      expect(last_error).toMatch(/Too many exports wait/);
      expectSoon(next_at);
    }
    await vacate(obstacle);
    for (const asked of await exportsOf(operator)) await exportBecomes(operator, asked, "ready");
    await query("update public.export_schedules set next_at = now() where id = any ($1)", [
      waiting.map(({ id }) => id),
    ]);
    await runJob("run-export-schedules");
    expect((await schedulesOf(operator)).filter(({ last_error }) => last_error)).toEqual([]);
    expect(await exportsOf(operator)).toHaveLength(25);
  });

  // PGlite has one session.
  it.runIf(process.env.DATABASE_URL)(
    "are due again soon if another request holds the lock",
    async () => {
      const testTenant = await openTestTenant();
      await schedule(testTenant.operator);
      const other = new pg.Client({ connectionString: stackInUse().db_url as string });
      await other.connect();
      try {
        await other.query("begin");
        await other.query("select private.hold('exports', $1)", [testTenant.tenantId]);
        await midnight(testTenant);
      } finally {
        await other.end();
      }
      const [held] = await schedulesOf(testTenant.operator);
      expect(held.last_error).toMatch(/Another request is changing the same record/);
      expectSoon(held.next_at);
      await midnight(testTenant);
      expect(await schedulesOf(testTenant.operator)).toMatchObject([{ last_error: null }]);
    },
  );
});
