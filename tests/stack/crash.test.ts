import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { freshPlace } from "../place.js";
import { descendantsOf, isAlive } from "../processes.js";
import {
  call,
  letReserve,
  listProduct,
  must,
  openReceiver,
  openTestTenant,
  orderFor,
  stockOf,
  supabaseAsService,
} from "../souk.js";
import { type RunningStack, startStack } from "../stack.js";

// A separate stack, killed as in a power cut. Everything that was acknowledged is there afterwards, and every event is
// delivered.

const ORDERS = 20;

async function start(place: string[]): Promise<RunningStack> {
  const stack = await startStack(place, { functions: ["api", "auth", "webhook-dispatch"] });
  onTestFinished(stack.stop);
  return stack;
}

/** Waits until no process of a stopped stack runs. */
function allGone(pids: number[]) {
  return eventually(() => expect(pids.filter(isAlive)).toEqual([]));
}

it("a stack killed in the middle of its work loses no order and no event", async () => {
  const place = await freshPlace();
  const receiver = await openReceiver();
  onTestFinished(receiver.close);

  const first = await start(place);
  const testTenant = await openTestTenant(first);
  const { operator, supplier, customer } = testTenant;
  await letReserve(testTenant, first);
  const product = await listProduct(supplier, { inventory: { quantity: 100 } }, first);
  await must("POST", "/api/webhooks", {
    as: operator,
    body: { url: receiver.url, events: ["order.created"] },
    stack: first,
  });
  const order = (stack: RunningStack) =>
    call("POST", "/api/orders", { as: customer, body: orderFor(product), stack });

  // The receiver leaves the first delivery unanswered, so it is in flight when the stack is killed.
  receiver.answers.push("never");
  const hanging = await order(first);
  expect(hanging.status).toBe(201);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  const [tried] = receiver.received;

  const below = descendantsOf(first.process.pid as number);
  expect(below.length).toBeGreaterThan(0);
  const acknowledged = [hanging.body];
  const gone = once(first.process, "exit");
  const outcomes = await Promise.allSettled(
    Array.from({ length: ORDERS }, async () => {
      const { status, body } = await order(first);
      expect(status).toBe(201);
      acknowledged.push(body);
      if (acknowledged.length === ORDERS / 4) first.process.kill("SIGKILL");
    }),
  );
  await gone;
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
  await allGone(below);

  const second = await start(place);
  const { orders } = await must("GET", "/api/orders", { as: customer, stack: second });
  expect(orders).toEqual(expect.arrayContaining(acknowledged));
  // An order without an acknowledged answer may exist, but then it is complete.
  expect(await stockOf(product, second)).toEqual({
    product: { quantity: 100, reserved: orders.length },
  });

  // The killed dispatcher had leased its delivery for a minute. This ends the lease.
  await query("update private.webhook_leases set leased_until = now()", [], second);
  const arrived = () =>
    receiver.received.slice(1).map(({ headers, body }) => ({
      id: headers["x-webhook-id"],
      order: JSON.parse(body).data.order.id as string,
    }));
  const placed = new Set(orders.map(({ id }: { id: string }) => id));
  await eventually(async () => {
    // The delivery in flight counts as a failed attempt, and waits for the next one.
    await supabaseAsService(second)
      .from("webhook_deliveries")
      .update({ next_attempt_at: new Date(0).toISOString() })
      .eq("status", "retrying")
      .throwOnError();
    await runJob("webhook-dispatch", second);
    expect(new Set(arrived().map(({ order }) => order))).toEqual(placed);
  });
  // A repeated delivery has the same id, so its receiver can detect it.
  const again = receiver.received.slice(1).find(({ body }) => body === tried?.body);
  expect(again?.headers["x-webhook-id"]).toBe(tried?.headers["x-webhook-id"]);
  const ids = new Map(arrived().map(({ id, order }) => [order, id]));
  for (const { id, order } of arrived()) expect(id).toBe(ids.get(order));

  const belowSecond = descendantsOf(second.process.pid as number);
  await second.stop();
  await allGone(belowSecond);
});
