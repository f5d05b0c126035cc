import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { until } from "../eventually.js";
import {
  call,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  register,
  registerClient,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = Record<string, any>;

let shop: TestTenant;
let staff: Person;
let product: Row;

beforeAll(async () => {
  shop = await openTestTenant();
  staff = await registerClient(shop.tenantId);
  product = await listProduct(shop.supplier, { inventory: { quantity: 1000 } });
});

const emailOf = () => `${randomUUID()}@example.com`;
const create = (email: string) =>
  must("POST", "/api/customers", { as: staff, body: { name: "Made", email } });
const order = (as: Person, fields: object = {}): Promise<Row> =>
  must("POST", "/api/orders", { as, body: orderFor(product, 1, fields) });
const guestOrder = async (email: string) => {
  const guest = await openGuest(shop.marketplace);
  return { guest, order: await order(guest, { contact: { email, name: "Guest" } }) };
};
const ordersOf = async (as: Person | string): Promise<string[]> =>
  (await must("GET", "/api/orders?limit=100", { as })).orders.map(({ id }: Row) => id).toSorted();
const idsOf = (orders: Row[]) => orders.map(({ id }) => id).toSorted();
const listed = async (email: string): Promise<Row[]> =>
  (await must("GET", `/api/customers?email=${email}`, { as: staff })).customers;

/** Joins the shop with an address, which the stack confirms at once. */
const join = async (email: string): Promise<string> => {
  const body = { email, password: PASSWORD, name: "Account", tenant_id: shop.tenantId };
  return (await must("POST", "/auth/register", { body })).access_token;
};
const setConfirmed = (email: string, at: string) =>
  query(`update auth.users set email_confirmed_at = ${at} where email = $1`, [email]);

describe("customers with the confirmed address of an account", () => {
  it("become the account's when it joins, all of them, with their orders", async () => {
    const email = emailOf();
    const made = await create(email);
    const placed = [
      await order(staff, { customer_id: made.id }),
      (await guestOrder(email)).order,
      (await guestOrder(email)).order,
    ];
    const token = await join(email);
    expect(await ordersOf(token)).toEqual(idsOf(placed));
    expect(await listed(email)).toMatchObject([
      { id: made.id, name: "Account", is_guest: false, orders: 3 },
    ]);
    const [{ parts }] = (await must("GET", "/api/orders", { as: token })).orders;
    expect(parts).toHaveLength(1);
  });

  it("bring no address, phone or language that a guest has typed", async () => {
    for (const accountFirst of [true, false]) {
      const email = emailOf();
      const first = accountFirst ? await join(email) : undefined;
      const own = { street: "2 Own Street", city: "Fez", country: "MA" };
      if (first) {
        await must("POST", "/api/customers/me/addresses", { as: first, body: own });
        const me = await must("GET", "/auth/me", { as: first });
        await must("PATCH", `/api/customers/${me.customer_id}`, {
          as: first,
          body: { phone: "+49 30 2", language: "de" },
        });
      }
      const { guest } = await guestOrder(email);
      const { customer_id } = await must("GET", "/auth/me", { as: guest });
      const typed = { phone: "+49 30 1", language: "ar" };
      await must("PATCH", `/api/customers/${customer_id}`, { as: guest, body: typed });
      await must("POST", "/api/customers/me/addresses", {
        as: guest,
        body: { street: "1 Other Street", city: "Fez", country: "MA" },
      });
      if (first) {
        await query("update private.customer_claims set due_at = now() where tenant_id = $1", [
          shop.tenantId,
        ]);
        await runJob("claim-customers");
      }
      const token = first ?? (await join(email));
      expect(await ordersOf(token)).toHaveLength(1);
      const { addresses } = await must("GET", "/api/customers/me/addresses", { as: token });
      expect(addresses).toEqual(first ? [expect.objectContaining(own)] : []);
      const [kept] = await listed(email);
      expect([kept?.phone, kept?.language]).toEqual(
        first ? ["+49 30 2", "de"] : [null, expect.not.stringMatching("ar")],
      );
    }
  });

  it("become the account's when it confirms, also if it has ordered", async () => {
    const { email, ...person } = await register({ tenant_id: shop.tenantId });
    const as = { email, ...person };
    await setConfirmed(email, "null");
    const own = await order(as);
    const { guest, order: second } = await guestOrder(email);
    const made = await create(email);
    const third = await order(staff, { customer_id: made.id });
    expect(await ordersOf(as)).toEqual([own.id]);
    await setConfirmed(email, "now()");
    expect(await ordersOf(as)).toEqual(idsOf([own, second, third]));
    expect(await listed(email)).toMatchObject([{ id: own.customer_id, orders: 3 }]);
    expect((await call("GET", "/api/orders", { as: guest })).status).not.toBe(200);
  });

  it("become the account's when its address changes to theirs", async () => {
    const as = await register({ tenant_id: shop.tenantId });
    const own = await order(as);
    const email = emailOf();
    const { order: second } = await guestOrder(email);
    await supabaseAsService().auth.admin.updateUserById(as.id, { email, email_confirm: true });
    expect(await ordersOf(as)).toEqual(idsOf([own, second]));
    expect(await listed(email)).toMatchObject([{ id: own.customer_id, orders: 2 }]);
  });

  it("are the account's from the beginning if the staff creates them later", async () => {
    const person = await register({ tenant_id: shop.tenantId });
    const { id, name } = await create(person.email);
    expect((await must("GET", "/auth/me", { as: person })).customer_id).toBe(id);
    expect(name).not.toBe("Made");
    const placed = await order(staff, { customer_id: id });
    expect(await ordersOf(person)).toEqual([placed.id]);
  });

  it("give a guest an hour to see its order", async () => {
    const person = await register({ tenant_id: shop.tenantId });
    const own = await order(person);
    const { guest, order: placed } = await guestOrder(person.email);
    await runJob("claim-customers");
    expect(await ordersOf(guest)).toEqual([placed.id]);
    expect(await ordersOf(person)).toEqual([own.id]);
    await query("update private.customer_claims set due_at = now() where customer_id = $1", [
      placed.customer_id,
    ]);
    await runJob("claim-customers");
    expect(await ordersOf(person)).toEqual(idsOf([own, placed]));
    expect(await query("select from auth.users where id = $1", [guest.id])).toEqual([]);
  });

  it("are joined within a minute when the staff gives them the address", async () => {
    const person = await register({ tenant_id: shop.tenantId });
    const made = await create(emailOf());
    const placed = await order(staff, { customer_id: made.id });
    await must("PATCH", `/api/customers/${made.id}`, { as: staff, body: { email: person.email } });
    await runJob("claim-customers");
    expect(await ordersOf(person)).toEqual([placed.id]);
    expect(await listed(person.email)).toMatchObject([{ id: made.id, orders: 1 }]);
  });

  it("count in the figures about customers as one", async () => {
    const other = await openTestTenant();
    const client = await registerClient(other.tenantId);
    const tea = await listProduct(other.supplier);
    const email = emailOf();
    const made = await must("POST", "/api/customers", {
      as: client,
      body: { name: "Made", email },
    });
    const body = (fields: object) => orderFor(tea, 1, fields);
    await must("POST", "/api/orders", { as: client, body: body({ customer_id: made.id }) });
    const guest = await openGuest(other.marketplace);
    await must("POST", "/api/orders", { as: guest, body: body({ contact: { email } }) });
    await runJob("roll-up-sales");
    await must("POST", "/auth/register", {
      body: { email, password: PASSWORD, tenant_id: other.tenantId },
    });
    await until(async () => {
      await runJob("roll-up-sales");
      const left = "select from private.sales_redraws where tenant_id = $1";
      return (await query(left, [other.tenantId])).length === 0;
    }, "the new rollup");
    const [row] = await query(
      `select
         (select count(distinct customer_id)::integer from private.ordering_customers where tenant_id = $1) as customers,
         (select count(distinct customer_id)::integer from private.sales where tenant_id = $1) as buyers`,
      [other.tenantId],
    );
    expect(row).toEqual({ customers: 1, buyers: 1 });
  });

  it("stay apart from an account that has not confirmed the address, and from other tenants", async () => {
    const person = await register({ tenant_id: shop.tenantId });
    await setConfirmed(person.email, "null");
    const made = await create(person.email);
    const placed = await order(staff, { customer_id: made.id });
    await runJob("claim-customers");
    expect(await ordersOf(person)).toEqual([]);
    const elsewhere = await openTestTenant();
    await must("POST", "/auth/register", {
      body: { email: emailOf(), password: PASSWORD, tenant_id: elsewhere.tenantId },
    });
    expect((await must("GET", `/api/orders/${placed.id}`, { as: staff })).customer_id).toBe(
      made.id,
    );
  });

  it("become one account's when two guests' orders and the join happen at once", async () => {
    const email = emailOf();
    const { order: first } = await guestOrder(email);
    const [second, token] = await Promise.all([guestOrder(email), join(email)]);
    await query("update private.customer_claims set due_at = now() where tenant_id = $1", [
      shop.tenantId,
    ]);
    await runJob("claim-customers");
    expect(await ordersOf(token)).toEqual(idsOf([first, second.order]));
    expect(await listed(email)).toHaveLength(1);
  });
});
