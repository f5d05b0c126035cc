import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createDispatcher,
  type Dependencies,
  type DispatcherOptions,
  type Done,
  type LeaseOptions,
} from "../../supabase/functions/_shared/webhooks/dispatch.ts";
import type { Outcome } from "../../supabase/functions/_shared/webhooks/send.ts";
import type { LeasedDelivery } from "../../supabase/functions/_shared/webhooks/sender.ts";
import { query } from "../database.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import { chance, SEED } from "../random.js";
import { must, type Person, register, supabaseAsService } from "../souk.js";
import {
  arrived,
  attempted,
  happened,
  listen,
  logs,
  receiver,
  wakeDispatcher,
} from "./receiving.js";

// The stack's dispatcher, and dispatchers that run in this process on the same database.

const EVENTS = ["content.created"];
/** PGlite has one session: while it writes so many rows, all others wait. */
const BACKLOG = process.env.DATABASE_URL ? 10_000 : 500;

/** The number of actions of each caller in the race. */
const RACE_STEPS = 60;

const END_LEASES = "update private.webhook_leases set leased_until = '-infinity' where";

/** Records results, and takes deliveries of some webhooks only. Deliveries of other tests are returned to the stack. */
async function take(
  webhooks: { id: string }[],
  dispatcher: string,
  done: Done[],
  options: Partial<LeaseOptions>,
): Promise<LeasedDelivery[]> {
  const { data } = await supabaseAsService()
    .rpc("lease_webhook_deliveries", { dispatcher, done, ...options })
    .throwOnError();
  const isOurs = ({ webhook_id }: LeasedDelivery) => webhooks.some(({ id }) => id === webhook_id);
  const others = (data as LeasedDelivery[]).filter((taken) => !isOurs(taken)).map(({ id }) => id);
  if (others.length > 0) {
    await query(`${END_LEASES} delivery_id = any ($1)`, [others]);
    await wakeDispatcher();
  }
  return data.filter(isOurs);
}

type Lease = Pick<Done, "id" | "webhook_id" | "leased_until" | "url">;

function outcome(response_code: number): Outcome {
  return {
    started_at: new Date().toISOString(),
    duration_ms: 1,
    response_code,
    response_body: "",
    retry_after_seconds: null,
    error: response_code < 300 ? null : `the receiver answered ${response_code}`,
  };
}

/** Runs work in one transaction, as a superuser. */
async function transaction<T>(
  end: "commit" | "rollback",
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: ownStack.db_url as string });
  await client.connect();
  try {
    await client.query("begin");
    const made = await work(client);
    await client.query(end);
    return made;
  } finally {
    // This rolls back an open transaction.
    await client.end();
  }
}

/** A dispatcher with a minimal sender. */
function dispatcherHere(webhooks: { id: string }[]) {
  return createDispatcher({
    lease: (dispatcher, done, options) => take(webhooks, dispatcher, done, options),
    readBody: () => Promise.reject(new Error("it came with the delivery")),
    async send({ url, id, body }) {
      const answer = await fetch(url, { method: "POST", headers: { "x-webhook-id": id }, body });
      return outcome(answer.status);
    },
    reportError(error) {
      throw error;
    },
  });
}

/** Counts the requests of each delivery, and the maximum of concurrent requests. */
async function openCounter(answerAfterMs = 5) {
  const times = new Map<string, number>();
  let underWay = 0;
  let most = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    const id = String(request.headers["x-webhook-id"]);
    times.set(id, (times.get(id) ?? 0) + 1);
    request.resume().on("end", () => {
      // Other requests may arrive in between.
      setTimeout(() => {
        underWay -= 1;
        response.end();
      }, answerAfterMs);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, times, most: () => most };
}

function webhookFor(as: Person, url: string) {
  return must("POST", "/api/webhooks", { as, body: { url, events: EVENTS } });
}

describe("a lease", () => {
  /** A delivery whose dispatcher crashed. The stack's own dispatcher had attempted it before. */
  async function abandoned() {
    const operator = await register({ tenant_name: "Oasis" });
    const there = await listen(operator, EVENTS);
    there.answers.push(500);
    await happened(operator.tenantId, 1);
    await attempted(operator, there.webhook, 1);
    return { operator, ...there, taken: await takeAtOnce(there.webhook) };
  }

  /** Makes a webhook's only delivery due and takes it, in one transaction. */
  async function takeAtOnce(webhook: { id: string }): Promise<Lease> {
    const [ours, others] = await transaction("commit", async (client) => {
      await client.query(
        `update public.webhook_deliveries set next_attempt_at = to_timestamp(0)
         where webhook_id = $1`,
        [webhook.id],
      );
      await client.query(`${END_LEASES} webhook_id = $1`, [webhook.id]);
      const { rows } = await client.query(
        `select id, webhook_id, leased_until::text, url
         from public.lease_webhook_deliveries(gen_random_uuid(), '[]', 1000)`,
      );
      const others = rows.filter(({ webhook_id }) => webhook_id !== webhook.id);
      await client.query(`${END_LEASES} delivery_id = any ($1)`, [others.map(({ id }) => id)]);
      return [rows.find(({ webhook_id }) => webhook_id === webhook.id), others];
    });
    if (others.length > 0) await wakeDispatcher();
    return ours;
  }

  /** Records results without taking deliveries. */
  const record = (done: Done[]) => take([], randomUUID(), done, { batch: 0 });

  it("expires when its dispatcher crashes, and protects the delivery until then", async () => {
    const { operator, webhook, received, taken } = await abandoned();
    const next = await listen(operator, EVENTS);
    await happened(operator.tenantId, 1);
    // A later delivery has arrived, so this one would have arrived, too.
    await arrived(next, 1);
    await arrived({ received }, 2);
    const ids = () => received.map(({ headers }) => headers["x-webhook-id"]);
    expect(ids().filter((id) => id === taken.id)).toHaveLength(1);

    await query(`${END_LEASES} webhook_id = $1`, [webhook.id]);
    await wakeDispatcher();
    await arrived({ received }, 3);
    expect(ids().filter((id) => id === taken.id)).toHaveLength(2);
    expect(received.at(-1)?.body).toBe(received[0]?.body);
  });

  it("that was lost gives its dispatcher no more effect", async () => {
    const { operator, webhook, taken } = await abandoned();
    const held = await takeAtOnce(webhook);
    expect(held.id).toBe(taken.id);
    const before = await logs(operator, webhook);

    await record([{ ...taken, ...outcome(200) }]);
    expect(await logs(operator, webhook)).toEqual(before);
    await record([{ ...held, ...outcome(500) }]);
    const after = await logs(operator, webhook);
    expect(after).toMatchObject([{ status: "retrying", attempts: 2 }]);
    // A repeated result does not count twice.
    await record([{ ...held, ...outcome(500) }]);
    await record([{ ...taken, ...outcome(410) }]);
    expect(await logs(operator, webhook)).toEqual(after);
    const path = `/api/webhooks/${webhook.id}/deliveries/${taken.id}`;
    expect((await must("GET", path, { as: operator })).history).toHaveLength(2);
  });

  it("that has expired but was not taken over can still be recorded", async () => {
    const { operator, webhook, taken } = await abandoned();
    // In one transaction, so that no other dispatcher can take it over.
    await transaction("commit", async (client) => {
      const ended = `${END_LEASES} webhook_id = $1 returning leased_until::text`;
      const { rows } = await client.query(ended, [webhook.id]);
      const done = [{ ...taken, ...rows[0], ...outcome(200) }];
      await client.query("select public.lease_webhook_deliveries(gen_random_uuid(), $1, 0)", [
        JSON.stringify(done),
      ]);
    });
    expect(await logs(operator, webhook)).toMatchObject([{ status: "success", attempts: 2 }]);
  });

  it("can be recorded after its webhook was disabled, and then there is no retry", async () => {
    const { operator, webhook, taken } = await abandoned();
    const body = { active: false };
    await must("PUT", `/api/webhooks/${webhook.id}`, { as: operator, body });
    await record([{ ...taken, ...outcome(500) }]);
    expect(await logs(operator, webhook)).toMatchObject([
      { status: "failed", attempts: 2, next_attempt_at: null, error: "the receiver answered 500" },
    ]);
  });
});

describe("several dispatchers", () => {
  it.each([2, 5])("of %i concurrent ones none sends the same as another", async (count) => {
    const people = await Promise.all([1, 2].map(() => register({ tenant_name: "Oasis" })));
    const counters = await Promise.all([1, 2, 3].map(() => openCounter()));
    const [first, second] = people as [Person, Person];
    const [a, b, c] = counters as [Counter, Counter, Counter];
    const webhooks = await Promise.all([
      webhookFor(first, a.url),
      webhookFor(first, b.url),
      webhookFor(second, c.url),
    ]);
    const here = Array.from({ length: count }, () => dispatcherHere(webhooks));
    await Promise.all(people.map(({ tenantId }) => happened(tenantId, 60)));
    await eventuallyNone(async () => {
      await Promise.all(here.map(({ wake }) => wake()));
      return counters.reduce((left, { times }) => left - times.size, 3 * 60);
    });
    for (const { times, most } of counters) {
      expect([...times.values()]).toEqual(Array(60).fill(1));
      expect(most()).toBeLessThanOrEqual(10);
    }
  });
});

it(`any race, seed ${SEED}: each delivery that is due waits or is in flight`, async () => {
  const operator = await register({ tenant_name: "Oasis" });
  const webhook = await webhookFor(operator, (await openCounter(1)).url);
  await happened(operator.tenantId, 40);
  const ids = (
    await query<{ id: string }>("select id from public.webhook_deliveries where webhook_id = $1", [
      webhook.id,
    ])
  ).map(({ id }) => id);
  const some = () => ids.filter(() => chance(20));

  async function race(step: () => Promise<unknown>) {
    for (let steps = 0; steps < RACE_STEPS; steps++) {
      await step().catch((error) => {
        // A transaction that is rolled back by a deadlock has no effect.
        if (error.code !== "40P01") throw error;
      });
    }
  }
  /** A dispatcher that forgets some deliveries, releases some without an attempt and fails with others. */
  function careless() {
    const dispatcher = randomUUID();
    let done: Done[] = [];
    return async () => {
      const taken = await take([webhook], dispatcher, done, { batch: 20 });
      done = taken
        .filter(() => chance(80))
        .map(({ id, webhook_id, leased_until, url }) => ({
          ...{ id, webhook_id, leased_until, url },
          ...(chance(70) ? outcome(chance(50) ? 200 : 500) : {}),
        }));
    };
  }
  await Promise.all([
    ...[1, 2, 3].map(() => race(careless())),
    race(() => query("select private.send_again($1)", [some()])),
    race(() => query(`${END_LEASES} delivery_id = any ($1)`, [some()])),
    race(async () => {
      for (const active of [false, true])
        await query("update public.webhooks set active = $2 where id = $1", [webhook.id, active]);
    }),
  ]);
  const lost = await query(
    `select d.id, d.status
     from public.webhook_deliveries d
     where d.webhook_id = $1 and d.next_attempt_at is not null
       and not exists (select 1 from private.webhook_queue q where q.delivery_id = d.id)
       and not exists (select 1 from private.webhook_leases l where l.delivery_id = d.id)`,
    [webhook.id],
  );
  expect(lost).toEqual([]);
});

type Counter = Awaited<ReturnType<typeof openCounter>>;

describe("a hanging receiver", () => {
  it("has at most ten requests in flight, however many are due", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const there = await listen(operator, EVENTS);
    there.answers.push(...Array<"never">(40).fill("never"));
    await happened(operator.tenantId, 25);
    await arrived(there, 10);
    const next = await listen(operator, EVENTS);
    await happened(operator.tenantId, 1);
    await arrived(next, 1);
    await Promise.all([dispatcherHere([there.webhook]).wake(), wakeDispatcher()]);
    expect(there.received).toHaveLength(10);
  });

  it("delays no other, not even of its own tenant, also when there are forty", async () => {
    const { people, healthy } = await openHealthy();
    const slow = await register({ tenant_name: "Slow" });
    const hanging = await receiver();
    hanging.answers.push(...Array<"never">(1_000).fill("never"));
    const hangingWebhooks = await Promise.all(
      Array.from({ length: 40 }, () => webhookFor(slow, hanging.url)),
    );
    await happened(slow.tenantId, 10);
    await arrived(hanging, 60);

    const neighbour = await listen(slow, EVENTS);
    await Promise.all([...people, slow].map(({ tenantId }) => happened(tenantId, 5)));
    await Promise.all([...healthy, neighbour].map((there) => arrived(there, 5)));

    // None had to wait until these timed out.
    const { data } = await supabaseAsService()
      .from("webhook_deliveries")
      .select("attempts")
      .in(
        "webhook_id",
        hangingWebhooks.map(({ id }) => id),
      )
      .gt("attempts", 0)
      .throwOnError();
    expect(data).toEqual([]);
    for (const { id } of hangingWebhooks) await must("DELETE", `/api/webhooks/${id}`, { as: slow });
  });
});

/** Receivers of three tenants that answer immediately. */
async function openHealthy() {
  const people = await Promise.all([1, 2, 3].map(() => register({ tenant_name: "Oasis" })));
  const healthy = await Promise.all(people.map((person) => listen(person, EVENTS)));
  return { people, healthy };
}

it("a receiver with thousands of due deliveries delays no other", async () => {
  const { people, healthy } = await openHealthy();
  const busy = await register({ tenant_name: "Market" });
  const crowd = await openCounter(100);
  const crowded = await webhookFor(busy, crowd.url);
  await happened(busy.tenantId, BACKLOG);
  await Promise.all(people.map(({ tenantId }) => happened(tenantId, 5)));
  await Promise.all(healthy.map((there) => arrived(there, 5)));
  expect(crowd.times.size).toBeLessThan(BACKLOG);
  await must("DELETE", `/api/webhooks/${crowded.id}`, { as: busy });
});

it("a very large event for a hundred webhooks delays no other", async () => {
  const { people, healthy } = await openHealthy();
  const greedy = await register({ tenant_name: "Quarry" });
  const quarry = await openCounter();
  const { data: webhooks } = await supabaseAsService()
    .from("webhooks")
    .insert(
      Array.from({ length: 80 }, () => ({
        ...{ tenant_id: greedy.tenantId, url: quarry.url, events: EVENTS },
      })),
    )
    .select("id")
    .throwOnError();
  // Such an event may be older than the maximum size: together its deliveries exceed a dispatcher's memory.
  await query(
    `insert into public.events (tenant_id, name, payload)
     values ($1, 'content.created', to_jsonb(repeat('x', 5000000)))`,
    [greedy.tenantId],
  );
  await Promise.all(people.map(({ tenantId }) => happened(tenantId, 5)));
  await Promise.all(healthy.map((there) => arrived(there, 5)));
  await eventually(() => expect(quarry.times.size).toBeGreaterThanOrEqual(8));
  await supabaseAsService()
    .from("webhooks")
    .delete()
    .in(
      "id",
      webhooks.map(({ id }) => id),
    )
    .throwOnError();
});

describe("the database", () => {
  /** A transaction that is rolled back. */
  const within = <T>(work: (client: pg.Client) => Promise<T>) => transaction("rollback", work);

  it("wakes the dispatcher once per transaction, however many events it writes", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    await Promise.all([1, 2].map(() => webhookFor(operator, "https://shop.example.com/")));
    const wakes = await within(async (client) => {
      // Otherwise it might rely on a wake of another transaction.
      await client.query("delete from private.wakes");
      for (let i = 0; i < 3; i++) {
        await client.query(
          `insert into public.events (tenant_id, name, payload)
           select $1, 'content.created', '{}' from generate_series(1, 2)`,
          [operator.tenantId],
        );
      }
      const { rows } = await client.query(
        `select count(*)::integer as wakes from net.http_request_queue
         where url like '%/webhook-dispatch' and xmin = pg_current_xact_id()::xid`,
      );
      return rows[0].wakes;
    });
    expect(wakes).toBe(1);
  });

  /** Hides the deliveries of other tests without changing them. */
  async function alone(client: pg.Client) {
    await client.query(
      "lock table public.webhook_deliveries, private.webhook_queue in share row exclusive mode",
    );
    await client.query("delete from private.webhook_queue");
  }

  async function write(
    client: pg.Client,
    webhook: { id: string },
    count: number,
    [status, next] = ["pending", "now()"],
  ) {
    await client.query(
      `insert into public.webhook_deliveries
         (tenant_id, webhook_id, event_id, event, event_at, status, next_attempt_at)
       select w.tenant_id, w.id, gen_random_uuid(), 'content.created', now(), $3::public.delivery_status, ${next}
       from public.webhooks w, generate_series(1, $2::integer)
       where w.id = $1`,
      [webhook.id, count, status],
    );
  }

  async function taken(
    client: pg.Client,
    dispatcher: string = randomUUID(),
    done: Done[] = [],
    batch = 100,
  ): Promise<Lease[]> {
    const { rows } = await client.query(
      `select id, webhook_id, leased_until::text, url
       from public.lease_webhook_deliveries($1, $2, $3)`,
      [dispatcher, JSON.stringify(done), batch],
    );
    return rows;
  }

  const answered = (leases: Lease[], duration_ms: number): Done[] =>
    leases.map((lease) => ({ ...lease, ...outcome(200), duration_ms }));

  /** A webhook with this many due deliveries, and no others, in a transaction that is rolled back. */
  async function withDue(
    count: number,
    work: (client: pg.Client, webhook: { id: string }) => Promise<void>,
  ) {
    const operator = await register({ tenant_name: "Oasis" });
    const webhook = await webhookFor(operator, "https://shop.example.com/");
    await within(async (client) => {
      await alone(client);
      await write(client, webhook, count);
      await work(client, webhook);
    });
  }

  it("prefetches deliveries of a fast receiver for a dispatcher that has it alone", async () => {
    await withDue(200, async (client) => {
      const [a, b] = [randomUUID(), randomUUID()];
      const first = await taken(client, a);
      expect(first).toHaveLength(10);
      const quick = await taken(client, a, answered(first, 49));
      expect(quick).toHaveLength(30);
      const slow = await taken(client, a, answered(quick, 50));
      expect(slow).toHaveLength(10);
      const refused = slow.map((lease) => ({ ...lease, ...outcome(200), response_code: null }));
      const rest = await taken(client, a, refused);
      expect(rest).toHaveLength(10);

      const beside = await taken(client, a, answered(rest.slice(0, 5), 1));
      expect(beside).toHaveLength(15);
      expect(await taken(client, b)).toEqual([]);

      // Two dispatchers share ten, and neither prefetches.
      await taken(client, a, answered(beside, 1), 0);
      expect(await taken(client, b)).toHaveLength(5);
      expect(await taken(client, a, answered(rest.slice(5), 1))).toHaveLength(5);
    });
  });

  it("accepts deliveries back that a dispatcher has not attempted", async () => {
    await withDue(10, async (client, webhook) => {
      const first = await taken(client);
      expect(await taken(client)).toEqual([]);
      const again = await taken(client, randomUUID(), first.slice(3));
      expect(again.map(({ id }) => id).toSorted()).toEqual(
        first
          .slice(3)
          .map(({ id }) => id)
          .toSorted(),
      );
      const { rows } = await client.query(
        `select d.status, d.attempts, a.attempt
         from public.webhook_deliveries d
         left join public.webhook_attempts a on a.delivery_id = d.id
         where d.webhook_id = $1`,
        [webhook.id],
      );
      expect(rows).toEqual(Array(10).fill({ status: "pending", attempts: 0, attempt: null }));
    });
  });

  /** Writes events with bodies of these sizes in bytes, in the order of their deliveries. */
  async function writeBodies(client: pg.Client, tenantId: string, sizes: number[]) {
    for (const size of sizes) {
      await client.query(
        `insert into public.events (tenant_id, name, payload)
         values ($1, 'content.created', to_jsonb(repeat('x', $2 - 2)))`,
        [tenantId, size],
      );
    }
  }

  /** The bodies, by tenant, that a dispatcher with this much memory takes now. */
  async function bodies(client: pg.Client, batch = 200, room: number | null = null) {
    const { rows } = await client.query(
      `select w.tenant_id, t.bytes, length(t.body) as length
       from public.lease_webhook_deliveries(gen_random_uuid(), '[]', $1, $2) t
       join public.webhooks w on w.id = t.webhook_id`,
      [batch, room],
    );
    for (const { bytes, length } of rows) expect(bytes).toBe(length);
    return (tenantId: string) =>
      rows.filter(({ tenant_id }) => tenant_id === tenantId).map(({ bytes }) => bytes as number);
  }

  it("returns at most 8 MB of bodies per batch, half of that per tenant, but at least one", async () => {
    const people = await Promise.all(
      ["Oasis", "Market"].map((tenant_name) => register({ tenant_name })),
    );
    const [large, small] = people as [Person, Person];
    for (let n = 0; n < 5; n++) await webhookFor(large, "https://shop.example.com/");
    await webhookFor(small, "https://shop.example.com/");
    await within(async (client) => {
      await alone(client);
      await client.query("select public.set_cap('dispatch_bytes', 10000)");
      await writeBodies(client, large.tenantId, [2000, 2000, 2000]);
      await writeBodies(client, small.tenantId, Array(40).fill(100));
      const first = await bodies(client);
      expect(first(large.tenantId)).toEqual([2000, 2000]);
      expect(first(small.tenantId).length).toBeGreaterThanOrEqual(10);
      // Half of the large tenant's deliveries is in flight, and the others have their share.
      await client.query(
        "update private.webhook_leases set leased_until = '-infinity' where tenant_id = $1",
        [small.tenantId],
      );
      const next = await bodies(client);
      expect(next(large.tenantId)).toEqual([]);
      expect(next(small.tenantId)).toHaveLength(10);

      const end = () =>
        client.query("delete from private.webhook_leases where tenant_id = any ($1)", [
          people.map(({ tenantId }) => tenantId),
        ]);
      await end();
      const little = await bodies(client, 200, 500);
      expect([little(large.tenantId), little(small.tenantId)]).toEqual(
        // The first tenant is random. A body that does not fit ends the batch.
        little(large.tenantId).length > 0 ? [[2000], []] : [[], [100]],
      );
      expect((await bodies(client, 200, 0))(small.tenantId)).toEqual([]);

      await end();
      await client.query("delete from private.webhook_queue");
      await writeBodies(client, large.tenantId, [50_000]);
      expect((await bodies(client))(large.tenantId)).toEqual([50_000]);
      expect((await bodies(client))(large.tenantId)).toEqual([]);
    });
  });

  it("has at most a hundred deliveries of a tenant in flight, oldest of each webhook first", async () => {
    const [slow, other] = await Promise.all(
      ["Slow", "Oasis"].map((tenant_name) => register({ tenant_name })),
    );
    const { data: hanging } = await supabaseAsService()
      .from("webhooks")
      .insert(
        Array.from({ length: 60 }, () => ({
          ...{ tenant_id: slow?.tenantId, url: "https://shop.example.com/", events: EVENTS },
        })),
      )
      .select("id")
      .throwOnError();
    const healthy = await webhookFor(other as Person, "https://shop.example.com/");
    await within(async (client) => {
      await alone(client);
      for (const webhook of hanging) await write(client, webhook, 12);
      let under = 0;
      for (let turn = 0; turn < 3; turn++) {
        const leases = await taken(client, randomUUID(), [], 200);
        under += leases.length;
        if (turn === 0) expect(new Set(leases.map(({ webhook_id }) => webhook_id)).size).toBe(60);
      }
      expect(under).toBeGreaterThanOrEqual(80);
      expect(under).toBeLessThanOrEqual(100);
      await write(client, healthy, 12);
      const next = await taken(client, randomUUID(), [], 200);
      expect(next.filter(({ webhook_id }) => webhook_id === healthy.id).length).toBeGreaterThan(5);
    });
  });

  it("counts crashes during a delivery, and ends it after five", async () => {
    await withDue(1, async (client, webhook) => {
      const row = async () => {
        const { rows } = await client.query(
          `select status, attempts, error, extract(epoch from next_attempt_at - now())::integer as wait
           from public.webhook_deliveries where webhook_id = $1`,
          [webhook.id],
        );
        return rows[0];
      };
      const error = "the dispatcher ended before it could tell what came of it";
      for (const [attempt, wait] of [60, 300, 900, 3600, null].entries()) {
        const [lease] = await taken(client);
        expect(await row()).toMatchObject({ attempts: attempt });
        // A delivery that is returned without an attempt does not count.
        await taken(client, randomUUID(), [lease as Lease]);
        expect(await row()).toMatchObject({ attempts: attempt });
        await client.query(
          `update private.webhook_leases set leased_until = now() - interval '1 second'
           where webhook_id = $1`,
          [webhook.id],
        );
        expect(await taken(client)).toEqual([]);
        const after = await row();
        expect(after).toMatchObject({
          ...{ status: wait === null ? "failed" : "retrying", attempts: attempt + 1, error },
        });
        if (wait === null) expect(after.wait).toBeNull();
        else expect(after.wait / wait).toBeCloseTo(1.05, 0.9);
        // A late result of that dispatcher does not count again.
        await taken(client, randomUUID(), [{ ...(lease as Lease), ...outcome(200) }]);
        expect(await row()).toEqual(after);
        await client.query(
          `update public.webhook_deliveries set next_attempt_at = now()
           where webhook_id = $1 and next_attempt_at is not null`,
          [webhook.id],
        );
      }
      expect(await taken(client)).toEqual([]);
      const { rows: attempts } = await client.query(
        `select a.attempt, a.error from public.webhook_attempts a
         where a.webhook_id = $1 order by a.attempt`,
        [webhook.id],
      );
      expect(attempts).toEqual([1, 2, 3, 4, 5].map((attempt) => ({ attempt, error })));
    });
  });

  it("takes deliveries one by one after a failed batch, and ends the failing one", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const webhook = await webhookFor(operator, "https://shop.example.com/");
    await within(async (client) => {
      await alone(client);
      await client.query(
        `insert into public.events (tenant_id, name, payload)
         select $1, 'content.created', to_jsonb(case when n = 1 then 'poison' else 'well' end)
         from generate_series(1, 10) as n`,
        [operator.tenantId],
      );
      let turns = 0;
      let sent = 0;
      const { wake } = createDispatcher(
        {
          async lease(dispatcher, done, { batch, room, with_bodies }) {
            turns += 1;
            await client.query("savepoint turn");
            const { rows } = await client.query(
              `select t.*, t.leased_until::text
               from public.lease_webhook_deliveries($1, $2, $3, $4, $5) t`,
              [dispatcher, JSON.stringify(done), batch, room, with_bodies],
            );
            // Simulates a database without enough memory for it.
            if (!rows.some(({ body }) => body?.includes("poison"))) return rows;
            await client.query("rollback to turn");
            throw new Error("out of memory");
          },
          async readBody(id) {
            const { rows } = await client.query("select public.webhook_body($1) as body", [id]);
            if (rows[0].body.includes("poison")) throw new Error("out of memory");
            return rows[0].body;
          },
          async send() {
            sent += 1;
            return outcome(200);
          },
          reportError() {},
        },
        { pauseMs: 1 },
      );
      for (let attempts = 1; attempts < 5; attempts++) {
        await wake();
        expect(sent).toBe(9);
        const { rows } = await client.query(
          `update public.webhook_deliveries set next_attempt_at = now()
           where webhook_id = $1 and status = 'retrying' returning attempts, error`,
          [webhook.id],
        );
        expect(rows).toEqual([{ attempts, error: "the delivery could not be sent" }]);
      }
      await wake();
      const { rows } = await client.query(
        `select status, attempts, count(*)::integer from public.webhook_deliveries
         where webhook_id = $1 group by 1, 2 order by 1`,
        [webhook.id],
      );
      expect(rows).toEqual([
        { status: "success", attempts: 1, count: 9 },
        { status: "failed", attempts: 5, count: 1 },
      ]);
      // Afterwards batches work as before.
      const before = turns;
      await wake();
      expect(turns).toBe(before + 1);
    });
  });

  it("retries failed deliveries in batches, oldest first", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const webhook = await webhookFor(operator, "https://shop.example.com/");
    await within(async (client) => {
      await alone(client);
      await writeBodies(client, operator.tenantId, [10, 20, 30]);
      await client.query(
        `update public.webhook_deliveries set status = 'failed', next_attempt_at = null, error = 'x'
         where webhook_id = $1`,
        [webhook.id],
      );
      await client.query("select public.set_cap('deliveries_recovered', 2)");
      await client.query("select set_config('request.jwt.claims', $1, true)", [
        JSON.stringify({
          sub: operator.id,
          role: "authenticated",
          tenant_id: operator.tenantId,
        }),
      ]);
      const recovered = async () => {
        const { rows } = await client.query(
          "select private.recover_webhook($1, '-infinity') as made",
          [webhook.id],
        );
        return rows[0].made;
      };
      expect(await recovered()).toEqual({ recovered: 2, more: true });
      const { rows } = await client.query(
        `select e.bytes from public.webhook_deliveries d
         join public.events e on e.id = d.event_id where d.webhook_id = $1 and d.status = 'failed'`,
        [webhook.id],
      );
      expect(rows).toEqual([{ bytes: 30 }]);
      expect(await recovered()).toEqual({ recovered: 1, more: false });
      expect(await recovered()).toEqual({ recovered: 0, more: false });
    });
  });

  it("ends some pending deliveries when a webhook is disabled, and the rest in sweeps", async () => {
    await withDue(250, async (client, webhook) => {
      await client.query("update public.webhooks set active = false where id = $1", [webhook.id]);
      const left = async () => {
        const { rows } = await client.query(
          `select count(*)::integer as left from public.webhook_deliveries
           where webhook_id = $1 and next_attempt_at is not null`,
          [webhook.id],
        );
        return rows[0].left;
      };
      expect(await left()).toBe(150);
      // None of them is sent, even before it has ended.
      expect(await taken(client)).toEqual([]);
      await client.query("select private.end_switched_off(100)");
      expect(await left()).toBe(50);
      await client.query("select private.end_switched_off(100)");
      expect(await left()).toBe(0);
    });
  });

  it("sends a delivery once that is sent again by hand while it is in flight", async () => {
    await withDue(1, async (client, webhook) => {
      const first = await taken(client);
      await client.query(
        "update public.webhook_deliveries set next_attempt_at = now() where webhook_id = $1",
        [webhook.id],
      );
      expect(await taken(client)).toEqual([]);
      expect(await taken(client, randomUUID(), answered(first, 1))).toEqual([]);
      // A delivered one that is sent again by hand is sent immediately, also after a crash of its dispatcher.
      await client.query(
        `update public.webhook_deliveries set status = 'retrying', next_attempt_at = now()
         where webhook_id = $1`,
        [webhook.id],
      );
      expect(await taken(client)).toMatchObject([{ id: first[0]?.id }]);
      await client.query(`${END_LEASES} webhook_id = $1`, [webhook.id]);
      expect(await taken(client)).toMatchObject([{ id: first[0]?.id }]);
    });
  });

  it("returns no deliveries that have ended or were deleted, and removes them from the queue", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const [ended, gone] = await Promise.all(
      [1, 2].map(() => webhookFor(operator, "https://shop.example.com/")),
    );
    await within(async (client) => {
      await alone(client);
      await write(client, ended, 3);
      await write(client, gone, 3);
      await client.query("delete from public.webhooks where id = $1", [gone.id]);
      const { rows } = await client.query(
        "select id from public.webhook_deliveries where webhook_id = $1 order by id",
        [ended.id],
      );
      const [first, second, third] = rows.map(({ id }) => id);
      await client.query(
        `update public.webhook_deliveries set status = 'success', next_attempt_at = null
         where id = $1`,
        [first],
      );
      await client.query("delete from public.webhook_deliveries where id = $1", [second]);
      expect(await taken(client)).toMatchObject([{ id: third }]);
      // The sweep of each minute.
      await client.query("select private.end_switched_off(1000)");
      expect((await client.query("select * from private.webhook_queue")).rows).toEqual([]);
    });
  });

  it("updates no index when it records a successful delivery", async () => {
    await withDue(8, async (client) => {
      const updated = async () => {
        const { rows } = await client.query(
          `select n_tup_upd::integer as rows, n_tup_hot_upd::integer as in_place
           from pg_stat_xact_user_tables where relid = 'public.webhook_deliveries'::regclass`,
        );
        return rows[0];
      };
      const before = await updated();
      await taken(client, randomUUID(), answered(await taken(client), 1));
      const { rows, in_place } = await updated();
      expect([rows - before.rows, in_place - before.in_place]).toEqual([8, 8]);
    });
  });

  it("takes and records at the same cost with a long history and backlog", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const hooks = await Promise.all(
      [1, 2, 3, 4].map(() => webhookFor(operator, "https://shop.example.com/")),
    );
    const [crowded] = hooks;
    await within(async (client) => {
      await alone(client);
      /** Pages read to take forty deliveries, and to record them and take the next. */
      const cost = async () => {
        await client.query("savepoint before");
        const leases = await taken(client, randomUUID(), [], 200);
        expect(leases).toHaveLength(40);
        const { rows } = await client.query(
          `explain (analyze, buffers, timing off, format json)
           select * from public.lease_webhook_deliveries(gen_random_uuid(), $1, 200)`,
          [JSON.stringify(answered(leases, 60))],
        );
        await client.query("rollback to before");
        const { Plan: plan } = rows[0]["QUERY PLAN"][0];
        expect(plan["Actual Rows"]).toBeGreaterThan(0);
        return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
      };
      for (const hook of hooks) await write(client, hook, 20);
      await cost();
      const small = await cost();
      await write(client, crowded, 2_000);
      await write(client, crowded, 2_000, ["retrying", "now() + interval '5 minutes'"]);
      for (const hook of hooks) await write(client, hook, 2_000, ["success", "null"]);
      expect(await cost()).toBeLessThan(1.5 * small);
    });
  });
});

describe("a dispatcher", () => {
  const delivery = (id: string = randomUUID()) =>
    ({
      ...{ id, webhook_id: "w", leased_until: "then", url: "http://127.0.0.1/" },
      ...{ event: "e", body: "{}", bytes: 2, secrets: [] },
    }) as LeasedDelivery;

  /** A dispatcher whose database gives these answers in order, and then nothing. */
  function dispatching(
    answers: (LeasedDelivery[] | Error)[],
    dependencies: Partial<Dependencies> = {},
    options: DispatcherOptions = {},
  ) {
    const asked: { done: string[]; batch: number }[] = [];
    const complaints: unknown[] = [];
    const { wake } = createDispatcher(
      {
        async lease(_, done, { batch }) {
          asked.push({ done: done.map(({ id }) => id), batch });
          const answer = answers.shift() ?? [];
          if (answer instanceof Error) throw answer;
          return answer;
        },
        readBody: async () => "{}",
        send: async () => outcome(200),
        reportError: (error) => complaints.push(error),
        ...dependencies,
      },
      { pauseMs: 1, ...options },
    );
    return { wake, asked, complaints };
  }

  it("has no more bodies than fit into its memory, and asks for no more", async () => {
    const large = () => ({ ...delivery(), webhook_id: randomUUID(), bytes: 7 * 1024 * 1024 });
    const given = Array.from({ length: 6 }, large);
    const rooms: number[] = [];
    const ends: (() => void)[] = [];
    const { wake } = dispatching([], {
      async lease(_, _done, { room }) {
        rooms.push(room / (1024 * 1024));
        return room > 0 ? given.splice(0, 1) : [];
      },
      send: () =>
        new Promise<Outcome>((resolve) => {
          ends.push(() => resolve(outcome(200)));
        }),
    });
    const rest = wake();
    await eventually(() => expect(ends).toHaveLength(4));
    expect(rooms).toEqual([24, 17, 10, 3]);
    ends[0]?.();
    await eventually(() => expect(ends).toHaveLength(5));
    expect(rooms.slice(4)).toEqual([3]);
    for (let sent = 1; sent < 6; sent++) {
      await eventually(() => expect(ends.length).toBeGreaterThan(sent));
      ends[sent]?.();
    }
    await rest;
  });

  it("takes deliveries without bodies after a failed batch, and reads each body separately", async () => {
    const bare = (id: string) => ({ ...delivery(id), body: null });
    const withBodies: boolean[] = [];
    const sent: string[] = [];
    const done: Done[] = [];
    const answers = [new Error("no"), [bare("a"), bare("unreadable"), bare("forgotten")], []];
    const { wake, complaints } = dispatching([], {
      async lease(_, ended, { with_bodies }) {
        withBodies.push(with_bodies);
        done.push(...ended);
        const answer = answers.shift() ?? [];
        if (answer instanceof Error) throw answer;
        return answer;
      },
      async readBody(id) {
        if (id === "unreadable") throw new Error("too large");
        return id === "forgotten" ? null : `the body of ${id}`;
      },
      async send({ body }) {
        sent.push(body);
        return outcome(200);
      },
    });
    await wake();
    await wake();
    expect(withBodies.slice(0, 3)).toEqual([true, false, true]);
    expect(sent).toEqual(["the body of a"]);
    expect(complaints).toEqual([new Error("no"), new Error("too large")]);
    expect(Object.fromEntries(done.map(({ id, error }) => [id, error]))).toEqual({
      a: null,
      unreadable: "the delivery could not be sent",
      forgotten: "the event is no longer stored",
    });
  });

  it("fills a free slot without waiting for the others", async () => {
    const ends = new Map<string, () => void>();
    const send = ({ id }: LeasedDelivery) =>
      new Promise<Outcome>((resolve) => {
        ends.set(id, () => resolve(outcome(200)));
      });
    const { wake, asked } = dispatching(
      [[delivery("a"), delivery("b")], [delivery("c")]],
      { send },
      { slots: 2 },
    );
    const rest = wake();
    await eventually(() => expect(ends.size).toBe(2));
    ends.get("b")?.();
    await eventually(() => expect(ends.size).toBe(3));
    expect(asked).toEqual([
      { done: [], batch: 2 },
      { done: ["b"], batch: 1 },
    ]);
    ends.get("c")?.();
    ends.get("a")?.();
    await rest;
    expect(asked.flatMap(({ done }) => done).toSorted()).toEqual(["a", "b", "c"]);
  });

  it("sends ten at a time to a webhook, and releases those that have waited for a second", async () => {
    const given = Array.from({ length: 25 }, () => delivery());
    const ends: (() => void)[] = [];
    const send = () =>
      new Promise<Outcome>((resolve) => {
        ends.push(() => resolve(outcome(200)));
      });
    const done: Done[] = [];
    const { wake } = dispatching([], {
      send,
      async lease(_, ended) {
        done.push(...ended);
        return given.splice(0);
      },
    });
    const rest = wake();
    await eventually(() => expect(ends).toHaveLength(10));
    ends[0]?.();
    await eventually(() => expect(ends).toHaveLength(11));
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 1001);
    onTestFinished(() => clock.mockRestore());
    for (const end of ends.slice(1)) end();
    await rest;
    expect(ends).toHaveLength(11);
    expect(done.filter(({ started_at }) => started_at)).toHaveLength(11);
    expect(done.filter((one) => Object.keys(one).length === 4)).toHaveLength(14);
  });

  it("has at most fifty recent requests, and does not wait for old ones", async () => {
    const given = Array.from({ length: 75 }, () => ({ ...delivery(), webhook_id: randomUUID() }));
    const begun: number[] = [];
    let end = () => {};
    const hanging = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { wake } = dispatching([given], {
      async send() {
        begun.push(performance.now());
        await hanging;
        return outcome(200);
      },
    });
    const rest = wake();
    await eventually(() => expect(begun).toHaveLength(75));
    expect((begun[50] as number) - (begun[0] as number)).toBeGreaterThanOrEqual(19);
    end();
    await rest;
  });

  it("asks again after a full batch, and after all results were recorded", async () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => delivery(id)) as [
      LeasedDelivery,
      LeasedDelivery,
      LeasedDelivery,
    ];
    const full = dispatching([[a, b], [c]], {}, { slots: 2 });
    await full.wake();
    expect(full.asked.flatMap(({ done }) => done).toSorted()).toEqual(["a", "b", "c"]);
    // Before, another dispatcher may have reached the receiver's maximum.
    expect(full.asked.at(-1)).toEqual({ done: [], batch: 2 });
    let end = () => {};
    const hanging = new Promise<void>((resolve) => {
      end = resolve;
    });
    const given = Array.from({ length: 200 }, () => delivery());
    const long = dispatching([given], { send: () => hanging.then(() => outcome(200)) });
    const rest = long.wake();
    await eventually(() => expect(long.asked).toHaveLength(2));
    expect(long.asked[1]).toEqual({ done: [], batch: 200 });
    end();
    await rest;
  });

  it("reports results in groups, while there is more to send", async () => {
    const given = Array.from({ length: 60 }, () => delivery());
    const turns: { done: number; at: number }[] = [];
    let sent = 0;
    const { wake } = dispatching([], {
      async lease(_, done) {
        turns.push({ done: done.length, at: performance.now() });
        return given.splice(0);
      },
      async send() {
        await new Promise((past) => setTimeout(past, 3));
        sent += 1;
        return outcome(200);
      },
    });
    await wake();
    expect(sent).toBe(60);
    expect(turns.reduce((sum, { done }) => sum + done, 0)).toBe(60);
    const early = turns.filter(
      ({ at }, turn) => turn > 0 && at - (turns[turn - 1]?.at as number) < 8,
    );
    // The last results, when nothing is left to be sent, are reported immediately.
    expect(early.length).toBeLessThanOrEqual(2);
  });

  it("asks again when it is woken during its work", async () => {
    let end = () => {};
    const send = () =>
      new Promise<Outcome>((resolve) => {
        end = () => resolve(outcome(200));
      });
    const { wake, asked } = dispatching([[delivery("a")]], { send });
    const rest = wake();
    await eventually(() => expect(asked).toHaveLength(1));
    expect(wake()).toBe(rest);
    await eventually(() => expect(asked).toHaveLength(2));
    end();
    await rest;
  });

  it("takes nothing after its time limit, and leaves the rest to the next one", async () => {
    const { wake, asked } = dispatching([[delivery("a")], [delivery("b")]], {}, { takingMs: 0 });
    await wake();
    expect(asked.every(({ batch }) => batch === 0)).toBe(true);
    const before = asked.length;
    await wake();
    expect(asked.length).toBeGreaterThan(before);
  });

  it("repeats a report that failed, and stops when the database remains unavailable", async () => {
    const gone = new Error("the database is gone");
    const patient = dispatching([[delivery("a")], gone, gone]);
    await patient.wake();
    expect(patient.asked.slice(1).map(({ done }) => done)).toEqual([["a"], ["a"], ["a"], []]);
    expect(patient.complaints).toEqual([gone, gone]);
    const hopeless = dispatching(Array<Error>(9).fill(gone));
    await hopeless.wake();
    expect(hopeless.asked).toHaveLength(5);
  });

  it("reports a delivery that could not be attempted", async () => {
    const broken = new Error("broken");
    const done: Done[] = [];
    const first = [delivery("a")];
    const { wake, complaints } = dispatching([], {
      async lease(_, ended) {
        done.push(...ended);
        return first.splice(0);
      },
      send: () => Promise.reject(broken),
    });
    await wake();
    expect(complaints).toEqual([broken]);
    expect(done).toMatchObject([
      { id: "a", response_code: null, error: "the delivery could not be sent" },
    ]);
  });
});
