import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { findServerPrograms, makeCluster, serverUrl } from "../cluster.js";
import { eventually, eventuallyNone } from "../eventually.js";
import {
  type Answer,
  call,
  letReserve,
  listProduct,
  must,
  openReceiver,
  openTestTenant,
  orderFor,
  stockOf,
} from "../souk.js";
import { setRateLimit, startStack } from "../stack.js";

// The database under a running stack crashes during orders, restarts, and ends every connection. A client that repeats
// requests answered with 503 must not lose orders or get duplicates.

const programs = await findServerPrograms();
const BUYERS = 4;

it.skipIf(!programs)(
  "a database that crashes under a running stack loses no order and no event",
  async () => {
    const cluster = await makeCluster(programs);
    onTestFinished(cluster.remove);
    const stack = await startStack(["--database-url", serverUrl(cluster.port)], {
      functions: ["api", "auth", "webhook-dispatch"],
    });
    onTestFinished(stack.stop);
    const receiver = await openReceiver();
    onTestFinished(receiver.close);

    const testTenant = await openTestTenant(stack);
    const { operator, supplier, customer } = testTenant;
    await letReserve(testTenant, stack);
    await setRateLimit(stack, "customer", 1_000_000);
    const product = await listProduct(supplier, { inventory: { quantity: 100_000 } }, stack);
    const body = { url: receiver.url, events: ["order.created"] };
    await must("POST", "/api/webhooks", { as: operator, body, stack });
    await cluster.query(
      "select cron.schedule(name, '2 seconds', command) from private.jobs_due where name = 'webhook-dispatch'",
    );

    const acknowledged = new Set<string>();
    const refusals: Answer[] = [];
    let busy = true;
    const buying = Array.from({ length: BUYERS }, async () => {
      while (busy) {
        const headers = { "idempotency-key": randomUUID() };
        for (;;) {
          const body = orderFor(product);
          const answer = await call("POST", "/api/orders", { as: customer, headers, body, stack });
          if (answer.status === 201) {
            acknowledged.add(answer.body.id);
            break;
          }
          refusals.push(answer);
          await pause(50);
        }
      }
    });

    await eventually(() => expect(acknowledged.size).toBeGreaterThan(20));
    await cluster.stop("immediate");
    const login = { email: customer.email, password: customer.password };
    // The buyers' requests fail while the database is away.
    await pause(1000);
    for (const [path, as, sent] of [
      ["/api/orders", customer, undefined],
      ["/api/products", customer, undefined],
      ["/auth/login", undefined, login],
      ["/auth/register", undefined, { ...login, email: "x@example.com", tenant_name: "Late" }],
    ] as const) {
      refusals.push(await call(sent ? "POST" : "GET", path, { as, body: sent, stack }));
    }
    await cluster.start();
    const before = acknowledged.size;
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(before));
    // All are ordering again when the connections end.
    await pause(500);
    await cluster.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
    );
    // The buyers repeat interrupted requests.
    await pause(500);
    busy = false;
    await Promise.all(buying);

    // 409: the interrupted request was still running in the database.
    const strange = refusals.filter(
      ({ status, headers, body }) =>
        status !== 409 &&
        !(
          status === 503 &&
          body.error.code === "SERVICE_UNAVAILABLE" &&
          headers.get("retry-after") === "1"
        ),
    );
    expect(strange.map(({ status, body }) => ({ status, body }))).toEqual([]);
    expect(refusals.length).toBeGreaterThan(4);

    // The demo's past orders were imported.
    const orders = await cluster.query<{ id: string }>(
      "select id from public.orders where imported_at is null",
    );
    expect(new Set(orders.map(({ id }) => id))).toEqual(acknowledged);
    const stock = { quantity: 100_000, reserved: acknowledged.size };
    expect(await stockOf(product, stack)).toEqual({ product: stock });

    /**
     * Ends all leases and delays: interrupted dispatchers hold their deliveries for a minute, and wait before the next
     * attempt.
     */
    const passTime = async () => {
      await cluster.query(
        "update private.webhook_leases set leased_until = now() where leased_until < now() + interval '50 seconds'",
      );
      await cluster.query(
        `update public.webhook_deliveries set next_attempt_at = now() - interval '1 minute'
         where status in ('pending', 'retrying')`,
      );
    };
    const arrived = () =>
      new Set(receiver.received.map((one) => JSON.parse(one.body).data.order.id as string));
    await eventuallyNone(async () => {
      await passTime();
      return acknowledged.size - arrived().size;
    });
    expect(arrived()).toEqual(acknowledged);
  },
);
