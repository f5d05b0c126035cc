// Who answers for a product: its manufacturer and responsible person, as the EU's GPSR asks of marketplaces.
import { expect, it } from "vitest";
import { query } from "../database.js";
import { counts, importsAt, NDJSON, ndjson } from "../imports/importing.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

const SAFETY = {
  manufacturer: {
    name: "Atlas Crafts",
    address: "2 Oak Street, Fez",
    email: "safety@atlas.example",
  },
  responsible_person: { name: "Souk GmbH", address: "3 Elm Street, Berlin" },
  warnings: "Keep away from small children.",
};

const require_safety = ({ operator, marketplace }: TestTenant) =>
  must("PUT", `/api/marketplaces/${marketplace.id}`, {
    as: operator,
    body: { settings: { business: { require_safety: true } } },
  });

it("is part of a product's record, for its seller and for buyers, and not of lists", async () => {
  const { supplier, customer } = await openTestTenant();
  const { id, safety } = await listProduct(supplier, { safety: SAFETY });
  expect(safety).toEqual(SAFETY);
  expect((await must("GET", `/api/products/${id}`, { as: customer })).safety).toEqual(SAFETY);
  const { products } = await must("GET", "/api/products", { as: customer });
  expect(products[0]).not.toHaveProperty("safety");

  const path = `/api/products/${id}`;
  const changed = { warnings: "Hot." };
  expect((await must("PUT", path, { as: supplier, body: { safety: changed } })).safety).toEqual(
    changed,
  );
  expect((await must("PUT", path, { as: supplier, body: { safety: null } })).safety).toBeNull();
});

it("has the fields of the record only, through the API and supabase-js", async () => {
  const { supplier } = await openTestTenant();
  const { id } = await listProduct(supplier);
  for (const [safety, field] of [
    [{ maker: {} }, "safety.maker"],
    [{ manufacturer: { address: "Fez" } }, "safety.manufacturer.name"],
    [{ manufacturer: { name: "A", email: "nobody" } }, "safety.manufacturer.email"],
    [{ warnings: "x".repeat(5001) }, "safety.warnings"],
  ] as const) {
    const put = { as: supplier, body: { safety } };
    const { status, body } = await call("PUT", `/api/products/${id}`, put);
    expect([status, body.error?.details?.field]).toEqual([422, field]);
    const { error } = await supabaseAs(supplier).from("products").update({ safety }).eq("id", id);
    expect(error?.message).toBe("VALIDATION_ERROR");
  }
});

it("is required of goods before they are for sale, where the marketplace says so", async () => {
  const testTenant = await openTestTenant();
  const { supplier, operator, customer } = testTenant;
  const before = await listProduct(supplier, { inventory: { quantity: 1 } });
  await require_safety(testTenant);
  const at = { field: "safety.manufacturer" };
  const lamp = { name: "Lamp", price: 3 };
  for (const as of [supplier, operator]) {
    const refused = await call("POST", "/api/products", { as, body: lamp });
    expectRefusal(refused, 422, "VALIDATION_ERROR", at);
  }
  const draft = await must("POST", "/api/products", {
    as: supplier,
    body: { ...lamp, status: "draft" },
  });
  const path = `/api/products/${draft.id}`;
  const activate = { as: supplier, body: { status: "active" } };
  expectRefusal(await call("PUT", path, activate), 422, "VALIDATION_ERROR", at);
  const { error } = await supabaseAs(supplier)
    .from("products")
    .update({ status: "active" })
    .eq("id", draft.id);
  expect(error?.message).toBe("VALIDATION_ERROR");
  await must("PUT", path, { as: supplier, body: { status: "active", safety: SAFETY } });
  await must("POST", "/api/products", {
    as: supplier,
    body: { name: "Course", price: 3, kind: "digital" },
  });

  // Nor is it lost while a product is sold out, or before an admin approves one.
  const lost = { as: supplier, body: { safety: null } };
  for (const quantity of [1, 0]) {
    const body = { operation: "set", quantity };
    await must("PATCH", `${path}/inventory`, { as: supplier, body });
  }
  expect((await must("GET", path, { as: supplier })).status).toBe("out_of_stock");
  expectRefusal(await call("PUT", path, lost), 422, "VALIDATION_ERROR", at);
  await must("PATCH", `${path}/inventory`, {
    as: supplier,
    body: { operation: "set", quantity: 1 },
  });
  const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
  const pause = (status: string) =>
    must("PATCH", `/api/suppliers/${supplier_id}`, { as: supplier, body: { status } });
  await pause("paused");
  expect((await must("GET", path, { as: supplier })).status).toBe("inactive");
  expectRefusal(await call("PUT", path, lost), 422, "VALIDATION_ERROR", at);
  await pause("active");
  await must("PATCH", "/api/tenant", {
    as: operator,
    body: { settings: { sellers: { product_review: "all" } } },
  });
  const waiting = await must("POST", "/api/products", {
    as: supplier,
    body: { ...lamp, safety: SAFETY },
  });
  expect(waiting.status).toBe("draft");
  await must("PUT", `/api/products/${waiting.id}`, { as: supplier, body: { safety: null } });
  const approve = `/api/products/${waiting.id}/approve`;
  expectRefusal(
    await call("POST", approve, { as: operator, body: {} }),
    422,
    "VALIDATION_ERROR",
    at,
  );

  // What was for sale before goes on, also when its stock comes back.
  const order = await must("POST", "/api/orders", {
    as: customer,
    body: {
      marketplace_id: before.marketplace_id,
      items: [{ product_id: before.id, quantity: 1, price: before.price }],
      shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
    },
  });
  await must("PUT", `/api/orders/${order.id}/status`, {
    as: customer,
    body: { status: "cancelled" },
  });
  expect(await query("select status from public.products where id = $1", [before.id])).toEqual([
    { status: "active" },
  ]);
});

it("comes with an import, which reports no change the second time", async () => {
  const { supplier } = await openTestTenant();
  const body = ndjson([{ external_id: "pot", name: "Pot", price: 5, safety: SAFETY }]);
  const { imported } = importsAt("/api/products/import");
  expect(await imported(supplier, body, NDJSON)).toMatchObject(counts(1));
  expect(await imported(supplier, body, NDJSON)).toMatchObject(counts(0, 0, 1));
});
