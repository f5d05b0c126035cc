// Mails that tell suppliers and admins of orders, suppliers of payouts, and the buyer of parcels and of what was cancelled.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  ADDRESS,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  register,
  type TestTenant,
} from "../souk.js";
import { approveMail, mailsOf, mailTo, sentMail } from "./mailbox.js";

let testTenant: TestTenant;
let rival: Person;
// biome-ignore-start lint/suspicious/noExplicitAny: records as the API answers them.
let lamp: any;
let rug: any;
let pot: any;
let order: any;
// biome-ignore-end lint/suspicious/noExplicitAny: records as the API answers them.

const TEMPLATES = ["supplier_order_placed", "operator_order_placed"];

beforeAll(async () => {
  testTenant = await openTestTenant();
  await query("select public.set_mails_per_day($1, 1000)", [testTenant.tenantId]);
  const { tenantId, supplier, operator, customer } = testTenant;
  rival = await register({ tenant_id: tenantId, role: "supplier" });
  const inventory = { quantity: 1000 };
  lamp = await listProduct(supplier, { name: "Star lamp", price: 20, inventory });
  rug = await listProduct(rival, { name: "Wool rug", price: 300, inventory });
  pot = await listProduct(operator, { name: "Tin pot", price: 7, inventory });
  order = await place(customer, [lamp, rug, pot]);
});

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
const place = (as: Person, products: any[]) =>
  must("POST", "/api/orders", {
    as,
    body: {
      marketplace_id: testTenant.marketplace.id,
      items: products.map(({ id, price }) => ({ product_id: id, quantity: 2, price })),
      shipping_address: ADDRESS,
    },
  });

describe("a payout", () => {
  it("that was paid is told to the members of its supplier alone, with its amount and reference", async () => {
    const { operator, supplier } = testTenant;
    const { supplier_id } = lamp;
    await must("POST", `/api/suppliers/${supplier_id}/adjustments`, {
      as: operator,
      body: { amount: 1240.5, currency: "EUR", reason: "Balance of the former shop system." },
    });
    const { payouts } = await must("POST", "/api/payouts", { as: operator, body: { supplier_id } });
    expect(await mailsOf(operator, "template=payout_paid")).toEqual([]);
    await must("PATCH", `/api/payouts/${payouts[0].id}`, {
      as: operator,
      body: { status: "paid", reference: "SEPA 4711" },
    });
    const mail = await mailTo(operator, supplier.email, "payout_paid");
    for (const part of [mail.Text, mail.HTML]) {
      expect(part).toContain("1,240.50");
      expect(part).toContain("SEPA 4711");
    }
    expect(await mailsOf(operator, "template=payout_paid")).toHaveLength(1);
  });
});

describe("an order", () => {
  it("is told to each supplier, with its part alone", async () => {
    const { operator, supplier } = testTenant;
    for (const [reader, own, price] of [
      [supplier, "Star lamp", "40"],
      [rival, "Wool rug", "600"],
    ] as const) {
      const mail = await mailTo(operator, reader.email, "supplier_order_placed");
      expect(mail.Subject).toContain(String(order.number));
      expect(mail.ListUnsubscribe.Header).not.toBe("");
      for (const part of [mail.Text, mail.HTML]) {
        expect(part).toContain(own);
        expect(part).toContain(price);
        expect(part).toContain(ADDRESS.street);
        for (const other of ["Star lamp", "Wool rug", "Tin pot", "654"]) {
          if (other !== own) expect(part).not.toContain(other);
        }
      }
    }
  });

  it("is told to the admins as a whole", async () => {
    const { operator } = testTenant;
    const mail = await mailTo(operator, operator.email, "operator_order_placed");
    for (const shown of ["Star lamp", "Wool rug", "Tin pot", "654"]) {
      expect(mail.Text).toContain(shown);
    }
    expect(await mailsOf(operator, `to=${operator.email}&template=supplier_order_placed`)).toEqual(
      [],
    );
  });

  it("counts for the members' bound of the day, not for that of buyers", async () => {
    const { operator, customer, supplier, tenantId } = await openTestTenant();
    await query("select public.set_mails_per_day($1, 3)", [tenantId]);
    await query(
      `insert into private.mail_senders as s (tenant_id, mails_per_day, day, mails_to_members)
       values ($1, 3, (now() at time zone 'utc')::date, 3)
       on conflict (tenant_id) do update set mails_to_members = 3, mails = 0, day = excluded.day`,
      [tenantId],
    );
    const product = await listProduct(supplier);
    await must("POST", "/api/orders", {
      as: customer,
      body: {
        marketplace_id: product.marketplace_id,
        items: [{ product_id: product.id, quantity: 1, price: product.price }],
        shipping_address: ADDRESS,
      },
    });
    for (const template of TEMPLATES) {
      const mail = await sentMail(operator, `template=${template}`);
      expect(mail).toMatchObject({ status: "suppressed" });
      expect(mail.error).toContain("3 mails of today");
    }
    expect(await sentMail(operator, "template=order_placed")).toMatchObject({ status: "success" });
  });

  it("that is sent in a parcel with tracking is told once, with the number", async () => {
    const { operator, supplier, customer } = testTenant;
    const { id } = await place(customer, [lamp]);
    const tracking = {
      ...{ carrier: "Palm Post", tracking_number: "PP-77" },
      tracking_url: "https://tracking.example.com/PP-77",
    };
    for (const body of [{ status: "confirmed" }, { status: "processing" }]) {
      await must("PATCH", `/api/orders/${id}/status`, { as: supplier, body });
    }
    await must("POST", `/api/orders/${id}/shipments`, { as: supplier, body: tracking });
    const mail = await mailTo(operator, customer.email, "shipment_sent");
    for (const shown of ["Palm Post", "PP-77", "Star lamp"]) expect(mail.Text).toContain(shown);
    expect(mail.HTML).toContain(tracking.tracking_url);
    expect(await mailsOf(operator, `to=${customer.email}&template=order_shipped`)).toEqual([]);
  });

  it("that is sent in a parcel with tracking and one without is told as a whole, too", async () => {
    const { operator, supplier, customer } = testTenant;
    const { id, items } = await place(customer, [lamp, lamp]);
    await must("PATCH", `/api/orders/${id}/status`, {
      as: supplier,
      body: { status: "confirmed" },
    });
    for (const [item, tracking] of [
      [items[0], {}],
      [items[1], { tracking_number: "PP-78" }],
    ]) {
      await must("POST", `/api/orders/${id}/shipments`, {
        as: supplier,
        body: { items: [{ item_id: item.id, quantity: 2 }], ...tracking },
      });
    }
    const shipped = await mailsOf(operator, `to=${customer.email}&template=order_shipped`);
    expect(shipped).toHaveLength(1);
  });

  it("of which a part is cancelled is told to the buyer, once", async () => {
    const { operator, customer } = testTenant;
    const placed = await place(customer, [lamp, pot]);
    const [first, second] = placed.items;
    const cancel = (item: { id: string }, reason: string) =>
      must("POST", `/api/orders/${placed.id}/cancellations`, {
        as: operator,
        body: { items: [{ item_id: item.id, quantity: 2 }], reason },
      });
    await cancel(first, "Broken in the store.");
    const mail = await mailTo(operator, customer.email, "items_cancelled");
    expect(mail.Text).toContain("Broken in the store.");
    expect(mail.Text).toContain(first.name);
    expect(mail.Text).not.toContain(second.name);
    await cancel(second, "Sold out.");
    await sentMail(operator, `to=${customer.email}&template=order_cancelled`);
    expect(await mailsOf(operator, `to=${customer.email}&template=items_cancelled`)).toHaveLength(
      1,
    );
  });
});

describe("a return request", () => {
  it("is told to the supplier, or to the admins for what the operator sells", async () => {
    const { operator, supplier, customer } = testTenant;
    const { id, total_amount } = await place(customer, [lamp, pot]);
    await must("POST", `/api/orders/${id}/payments`, {
      as: operator,
      body: { status: "paid", amount: total_amount, reference: randomUUID() },
    });
    for (const status of ["confirmed", "processing", "shipped", "delivered"]) {
      await must("PUT", `/api/orders/${id}/status`, { as: operator, body: { status } });
    }
    const { items } = await must("GET", `/api/orders/${id}`, { as: customer });
    for (const item of items) {
      await must("POST", `/api/orders/${id}/return-requests`, {
        as: customer,
        body: { items: [{ item_id: item.id, quantity: 1 }], reason: `Dented: ${item.name}` },
      });
    }
    for (const [reader, name] of [
      [supplier, "Star lamp"],
      [operator, "Tin pot"],
    ] as const) {
      const mail = await mailTo(operator, reader.email, "return_requested");
      expect(mail.Text).toContain(`Dented: ${name}`);
    }
  });
});

describe("a mail of the tenant's own", () => {
  const texts = {
    name: "Told",
    subject: "{{ order.number }}",
    html_content: "<p>{{ supplier.name }} {{ user.email }} {{ order.total_amount | money }}</p>",
  };
  const create = (body: object) =>
    call("POST", "/api/email-templates", { as: testTenant.operator, body: { ...texts, ...body } });

  it("goes to the receivers that it names", async () => {
    const { operator, supplier, customer, tenantId } = testTenant;
    await approveMail({ tenantId });
    for (const to of ["buyer", "supplier", "admins"]) {
      const made = await create({ key: `to_${to}`, trigger_events: ["order.created"], to });
      expect(made.status).toBe(201);
      expect(made.body.to).toBe(to);
    }
    await place(customer, [lamp, rug]);
    const readers = async (to: string, count: number) => {
      const mails = await mailsOf(operator, `template=to_${to}`);
      expect(mails).toHaveLength(count);
      return mails.map((mail) => mail.to).sort();
    };
    expect(await readers("buyer", 1)).toEqual([customer.email]);
    expect(await readers("supplier", 2)).toEqual([supplier.email, rival.email].sort());
    expect(await readers("admins", 1)).toEqual([operator.email]);
    const { Text } = await mailTo(operator, supplier.email, "to_supplier");
    expect(Text).toContain(supplier.email);
    expect(Text).toContain("40");
  });

  it("shows a supplier nothing that was cancelled from others", async () => {
    const { operator, supplier, customer } = testTenant;
    const html_content =
      "<p>{{ cancellation.amount }}: {% for item in cancellation.items %}{{ item.name }} {{ item.quantity }};{% endfor %}</p>";
    const made = await create({
      ...{ key: "cancelled_items", html_content, to: "supplier" },
      trigger_events: ["order.items_cancelled"],
    });
    expect(made.status).toBe(201);
    const { id, items } = await place(customer, [lamp, rug]);
    await must("POST", `/api/orders/${id}/cancellations`, {
      as: operator,
      body: { items: items.map((item: { id: string }) => ({ item_id: item.id, quantity: 1 })) },
    });
    for (const [reader, shown] of [
      [supplier, "20: Star lamp 1;"],
      [rival, "300: Wool rug 1;"],
    ] as const) {
      const { Text } = await mailTo(operator, reader.email, "cancelled_items");
      expect(Text.trim()).toBe(shown);
    }
  });

  it("tells the admins who has registered, not who reads it", async () => {
    const { operator, tenantId } = testTenant;
    const made = await create({
      ...{ key: "told_of_users", html_content: "<p>{{ user.email }}</p>", to: "admins" },
      trigger_events: ["user.registered"],
    });
    expect(made.status).toBe(201);
    const somebody = await register({ tenant_id: tenantId });
    const { Text } = await mailTo(operator, operator.email, "told_of_users");
    expect(Text).toContain(somebody.email);
  });

  it("names receivers that its events have, and a built-in mail keeps its own", async () => {
    for (const body of [
      { key: "odd", trigger_events: ["product.updated"], to: "buyer" },
      { key: "odd", trigger_events: ["user.registered"], to: "supplier" },
      { key: "order_placed", to: "admins" },
    ]) {
      expectRefusal(await create(body), 422, "VALIDATION_ERROR", { field: "to" });
    }
    expect((await create({ key: "odd", to: "nobody" })).status).toBe(422);
  });
});
