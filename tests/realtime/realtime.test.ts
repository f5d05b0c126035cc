import { describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import {
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { type Change, listenToTable } from "./listening.js";

// Received changes, and changes that must not be received. For the latter, the tests wait for a later change, because
// changes arrive in order.

/** The record of a change as `INSERT <id> <status>`. */
function textOf({ eventType, new: record }: Change): string {
  const { id, status } = record as { id: string; status: string };
  return `${eventType} ${id} ${status}`;
}

/** Waits for exactly these changes. */
function heardAll(heard: Change[], expected: string[]) {
  return eventually(() => expect(heard.map(textOf)).toEqual(expected));
}

const place = (as: Person, product: object) =>
  must("POST", "/api/orders", { as, body: orderFor(product) });
const move = (as: Person, { id }: { id: string }, status: string) =>
  must("PATCH", `/api/orders/${id}/status`, { as, body: { status } });

describe("orders", () => {
  it("are received by their customer, their suppliers and the operator, and by nobody else", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [rival, neighbour, elsewhere] = await Promise.all([
      register({ tenant_id: tenantId, role: "supplier" }),
      register({ tenant_id: tenantId }),
      openTestTenant(),
    ]);
    const [saffron, mint, foreign] = await Promise.all([
      listProduct(supplier),
      listProduct(rival, { name: "Mint" }),
      listProduct(elsewhere.supplier),
    ]);
    const [byOperator, bySupplier, byRival, byCustomer, byNeighbour, bySpy, byForeigner] =
      await Promise.all([
        listenToTable(operator, "orders", tenantId),
        listenToTable(supplier, "orders", tenantId),
        listenToTable(rival, "orders", tenantId),
        listenToTable(customer, "orders", tenantId),
        listenToTable(neighbour, "orders", tenantId),
        // The operator of another tenant subscribes to this tenant's rows, and to their own.
        listenToTable(elsewhere.operator, "orders", tenantId),
        listenToTable(elsewhere.operator, "orders", elsewhere.tenantId),
      ]);

    // An anonymous client cannot subscribe.
    await expect(listenToTable(undefined, "orders", tenantId)).rejects.toThrow(
      "Unable to subscribe",
    );

    const own = await place(customer, saffron);
    await move(operator, own, "confirmed");
    const other = await place(neighbour, mint);
    await move(rival, other, "shipped");
    const foreignOrder = await place(elsewhere.customer, foreign);

    const ownChanges = [`INSERT ${own.id} pending`, `UPDATE ${own.id} confirmed`];
    const otherChanges = [`INSERT ${other.id} pending`, `UPDATE ${other.id} shipped`];
    await heardAll(byOperator, [...ownChanges, ...otherChanges]);
    await heardAll(byForeigner, [`INSERT ${foreignOrder.id} pending`]);
    await heardAll(byCustomer, ownChanges);
    await heardAll(bySupplier, ownChanges);
    await heardAll(byNeighbour, otherChanges);
    await heardAll(byRival, otherChanges);

    // Each of them receives this last change after all changes that they must not receive.
    const both = await must("POST", "/api/orders", {
      as: customer,
      body: {
        ...orderFor(saffron),
        items: [...orderFor(saffron).items, ...orderFor(mint).items],
      },
    });
    const second = await place(neighbour, mint);
    const bothPlaced = `INSERT ${both.id} pending`;
    const secondPlaced = `INSERT ${second.id} pending`;
    await heardAll(byCustomer, [...ownChanges, bothPlaced]);
    await heardAll(bySupplier, [...ownChanges, bothPlaced]);
    await heardAll(byRival, [...otherChanges, bothPlaced, secondPlaced]);
    await heardAll(byNeighbour, [...otherChanges, secondPlaced]);
    const next = await place(elsewhere.customer, foreign);
    await heardAll(byForeigner, [`INSERT ${foreignOrder.id} pending`, `INSERT ${next.id} pending`]);
    expect(bySpy).toEqual([]);

    // The change contains the old and the new row.
    expect(byOperator[1]).toMatchObject({
      schema: "public",
      table: "orders",
      eventType: "UPDATE",
      new: { id: own.id, tenant_id: tenantId, customer_id: own.customer_id, status: "confirmed" },
      old: { id: own.id, status: "pending" },
      errors: null,
    });
  });

  it("are not received by a suspended member", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const colleague = await register({ tenant_id: tenantId });
    await supabaseAsService()
      .from("members")
      .update({ role: "client" })
      .eq("user_id", colleague.id)
      .throwOnError();
    const product = await listProduct(supplier);
    const [byOperator, byColleague] = await Promise.all([
      listenToTable(operator, "orders", tenantId),
      listenToTable(colleague, "orders", tenantId),
    ]);
    const setStatus = (status: string) =>
      supabaseAs(operator)
        .from("members")
        .update({ status })
        .eq("user_id", colleague.id)
        .throwOnError();
    const before = await place(customer, product);
    await heardAll(byColleague, [`INSERT ${before.id} pending`]);
    await setStatus("suspended");
    const during = await place(customer, product);
    await heardAll(byOperator, [`INSERT ${before.id} pending`, `INSERT ${during.id} pending`]);
    await setStatus("active");
    const after = await place(customer, product);
    await heardAll(byColleague, [`INSERT ${before.id} pending`, `INSERT ${after.id} pending`]);
  });
});

describe("products", () => {
  it("are received by everybody who can see them", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [rival, elsewhere] = await Promise.all([
      register({ tenant_id: tenantId, role: "supplier" }),
      openTestTenant(),
    ]);
    const [byOperator, bySupplier, byRival, byCustomer, bySpy, byForeigner] = await Promise.all([
      listenToTable(operator, "products", tenantId),
      listenToTable(supplier, "products", tenantId),
      listenToTable(rival, "products", tenantId),
      listenToTable(customer, "products", tenantId),
      listenToTable(elsewhere.operator, "products", tenantId),
      listenToTable(elsewhere.operator, "products", elsewhere.tenantId),
    ]);
    const saffron = await listProduct(supplier);
    const draft = await listProduct(supplier, { name: "Secret blend", status: "draft" });
    await supabaseAs(supplier)
      .from("products")
      .update({ price: 13 })
      .eq("id", saffron.id)
      .throwOnError();
    const mint = await listProduct(rival, { name: "Mint" });
    const foreign = await listProduct(elsewhere.supplier);

    const ownChanges = [
      `INSERT ${saffron.id} active`,
      `INSERT ${draft.id} draft`,
      `UPDATE ${saffron.id} active`,
    ];
    const rivals = `INSERT ${mint.id} active`;
    await heardAll(byOperator, [...ownChanges, rivals]);
    await heardAll(bySupplier, ownChanges);
    await heardAll(byRival, [rivals]);
    await heardAll(byCustomer, [ownChanges[0] ?? "", ownChanges[2] ?? "", rivals]);
    await heardAll(byForeigner, [`INSERT ${foreign.id} active`]);
    expect(bySpy).toEqual([]);
    expect(byOperator[2]?.new).toMatchObject({ price: 13 });

    const last = await listProduct(supplier, { name: "Last" });
    await heardAll(bySupplier, [...ownChanges, `INSERT ${last.id} active`]);
  });
});
