import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { exported, getExport } from "../exports/exporting.js";
import { approveMail, sentMail } from "../mail/mailbox.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  persist,
  register,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { calendarOf } from "../tenancy/tenant-records.js";
import { arrived, attempted, listen, logs } from "../webhooks/receiving.js";
import { notPersonal } from "./not-personal.js";
import { placesOf } from "./places.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = Record<string, any>;

describe("the table of personal data", () => {
  it("names every column of a tenant that could contain personal data, or the test's list does", async () => {
    const columns = await query<{ name: string }>(`
      select format('%s.%s.%s', c.relnamespace::regnamespace, c.relname, a.attname) as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
      left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
      where c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
        and exists (
          select from pg_attribute i where i.attrelid = c.oid and i.attname = 'tenant_id' and not i.attisdropped
        )
        and coalesce(e.typname, t.typname) in ('text', 'varchar', 'bpchar', 'citext', 'json', 'jsonb', 'bytea', 'inet', 'cidr', 'xml', 'tsvector')`);
    const listed = await query<{ name: string }>(
      "select table_name || '.' || column_name as name from private.personal_data",
    );
    const personal = new Set(listed.map(({ name }) => name));
    const names = new Set(columns.map(({ name }) => name));
    expect([...names].filter((name) => !personal.has(name) && !notPersonal.has(name))).toEqual([]);
    const tableOf = (name: string) => name.slice(0, name.lastIndexOf("."));
    const tables = new Set([...names].map(tableOf));
    const stale = [...notPersonal.keys()].filter(
      // A server without vectors lacks the tables of embeddings.
      (name) => (!names.has(name) && tables.has(tableOf(name))) || personal.has(name),
    );
    expect(stale).toEqual([]);
  });

  it("names columns that exist, and finds rows by columns that exist", async () => {
    const missing = await query(`
      select p.table_name, k.name
      from private.personal_data p
      cross join lateral (
        select p.column_name as name union select jsonb_object_keys(p.found_by) union select 'tenant_id'
      ) as k
      where not exists (
        select from pg_attribute a where a.attrelid = to_regclass(p.table_name) and a.attname = k.name
      )`);
    expect(missing).toEqual([]);
  });
});

/** Somebody whose data is easy to find. */
const personOf = () => {
  const mark = randomUUID().slice(0, 8);
  return {
    name: `Zubeida Quill${mark}`,
    email: `zubeida.${mark}@example.com`,
    phone: `+49 30 9${mark}`,
    street: `${mark} Secret Lane`,
    mark,
  };
};
type Somebody = ReturnType<typeof personOf>;

const addressOf = ({ name, street, phone }: Somebody, country = "DE") => ({
  ...{ name, street, phone, country },
  city: "Berlin",
  postal_code: "10115",
});
const wordsOf = ({ mark, name, email, phone, street }: Somebody) => [
  mark,
  name,
  email,
  phone,
  street,
];

let shop: TestTenant;
let staff: Person;
let product: Row;
let service: Row;

beforeAll(async () => {
  shop = await openTestTenant();
  await approveMail(shop);
  staff = await registerClient(shop.tenantId);
  product = await listProduct(shop.supplier, { inventory: { quantity: 1000 } });
  service = await listProduct(shop.supplier, {
    kind: "service",
    name: "Lesson",
    inventory: undefined,
  });
  await must("PUT", `/api/products/${service.id}/calendar`, {
    as: shop.supplier,
    body: calendarOf({ mark: "At home" }),
  });
});

/** Registers somebody as a customer of the shop, as /auth/register does. */
async function join({ email, name }: Somebody): Promise<Person> {
  const body = { email, name, password: PASSWORD, tenant_id: shop.tenantId };
  const made = await must("POST", "/auth/register", { body });
  return {
    ...{ id: made.user.id, email, password: PASSWORD, token: made.access_token },
    ...{ refreshToken: made.refresh_token, tenantId: shop.tenantId },
  };
}

const customerOf = async (as: Person): Promise<string> =>
  (await must("GET", "/auth/me", { as })).customer_id;

/** Orders everything, and leaves data at every place that an order has. */
async function trade(as: Person, who: Somebody): Promise<Row> {
  const { slots } = await must("GET", `/api/products/${service.id}/slots?limit=1`, { as });
  const contact = { email: who.email, name: who.name, phone: who.phone };
  const order = await must("POST", "/api/orders", {
    as,
    headers: { "idempotency-key": `order of ${who.mark}` },
    body: {
      ...orderFor(product, 3, {
        ...{ contact, shipping_address: addressOf(who), billing_address: addressOf(who, "FR") },
        ...{ tax_id: `FR${who.mark}`, language: "de" },
      }),
      items: [
        { product_id: product.id, quantity: 3, price: product.price },
        {
          product_id: service.id,
          quantity: 1,
          price: service.price,
          starts_at: slots[0].starts_at,
        },
      ],
    },
  });
  const path = `/api/orders/${order.id}`;
  const item = order.items.find((one: Row) => one.product_id === product.id);
  const pieces = (quantity: number) => [{ item_id: item.id, quantity }];
  await must("POST", `${path}/notes`, { as, body: { text: `Ring at ${who.name}` } });
  await must("POST", `${path}/notes`, {
    as: shop.operator,
    body: { text: `${who.name} called from ${who.phone}`, visibility: "internal" },
  });
  await must("POST", `${path}/payments`, {
    as: staff,
    body: { status: "paid", amount: order.total_amount, reference: randomUUID() },
  });
  await must("POST", `${path}/cancellations`, {
    as,
    body: { items: pieces(1), reason: `${who.name} changed her mind` },
  });
  const { id: shipment } = await must("POST", `${path}/shipments`, {
    as: shop.supplier,
    body: {
      items: pieces(2),
      tracking_number: who.mark,
      tracking_url: `https://example.com/${who.mark}`,
      note: `For ${who.name}`,
    },
  });
  await must("PATCH", `${path}/shipments/${shipment}`, {
    as: shop.supplier,
    body: { status: "delivered" },
  });
  const request = await must("POST", `${path}/return-requests`, {
    as,
    body: { items: pieces(1), reason: `Too small for ${who.name}` },
  });
  await must(
    "POST",
    `${path}/return-requests/${(request.return_requests ?? [request])[0].id}/reject`,
    {
      as: shop.supplier,
      body: { note: `Dear ${who.name}` },
    },
  );
  return order;
}

const erase = (as: Person, id: string) =>
  persist("DELETE", `/api/customers/${id}/personal-data`, { as });

describe("the erasure of a customer's personal data", () => {
  it("leaves its words nowhere in the database, and the books as they were", async () => {
    const who = personOf();
    const customer = await join(who);
    const id = await customerOf(customer);
    const there = await listen(staff, ["order.created", "order.status_changed", "user.registered"]);
    const order = await trade(customer, who);
    const file = await exported(shop.operator, { type: "orders", format: "csv" });
    await sentMail(shop.operator, `to=${encodeURIComponent(who.email)}&template=order_placed`);
    const before = await must("GET", `/api/orders/${order.id}`, { as: shop.operator });
    expect(await placesOf([who.mark])).not.toEqual([]);

    expect(await erase(customer, id)).toMatchObject({ status: 204 });
    expect(await placesOf(wordsOf(who))).toEqual([]);

    const after = await must("GET", `/api/orders/${order.id}`, { as: shop.operator });
    const books = (of: Row) => ({
      ...{ total_amount: of.total_amount, status: of.status, number: of.number, parts: of.parts },
      items: of.items,
      payments: of.payments,
    });
    expect(books(after)).toEqual(books(before));
    expect(after).toMatchObject({
      shipping_address: { street: "", country: "DE" },
      billing_address: { street: "", country: "FR" },
      contact: null,
    });
    expect(await must("GET", `/api/customers/${id}`, { as: shop.operator })).toMatchObject({
      ...{ name: "", email: null, user_id: null, orders: 1 },
      erased_at: expect.any(String),
    });
    expect(await getExport(shop.operator, file)).toMatchObject({ status: "expired" });
    expect(there.received.length).toBeGreaterThan(0);
  });

  it("ends the account, and refuses new orders for the customer", async () => {
    const who = personOf();
    const customer = await join(who);
    const id = await customerOf(customer);
    expect((await erase(shop.operator, id)).status).toBe(204);
    expect((await erase(shop.operator, id)).status).toBe(204);
    expect((await call("GET", "/api/orders", { as: customer })).status).toBeGreaterThanOrEqual(401);
    const login = { email: who.email, password: PASSWORD };
    expect((await call("POST", "/auth/login", { body: login })).status).toBe(401);
    const again = await call("POST", "/api/orders", {
      as: staff,
      body: orderFor(product, 1, { customer_id: id }),
    });
    expectRefusal(again, 404, "NOT_FOUND", { field: "customer_id" });
    const person = await join(who);
    expect(await customerOf(person)).not.toBe(id);
  });

  it("ends only the membership of an account that has others", async () => {
    const who = personOf();
    const customer = await join(who);
    const id = await customerOf(customer);
    await must("POST", "/auth/tenants", { as: customer, body: { tenant_name: "Elsewhere" } });
    expect((await erase(customer, id)).status).toBe(204);
    const login = { email: who.email, password: PASSWORD };
    const session = await must("POST", "/auth/login", { body: login });
    const me = await must("GET", "/auth/me", { as: session.access_token });
    expect(me.tenant.id).not.toBe(shop.tenantId);
    const rows = await query("select from public.members where tenant_id = $1 and user_id = $2", [
      shop.tenantId,
      customer.id,
    ]);
    expect(rows).toEqual([]);
  });

  it("erases a guest, with the mails of its orders", async () => {
    const who = personOf();
    const guest = await openGuest(shop.marketplace);
    await trade(guest, who);
    await sentMail(shop.operator, `to=${encodeURIComponent(who.email)}&template=order_placed`);
    const id = await customerOf(guest);
    // Mails are kept longer than events.
    await query(
      `delete from public.events e using public.orders o
       where o.customer_id = $1 and e.tenant_id = o.tenant_id and e.payload #>> '{data,order,id}' = o.id::text`,
      [id],
    );
    expect((await erase(shop.operator, id)).status).toBe(204);
    expect(await placesOf(wordsOf(who))).toEqual([]);
  });

  it("erases an application to sell, and the mails about it", async () => {
    const who = personOf();
    const customer = await join(who);
    await must("PATCH", "/api/tenant", {
      as: shop.operator,
      body: { settings: { sellers: { signup: "application" } } },
    });
    const application = await must("POST", "/api/supplier-applications", {
      as: customer,
      body: { name: who.name, email: `shop-${who.email}`, country: "DE", message: who.mark },
    });
    await must("POST", `/api/supplier-applications/${application.id}/reject`, {
      as: shop.operator,
      body: { reason: who.mark },
    });
    expect((await erase(shop.operator, await customerOf(customer))).status).toBe(204);
    expect(await placesOf([...wordsOf(who), `shop-${who.email}`])).toEqual([]);
  });

  it("erases a customer without an account, and what the staff did about it", async () => {
    const who = personOf();
    const { id } = await must("POST", "/api/customers", {
      as: staff,
      body: { name: who.name, email: who.email },
      headers: { "idempotency-key": `customer ${who.mark}` },
    });
    const order = await must("POST", "/api/orders", {
      as: staff,
      body: orderFor(product, 1, { customer_id: id, shipping_address: addressOf(who) }),
      headers: { "idempotency-key": randomUUID() },
    });
    await must("POST", `/api/orders/${order.id}/notes`, {
      as: staff,
      body: { text: who.mark },
      headers: { "idempotency-key": randomUUID() },
    });
    expect((await erase(shop.operator, id)).status).toBe(204);
    expect(await placesOf(wordsOf(who))).toEqual([]);
  });

  it("leaves the answers about a customer with a longer address, so that nothing is done twice", async () => {
    const who = personOf();
    const add = (email: string) =>
      call("POST", "/api/customers", {
        as: staff,
        body: { name: "Long", email },
        headers: { "idempotency-key": `longer than ${email}` },
      });
    const longer = [`a${who.email}`, `${who.email}.example.com`];
    const made = await Promise.all(longer.map(add));
    const { body } = await add(who.email);
    expect((await erase(shop.operator, body.id)).status).toBe(204);
    for (const [i, email] of longer.entries()) {
      const again = await add(email);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.body).toEqual(made[i]?.body);
    }
  });

  it("leaves the data of another customer who gave the same address", async () => {
    const who = personOf();
    const customer = await join(who);
    const guest = await openGuest(shop.marketplace);
    const order = await must("POST", "/api/orders", {
      as: guest,
      body: orderFor(product, 1, { contact: { email: who.email, name: "Another" } }),
    });
    const address = encodeURIComponent(who.email);
    await sentMail(shop.operator, `to=${address}&template=order_placed`);
    const own = `select count(*)::integer as mails from public.mails where "to" = $1 and template = 'welcome'`;
    const before = await query(own, [who.email]);
    expect((await erase(guest, order.customer_id)).status).toBe(204);
    await must("GET", "/auth/me", { as: customer });
    expect(await query(own, [who.email])).toEqual(before);
  });

  it("sends a delivery that waits without the data", async () => {
    const who = personOf();
    const there = await listen(staff, ["order.created"]);
    there.answers.push(500);
    const guest = await openGuest(shop.marketplace);
    const contact = { email: who.email, name: who.name };
    const order = await must("POST", "/api/orders", {
      as: guest,
      body: orderFor(product, 1, { contact, shipping_address: addressOf(who) }),
    });
    const { id } = await attempted(staff, there.webhook, 1);
    expect((await erase(guest, order.customer_id)).status).toBe(204);
    await must("POST", `/api/webhooks/${there.webhook.id}/deliveries/${id}/retry`, { as: staff });
    const [first, second] = await arrived(there, 2);
    expect(first?.raw).toContain(who.name);
    expect(second?.raw).not.toContain(who.mark);
    expect(second?.body).toMatchObject({
      event: "order.created",
      data: { order: { id: order.id, total: order.total_amount, status: "pending" } },
    });
  });

  it("records nothing of what a receiver answers later", async () => {
    const who = personOf();
    const bodies: string[] = [];
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      if (bodies.length === 1) await asked;
      response.writeHead(200).end(body.slice(-900));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const events = ["order.created"];
    const webhook = await must("POST", "/api/webhooks", { as: staff, body: { url, events } });
    const guest = await openGuest(shop.marketplace);
    const contact = { email: who.email, name: who.name };
    const order = await must("POST", "/api/orders", {
      as: guest,
      body: orderFor(product, 1, { contact, shipping_address: addressOf(who) }),
    });
    await eventuallyNone(() => 1 - bodies.length);
    expect((await erase(guest, order.customer_id)).status).toBe(204);
    answer();
    await eventually(async () => {
      await runJob("webhook-dispatch");
      expect(await logs(staff, webhook)).toMatchObject([{ status: "success", attempts: 1 }]);
    });
    expect(bodies[0]).toContain(who.name);
    expect(bodies[1]).not.toContain(who.mark);
    expect(await placesOf(wordsOf(who))).toEqual([]);
  });

  it("leaves nothing of an order that is placed at the same moment", async () => {
    const who = personOf();
    const guest = await openGuest(shop.marketplace);
    const contact = { email: who.email, name: who.name };
    const body = orderFor(product, 1, { contact, shipping_address: addressOf(who) });
    const first = await must("POST", "/api/orders", { as: guest, body });
    await Promise.all([
      persist("DELETE", `/api/customers/${first.customer_id}/personal-data`, { as: shop.operator }),
      ...[1, 2, 3].map(() => persist("POST", "/api/orders", { as: guest, body })),
    ]);
    expect(await placesOf(wordsOf(who))).toEqual([]);
  });

  it("is refused to clients, suppliers and other customers", async () => {
    const who = personOf();
    const id = await customerOf(await join(who));
    expectRefusal(await erase(staff, id), 403, "FORBIDDEN");
    expectRefusal(await erase(shop.supplier, id), 403, "FORBIDDEN");
    expectRefusal(await erase(shop.customer, id), 404, "NOT_FOUND");
    const stranger = await register({ tenant_name: "Strangers" });
    expectRefusal(await erase(stranger, id), 404, "NOT_FOUND");
    const { error } = await supabaseAs(stranger).rpc("erase_personal_data", { customer_id: id });
    expect(error?.code).toBe("PT404");
    expect((await must("GET", `/api/customers/${id}`, { as: staff })).name).toBe(who.name);
  });
});

describe("the personal data of a customer", () => {
  it("is all that is stored about the customer, without internal notes for the customer", async () => {
    const who = personOf();
    const customer = await join(who);
    const id = await customerOf(customer);
    const order = await trade(customer, who);
    const path = `/api/customers/${id}/personal-data`;
    const own = await must("GET", path, { as: customer });
    expect(own).toMatchObject({
      customer_id: id,
      records: {
        customers: [{ id, name: who.name, email: who.email }],
        members: [{ name: who.name, email: who.email }],
        orders: [{ id: order.id, contact: { phone: who.phone }, tax_id: `FR${who.mark}` }],
        bookings: [{ order_id: order.id, name: "Lesson" }],
        shipments: [{ tracking_number: who.mark }],
        return_requests: [{ reason: `Too small for ${who.name}` }],
      },
    });
    expect(own.records.order_items).toHaveLength(2);
    expect(JSON.stringify(own)).not.toContain("called from");
    const { records } = await must("GET", path, { as: shop.operator });
    expect(records.order_notes).toHaveLength(2);
    expectRefusal(await call("GET", path, { as: staff }), 403, "FORBIDDEN");
    expectRefusal(await call("GET", path, { as: shop.customer }), 404, "NOT_FOUND");

    expect((await erase(customer, id)).status).toBe(204);
    const erased = await must("GET", path, { as: shop.operator });
    expect(JSON.stringify(erased)).not.toContain(who.mark);
    expect(erased.records.order_items).toHaveLength(2);
  });
});
