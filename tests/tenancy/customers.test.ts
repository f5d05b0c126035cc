import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  ADDRESS,
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = Record<string, any>;

let testTenant: TestTenant;
let client: Person;
let product: Row;

beforeAll(async () => {
  testTenant = await openTestTenant();
  client = await registerClient(testTenant.tenantId);
  product = await listProduct(testTenant.supplier, { inventory: { quantity: 1000 } });
});

const order = (as: Person, fields: object = {}) =>
  must("POST", "/api/orders", { as, body: orderFor(product, 1, fields) });

const emailOf = (name: string) => `${name}-${randomUUID()}@example.com`;

/** The customers of a list of the API, which are also those of supabase-js. */
async function listed(as: Person, query: Record<string, string> = {}): Promise<Row[]> {
  const { customers, total } = await must(
    "GET",
    `/api/customers?${new URLSearchParams({ limit: "1000", ...query })}`,
    { as },
  );
  expect(total).toBe(customers.length);
  return customers;
}

const idsOf = (customers: Row[]) => customers.map(({ id }) => id).toSorted();

/** The id of a person's customer record, which the person sees. */
const customerIdOf = async (as: Person) => (await listed(as)).map(({ id }) => id)[0] as string;

describe("the list of customers", () => {
  it("has no guest without an order, for anybody but the guest", async () => {
    const { operator, supplier, customer } = testTenant;
    const guest = await openGuest(testTenant.marketplace);
    const id = await customerIdOf(guest);
    expect(await listed(guest)).toMatchObject([
      { user_id: guest.id, is_guest: true, orders: 0, last_ordered_at: null },
    ]);
    expect((await must("GET", `/api/customers/${id}`, { as: guest })).id).toBe(id);
    for (const as of [operator, client, supplier, customer]) {
      expect(idsOf(await listed(as))).not.toContain(id);
      expect(await listed(as, { user_id: guest.id })).toEqual([]);
      expectRefusal(await call("GET", `/api/customers/${id}`, { as }), 404, "NOT_FOUND");
      const db = supabaseAs(as);
      for (const query of [
        db.from("customers").select("id").eq("id", id),
        db.from("customer_details").select("id").eq("id", id),
        db.rpc("found_customers").select("id").eq("id", id),
      ]) {
        expect((await query.throwOnError()).data).toEqual([]);
      }
    }
    const { data: own } = await supabaseAs(guest).from("customers").select("id").throwOnError();
    expect(own).toEqual([{ id }]);
  });

  it("has who registered or was created, with and without an order", async () => {
    const { operator, customer } = testTenant;
    const person = await register({ tenant_id: testTenant.tenantId, role: "customer" });
    const made = await must("POST", "/api/customers", { as: client, body: { name: "Zoe" } });
    for (const as of [operator, client]) {
      const all = await listed(as);
      expect(all).toContainEqual(made);
      for (const { id, email } of [person, customer]) {
        expect(all).toContainEqual(
          expect.objectContaining({ user_id: id, email, is_guest: false, orders: 0 }),
        );
      }
      const { data } = await supabaseAs(as).from("customer_details").select().throwOnError();
      expect(idsOf(data)).toEqual(idsOf(all));
    }
  });

  it("has a guest from its order on, with the name and address of the last order", async () => {
    const { operator, supplier } = testTenant;
    const guest = await openGuest(testTenant.marketplace);
    const [lena, marie] = [emailOf("Lena"), emailOf("marie")];
    const first = await order(guest, { contact: { name: "Lena", email: lena } });
    const id = first.customer_id;
    const shown = {
      id,
      user_id: guest.id,
      name: "Lena",
      email: lena.toLowerCase(),
      is_guest: true,
    };
    for (const as of [operator, client, guest]) {
      const answer = await must("GET", `/api/customers/${id}`, { as });
      expect(answer).toMatchObject({ ...shown, orders: 1 });
      expect(Date.parse(answer.last_ordered_at)).toBe(Date.parse(first.created_at));
      expect(await listed(as, { user_id: guest.id })).toEqual([answer]);
      expect(await listed(as, { email: lena })).toEqual([answer]);
    }
    expect(await listed(supplier)).toEqual([]);

    await order(guest, { contact: { email: marie } });
    expect(await must("GET", `/api/customers/${id}`, { as: operator })).toMatchObject({
      ...{ name: "Lena", email: marie, orders: 2 },
    });
    await order(guest, { contact: { email: marie, name: "Marie" } });
    expect(await must("GET", `/api/customers/${id}`, { as: operator })).toMatchObject({
      ...{ name: "Marie", email: marie, orders: 3 },
    });
    expect(await listed(operator, { email: lena })).toEqual([]);
  });

  it("keeps a guest whose order was cancelled", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const placed = await order(guest, { contact: { email: emailOf("c"), name: "Cleo" } });
    await must("PUT", `/api/orders/${placed.id}/status`, {
      as: guest,
      body: { status: "cancelled" },
    });
    expect(await listed(client, { user_id: guest.id, has_orders: "true" })).toMatchObject([
      { name: "Cleo", orders: 1 },
    ]);
  });

  it("has a guest for whom the staff ordered, with the name of the delivery's address", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const customer_id = await customerIdOf(guest);
    const shipping_address = { ...ADDRESS, name: "Noor" };
    await order(client, { customer_id, shipping_address });
    expect(await listed(client, { user_id: guest.id })).toMatchObject([
      { id: customer_id, name: "Noor", email: null, orders: 1 },
    ]);
  });

  it("has nothing of an order that was refused", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const body = orderFor(product, 100_000, { contact: { email: emailOf("r"), name: "Rae" } });
    const refused = await call("POST", "/api/orders", { as: guest, body });
    expectRefusal(refused, 422, "INSUFFICIENT_INVENTORY");
    expect(await listed(client, { user_id: guest.id })).toEqual([]);
    expect(await listed(guest)).toMatchObject([{ name: "", email: null }]);
  });

  it("shows a guest who registered with the account's name and address", async () => {
    const [buyer, visitor] = [
      await openGuest(testTenant.marketplace),
      await openGuest(testTenant.marketplace),
    ];
    const given = emailOf("given");
    const { customer_id } = await order(buyer, { contact: { email: given, name: "Gil" } });
    for (const [guest, orders] of [
      [buyer, 1],
      [visitor, 0],
    ] as const) {
      const email = emailOf("own");
      const body = { email, password: PASSWORD, name: "Gila" };
      await must("POST", "/auth/register", { as: guest, body });
      expect(await listed(client, { user_id: guest.id })).toMatchObject([
        { name: "Gila", email, is_guest: false, orders },
      ]);
    }
    expect(await listed(client, { email: given })).toEqual([]);
    const { data } = await supabaseAs(client)
      .from("customers")
      .select("contact_email, is_listed")
      .eq("id", customer_id)
      .throwOnError();
    expect(data).toEqual([{ contact_email: null, is_listed: true }]);
  });

  it("keeps the name and address of a guest that chooses a language or is deleted", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const contact = { email: emailOf("k"), name: "Kim" };
    const { customer_id } = await order(guest, { contact });
    const admin = supabaseAsService().auth.admin;
    const changed = await admin.updateUserById(guest.id, { user_metadata: { language: "de" } });
    expect(changed.error).toBeNull();
    const path = `/api/customers/${customer_id}`;
    expect(await must("GET", path, { as: client })).toMatchObject({ ...contact, language: "de" });
    expect((await admin.deleteUser(guest.id)).error).toBeNull();
    expect(await must("GET", path, { as: client })).toMatchObject({ ...contact, user_id: null });
  });

  it("filters customers with and without an order", async () => {
    const { operator } = testTenant;
    const all = await listed(operator);
    const [having, lacking] = [
      await listed(operator, { has_orders: "true" }),
      await listed(operator, { has_orders: "false" }),
    ];
    expect(having.length).toBeGreaterThan(0);
    expect(lacking.length).toBeGreaterThan(0);
    expect(having.every(({ orders }) => orders > 0)).toBe(true);
    expect(lacking.every(({ orders }) => orders === 0)).toBe(true);
    expect(idsOf([...having, ...lacking])).toEqual(idsOf(all));
    for (const has_orders of ["1", "yes"]) {
      const refused = await call("GET", `/api/customers?has_orders=${has_orders}`, {
        as: operator,
      });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "has_orders" });
    }
  });
});

describe("a search of customers", () => {
  it("finds names, e-mail addresses and addresses of orders, for each caller only in what it sees", async () => {
    const shop = await openTestTenant();
    const { operator, supplier, customer, marketplace } = shop;
    const [staff, foreign] = await Promise.all([registerClient(shop.tenantId), openTestTenant()]);
    const saffron = await listProduct(supplier);
    const [guest, visitor] = [await openGuest(marketplace), await openGuest(marketplace)];
    const create = async (body: object) =>
      (await must("POST", "/api/customers", { as: staff, body })).id;
    const anna = await create({ name: "Anna Müller", email: "Anna.M@example.com" });
    const wei = await create({ name: "李 Wei" });
    const place = (as: Person, fields: object) =>
      must("POST", "/api/orders", { as, body: orderFor(saffron, 1, fields) });
    await place(staff, {
      customer_id: wei,
      shipping_address: { street: "Königsallee 7", city: "Düsseldorf", postal_code: "40212" },
    });
    await place(guest, {
      contact: { email: "lena@shop.example.org", name: "Lena Ōno" },
      shipping_address: { ...ADDRESS, name: "Yasmin Haddad" },
    });
    const lena = await customerIdOf(guest);
    const own = await customerIdOf(customer);

    const found = async (as: Person, search: string, more: Record<string, string> = {}) => {
      const ids = idsOf(await listed(as, { search, ...more }));
      if (Object.keys(more).length === 0) {
        const { data } = await supabaseAs(as)
          .rpc("found_customers", { search })
          .select("id")
          .throwOnError();
        expect(idsOf([data].flat())).toEqual(ids);
      }
      return ids;
    };
    for (const [search, wanted] of [
      ["muller", [anna]],
      ["MÜLL ann", [anna]],
      ["anna.m@EXAMPLE.com", [anna]],
      ["李", [wei]],
      ["we", [wei]],
      ["lena@shop", [lena]],
      ["ono lena", [lena]],
      ["haddad yas", [lena]],
      ["dusseldorf", [wei]],
      ["königsallee 40212", [wei]],
      ["fez", [lena]],
      [customer.email, [own]],
      [visitor.id, []],
      ["li", []],
      ["anna wei", []],
      ["nobody", []],
      ["%", []],
    ] as const) {
      for (const as of [operator, staff]) {
        expect([search, await found(as, search)]).toEqual([search, [...wanted].toSorted()]);
      }
      expect(await found(foreign.operator, search)).toEqual([]);
      expect(await found(supplier, search)).toEqual([]);
      expect(await found(customer, search)).toEqual(wanted.filter((id) => id === own));
      expect(await found(guest, search)).toEqual(wanted.filter((id) => id === lena));
    }
    for (const sort of ["name", "email", "created_at"]) {
      expect(await found(staff, "anna", { sort, order: "asc" })).toEqual([anna]);
    }
    const { data: names } = await supabaseAs(staff)
      .from("customer_details")
      .select("name")
      .order("sort_name")
      .throwOnError();
    const sorted = [...new Set(names.map(({ name }) => name))];
    expect(sorted).toEqual(["Anna Müller", "Lena Ōno", "Test Person", "李 Wei"]);
    expect(await found(staff, "example.com", { has_orders: "false" })).toContain(anna);
    expect(await found(staff, "example.com", { has_orders: "true" })).toEqual([]);
    expect(await found(staff, "lena", { has_orders: "true" })).toEqual([lena]);
    expect(await found(staff, "lena", { email: "other@example.com" })).toEqual([]);
  });
});
