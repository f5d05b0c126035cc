import { randomUUID } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { sessionsEnd } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import { freshPlace } from "../place.js";
import {
  call,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  persist,
  stockOf,
} from "../souk.js";
import { type RunningStack, type StackAddress, setRateLimit, startStack } from "../stack.js";

// Requests whose key is held by another request, or was held when the stack crashed.

function place(as: Person, body: unknown, key: string, stack?: StackAddress) {
  return call("POST", "/api/orders", { as, body, headers: { "idempotency-key": key }, stack });
}

async function ordersOf(operator: Person, stack?: StackAddress): Promise<number> {
  return (await must("GET", "/api/orders", { as: operator, stack })).total;
}

describe("a key whose first request", () => {
  describe.runIf(process.env.DATABASE_URL)("has not ended", () => {
    it("is CONFLICT until it has", async () => {
      const testTenant = await openTestTenant();
      const product = await listProduct(testTenant.supplier);
      const key = randomUUID();
      const db = new pg.Client({ connectionString: ownStack.db_url as string });
      await db.connect();
      onTestFinished(() => db.end());
      await db.query("begin");
      await db.query("select from public.inventory where product_id = $1 for update", [product.id]);
      const first = place(testTenant.customer, orderFor(product), key);
      await eventually(async () => {
        const { rows } = await db.query(
          "select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))",
        );
        expect(rows).toHaveLength(1);
      });
      const second = await place(testTenant.customer, orderFor(product), key);
      expect(second.status).toBe(409);
      expect(second.body.error).toMatchObject({
        code: "CONFLICT",
        details: { field: "Idempotency-Key", value: key },
      });
      expect(second.headers.get("retry-after")).toBe("1");
      await db.query("rollback");
      expect((await first).status).toBe(201);
      const third = await place(testTenant.customer, orderFor(product), key);
      expect(third.body).toEqual((await first).body);
      expect(await ordersOf(testTenant.operator)).toBe(1);
    });

    it("waited too long for another request is carried out when it is repeated", async () => {
      const { tenantId, operator, supplier, customer } = await openTestTenant();
      const product = await listProduct(supplier);
      const earlier = await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
      const key = randomUUID();
      const db = new pg.Client({ connectionString: ownStack.db_url as string });
      await db.connect();
      onTestFinished(() => db.end());
      await db.query("begin");
      const buyer = `${tenantId} ${earlier.customer_id}`;
      await db.query("select private.hold('reservations', $1)", [buyer]);
      const refused = await place(customer, orderFor(product), key);
      expect(refused.body.error).toMatchObject({ code: "CONFLICT", details: {} });
      expect(refused.headers.get("retry-after")).toBe("1");
      await db.query("rollback");
      const repeated = await place(customer, orderFor(product), key);
      expect(repeated.status).toBe(201);
      expect(repeated.headers.has("idempotency-replayed")).toBe(false);
      expect(await ordersOf(operator)).toBe(2);
    });

    it("stores no answer when its commit fails", async () => {
      const testTenant = await openTestTenant();
      const product = await listProduct(testTenant.supplier);
      const db = new pg.Client({ connectionString: ownStack.db_url as string });
      await db.connect();
      // A deferred trigger refuses the order after its answer was stored.
      await db.query(
        `create function public.refuse_at_commit() returns trigger language plpgsql
         as $$ begin raise exception 'not today' using errcode = 'PT422'; end $$`,
      );
      onTestFinished(async () => {
        await db.query("drop function public.refuse_at_commit cascade");
        await db.end();
      });
      await db.query(
        `create constraint trigger refuse_at_commit after insert on public.orders
         deferrable initially deferred for each row
         when (new.tenant_id = '${testTenant.tenantId}') execute function public.refuse_at_commit()`,
      );
      const key = randomUUID();
      const failed = await place(testTenant.customer, orderFor(product), key);
      expect(failed.status).toBeGreaterThanOrEqual(400);
      await db.query("drop trigger refuse_at_commit on public.orders");
      const again = await place(testTenant.customer, orderFor(product), key);
      expect(again.status).toBe(201);
      expect(again.headers.has("idempotency-replayed")).toBe(false);
      expect(await ordersOf(testTenant.operator)).toBe(1);
    });
  });

  it("was in flight during a crash was carried out completely or not at all", async () => {
    const folder = await freshPlace();
    const first = await startStack(folder, { functions: ["api", "auth"] });
    onTestFinished(first.stop);
    // Repeated requests can be more than a customer may send in a minute.
    await setRateLimit(first, "customer", 1_000_000);
    const { operator, supplier, customer } = await openTestTenant(first);
    const product = await listProduct(supplier, { inventory: { quantity: 100 } }, first);
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const answered = new Map<string, unknown>();
    // The requests wait for each other, and the server may continue one of the crashed stack.
    const send = (key: string, stack: RunningStack) =>
      persist("POST", "/api/orders", {
        as: customer,
        body: orderFor(product),
        headers: { "idempotency-key": key },
        stack,
      });
    const gone = once(first.process, "exit");
    await Promise.allSettled(
      keys.map(async (key) => {
        const { body } = await send(key, first);
        answered.set(key, body);
        if (answered.size === 5) first.process.kill("SIGKILL");
      }),
    );
    await gone;
    await sessionsEnd(first);

    const second = await startStack(folder, { functions: ["api", "auth"] });
    onTestFinished(second.stop);
    for (const key of keys) {
      const answer = await send(key, second);
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      if (answered.has(key)) expect(answer.body).toEqual(answered.get(key));
    }
    // The order and its answer were committed together: each key made one order, and there are no others.
    expect(await ordersOf(operator, second)).toBe(keys.length);
    expect(await stockOf(product, second)).toEqual({
      product: { quantity: 100, reserved: keys.length },
    });
  }, 240_000);
});
