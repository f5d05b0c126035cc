import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  stockOf,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// A request that is repeated with its key is carried out once.

function place(as: Person, body: unknown, key: string, path = "/api/orders") {
  return call("POST", path, { as, body, headers: { "idempotency-key": key } });
}

async function ordersIn({ operator }: TestTenant): Promise<number> {
  return (await must("GET", "/api/orders", { as: operator })).total;
}

function isReplay({ headers }: Answer) {
  return headers.get("idempotency-replayed") === "true";
}

describe("a request with an Idempotency-Key", () => {
  it("is carried out once, and gets the same answer whenever and wherever it is repeated", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier);
    const key = randomUUID();
    const first = await place(testTenant.customer, orderFor(product), key);
    expect(first.status).toBe(201);
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    for (const path of ["/api/orders", "/orders"]) {
      const again = await place(testTenant.customer, orderFor(product), key, path);
      expect(again.status).toBe(201);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
      expect(isReplay(again)).toBe(true);
    }
    expect(await ordersIn(testTenant)).toBe(1);
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 1 } });
  });

  it("sent fifty times concurrently creates one order", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier, { inventory: { quantity: 100 } });
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        place(testTenant.customer, orderFor(product), key, i % 2 ? "/orders" : "/api/orders"),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectRefusal(answer, 409, "CONFLICT", { field: "Idempotency-Key", value: key });
    }
    expect(await ordersIn(testTenant)).toBe(1);
    expect(await stockOf(product)).toEqual({ product: { quantity: 100, reserved: 1 } });
    const later = await place(testTenant.customer, orderFor(product), key);
    expect(later.body).toEqual(made[0]?.body);
  });

  it("gets the same refusal when it is repeated, even if it would succeed now", async () => {
    const testTenant = await openTestTenant();
    const { supplier, customer } = testTenant;
    const product = await listProduct(supplier, { inventory: { quantity: 0 } });
    const key = randomUUID();
    const first = await place(customer, orderFor(product), key);
    const { headers: _, ...without } = await call("POST", "/api/orders", {
      as: customer,
      body: orderFor(product),
    });
    expect({ status: first.status, body: first.body }).toEqual(without);
    expect(without.status).toBe(422);
    await supabaseAsService()
      .from("inventory")
      .update({ quantity: 5 })
      .eq("product_id", product.id)
      .throwOnError();
    const again = await place(customer, orderFor(product), key, "/orders");
    expect({ status: again.status, body: again.body }).toEqual(without);
    expect(isReplay(again)).toBe(true);
    expect(isReplay(first)).toBe(false);
    expect(await ordersIn(testTenant)).toBe(0);
  });

  it("is validated before its key: an invalid field stores nothing", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const key = randomUUID();
    const wrong = await place(customer, { ...orderFor(product), items: [] }, key);
    expect(wrong.body.error.code).toBe("VALIDATION_ERROR");
    const right = await place(customer, orderFor(product), key);
    expect(right.status).toBe(201);
    expect(isReplay(right)).toBe(false);
  });

  it("must not be repeated with another content", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    const product = await listProduct(supplier);
    const key = randomUUID();
    await place(customer, orderFor(product), key);
    const other = await place(customer, orderFor(product, 2), key);
    expectRefusal(other, 422, "IDEMPOTENCY_KEY_REUSED", { field: "Idempotency-Key", value: key });
    expect(isReplay(other)).toBe(false);
    // Another operation is also another request.
    const headers = { "idempotency-key": key };
    const body = { url: "https://example.com/hook", events: ["order.created"] };
    await must("POST", "/api/webhooks", { as: operator, body, headers });
    const order = await place(operator, orderFor(product), key);
    expect(order.body.error?.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(await ordersIn(testTenant)).toBe(1);
  });

  it("has a key that belongs to its user", async () => {
    const testTenant = await openTestTenant();
    const foreign = await openTestTenant();
    const neighbour = await register({ tenant_id: testTenant.tenantId });
    const product = await listProduct(testTenant.supplier);
    const theirs = await listProduct(foreign.supplier);
    const key = randomUUID();
    const mine = await place(testTenant.customer, orderFor(product), key);
    const next = await place(neighbour, orderFor(product), key);
    const far = await place(foreign.customer, orderFor(theirs), key);
    for (const answer of [mine, next, far]) {
      expect(answer.status).toBe(201);
      expect(isReplay(answer)).toBe(false);
    }
    expect(new Set([mine, next, far].map(({ body }) => body.id)).size).toBe(3);
  });

  it("shows nothing to a member who was suspended since", async () => {
    const testTenant = await openTestTenant();
    const { tenantId, supplier, customer } = testTenant;
    const product = await listProduct(supplier);
    const key = randomUUID();
    const first = await place(customer, orderFor(product), key);
    const become = (status: string) =>
      supabaseAsService()
        .from("members")
        .update({ status })
        .match({ tenant_id: tenantId, user_id: customer.id })
        .throwOnError();
    await become("suspended");
    expectRefusal(await place(customer, orderFor(product), key), 403, "FORBIDDEN");
    await become("active");
    expect((await place(customer, orderFor(product), key)).body).toEqual(first.body);
    expect(await ordersIn(testTenant)).toBe(1);
  });

  it("is refused with an invalid key", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier);
    for (const key of ["", "x".repeat(256), "caf\u00e9"]) {
      const answer = await place(testTenant.customer, orderFor(product), key);
      expectRefusal(answer, 400, "INVALID_REQUEST", { field: "Idempotency-Key" });
    }
    expect(await ordersIn(testTenant)).toBe(0);
    for (const key of ["x", "x".repeat(255), '"quoted, and (odd) = fine"']) {
      expect((await place(testTenant.customer, orderFor(product), key)).status).toBe(201);
    }
  });
});

describe("perform_once", () => {
  it("is available through supabase-js, with the rights of its caller", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier);
    const once = (as: Person | undefined, operation: string, args: object, key = randomUUID()) =>
      supabaseAs(as).rpc("perform_once", { key, operation, arguments: args });
    const key = randomUUID();
    const first = await once(testTenant.customer, "place_order", orderFor(product), key);
    expect(first.data).toMatchObject({ answer: { status: "pending" }, replayed: false });
    const again = await once(testTenant.customer, "place_order", orderFor(product), key);
    expect(again.data).toEqual({ ...first.data, replayed: true });

    const none = { code: "PT404", message: "NOT_FOUND" };
    for (const [operation, args] of [
      ["no_such_function", {}],
      ["place_order", { ...orderFor(product), no_such_argument: 1 }],
      ["place_order", { items: [] }],
      ["perform_once", { key, operation: "place_order", arguments: orderFor(product) }],
      ["pg_sleep", { seconds: 1 }],
      ["place_order(null)--", {}],
    ] as const) {
      expect((await once(testTenant.customer, operation, args)).error).toMatchObject(none);
    }
    const forbidden = await once(testTenant.customer, "spend_refresh_token", {
      token_hash: "x",
      session_id: randomUUID(),
    });
    expect(forbidden.error?.code).toBe("42501");
    const anonymous = await once(undefined, "place_order", orderFor(product));
    expect(anonymous.error?.code).toBe("42501");
    expect(await ordersIn(testTenant)).toBe(1);
  });
});

it("every operation in which a member creates something accepts the key", async () => {
  const folder = "supabase/functions/_shared";
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const creating: string[] = [];
  for (const file of files) {
    const [, ...operations] = (await readFile(`${folder}/${file}`, "utf8")).split("createRoute(");
    for (const operation of operations) {
      if (!/method: "post"/.test(operation) || !/answers\(\s*201/.test(operation)) continue;
      // Skipped: operations without a token, or with a guest's, who can register only once.
      if (/security: \[(\]|\{\})/.test(operation)) continue;
      // Its answer contains a secret, which is never stored. A second preview does no harm.
      if (/path: ".*\/preview"/.test(operation)) continue;
      creating.push(file);
      expect(`${file}: ${operation}`).toContain("perform(");
    }
  }
  expect(creating.length).toBeGreaterThan(5);
});
