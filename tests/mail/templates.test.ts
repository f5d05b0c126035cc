import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import { doBusiness, item, placed } from "../orders/ordering.js";
import { changeShipment, ship } from "../orders/shipping.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  register,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { approveMail, arrived, mailsOf, mailTo, sentMail } from "./mailbox.js";

// A tenant's own mails, which replace the built-in ones or are additional.

let testTenant: TestTenant;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let product: any;

beforeAll(async () => {
  testTenant = await openTestTenant();
  await approveMail(testTenant);
  product = await listProduct(testTenant.supplier, { inventory: { quantity: 1000 } });
});

const address = () => `${randomUUID()}@example.com`;
const path = "/api/email-templates";
const write = (body: object) =>
  call("POST", path, { as: testTenant.operator, body: { name: "Ours", ...body } });
const own = async (body: object) => {
  const made = await write(body);
  expect(made.status).toBe(201);
  return made.body;
};
const remove = (id: string) => must("DELETE", `${path}/${id}`, { as: testTenant.operator });
const placeFor = async (email: string, language?: string) => {
  const guest = await openGuest(testTenant.marketplace);
  const body = orderFor(product, 1, { contact: { email, name: "<b>Ada</b>" }, language });
  return must("POST", "/api/orders", { as: guest, body });
};

describe("an email template", () => {
  it("replaces the built-in mail with its key, in each of its languages", async () => {
    const { id } = await own({
      key: "order_placed",
      subject: { en: "Order {{ order.number }}", de: "Bestellung {{ order.number }}" },
      html_content: { en: "<p>Hello {{ customer.name }}!</p>", de: "<p>Guten Tag!</p>" },
    });
    const [english, german] = [address(), address()];
    const { number } = await placeFor(english);
    await placeFor(german, "de-CH");
    const mail = await mailTo(testTenant.operator, english, "order_placed");
    expect(mail.Subject).toBe(`Order ${number}`);
    expect(mail.HTML).toContain("<p>Hello &lt;b&gt;Ada&lt;/b&gt;!</p>");
    expect(mail.Text).toContain("Hello <b>Ada</b>!");
    expect((await mailTo(testTenant.operator, german, "order_placed")).Subject).toContain(
      "Bestellung",
    );
    await remove(id);
    const next = address();
    await placeFor(next);
    expect((await mailTo(testTenant.operator, next, "order_placed")).HTML).not.toContain(
      "&lt;/b&gt;!",
    );
  });

  it("starts with the built-in texts", async () => {
    const made = await own({ key: "order_shipped" });
    expect(Object.keys(made.html_content).sort()).toEqual(["ar", "de", "en"]);
    const changed = await must("PUT", `${path}/${made.id}`, {
      as: testTenant.operator,
      body: { subject: "On its way" },
    });
    expect(changed).toMatchObject({ key: "order_shipped", subject: "On its way" });
    expect(changed.html_content).toEqual(made.html_content);
    await remove(made.id);
  });

  it("with its own key is sent in addition on its events, with an unsubscribe link", async () => {
    const { id } = await own({
      key: "thanks",
      subject: "Thanks",
      html_content: "<p>{{ order.total_amount | money }}</p>",
      trigger_events: ["order.created"],
    });
    const email = address();
    await placeFor(email);
    const mail = await mailTo(testTenant.operator, email, "thanks");
    expect(mail.HTML).toContain("€12.50");
    expect(mail.ListUnsubscribe.Header).toContain("/api/mails/unsubscribe/");
    await mailTo(testTenant.operator, email, "order_placed");
    await remove(id);
  });

  it("has the pieces that its event is about, with their names and amounts", async () => {
    const testTenant = await openTestTenant();
    await approveMail(testTenant);
    const { operator, supplier, customer } = testTenant;
    const product = await listProduct(supplier, { price: 4 });
    const line = (list: string) =>
      `{% for item in ${list} %}{{ item.quantity }} {{ item.name }} {{ item.amount }};{% endfor %}`;
    await must("POST", "/api/email-templates", {
      as: operator,
      body: {
        key: "pieces",
        name: "Pieces",
        trigger_events: ["shipment.created", "order.items_cancelled"],
        subject: `${line("shipment.items")}|${line("cancellation.items")}|${line("order.sent_items")}|{{ order.owed_amount }}`,
        html_content: "<p>Pieces</p>",
      },
    });
    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product, 5) });
    const some = (quantity: number) => ({ items: [{ item_id: order.items[0].id, quantity }] });
    const post = (path: string, quantity: number) =>
      must("POST", `/api/orders/${order.id}/${path}`, { as: operator, body: some(quantity) });
    await post("cancellations", 1);
    await post("shipments", 3);
    const subjects = await eventually(async () => {
      const { mails } = await must("GET", "/api/mails?template=pieces&status=success", {
        as: operator,
      });
      expect(mails).toHaveLength(2);
      return mails.map(({ subject }: { subject: string }) => subject).toSorted();
    });
    expect(subjects).toEqual(["3 Saffron 12;||3 Saffron 12;|16", "|1 Saffron 4;||16"]);
  });

  it("has the price without a delivery of which nothing arrives", async () => {
    const testTenant = await openTestTenant();
    await approveMail(testTenant);
    const { operator, supplier, customer, tenantId } = testTenant;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const mule = { key: "mule", name: "By mule", price: 4, per_supplier: true };
    await doBusiness(testTenant, { delivery: { methods: [mule] } });
    const [vase, rug] = await Promise.all([
      listProduct(supplier, { price: 20 }),
      listProduct(rival, { price: 30 }),
    ]);
    await must("POST", "/api/email-templates", {
      as: operator,
      body: {
        key: "price",
        name: "Price",
        trigger_events: ["shipment.created", "shipment.lost"],
        subject: "{{ order.owed_delivery }} {{ order.owed_amount }}",
        html_content: "<p>Price</p>",
      },
    });
    const order = await placed(customer, vase, 1, {
      items: [item(vase), item(rug)],
      delivery_method: "mule",
      contact: { email: address() },
    });
    const { body: parcel } = await ship(supplier, order);
    await changeShipment(supplier, parcel, { status: "lost" });
    await ship(rival, order);
    const subjects = await eventually(async () => {
      const { mails } = await must("GET", "/api/mails?template=price&status=success", {
        as: operator,
      });
      expect(mails).toHaveLength(3);
      return mails.map(({ subject }: { subject: string }) => subject).toSorted();
    });
    expect(subjects).toEqual(["4 34", "4 34", "8 58"]);
    const { HTML } = await mailTo(operator, order.contact.email, "order_shipped");
    expect(HTML).toContain("€34.00");
    expect(HTML).not.toContain("€38.00");
  });

  it("that fails is replaced by the built-in mail, with a reason", async () => {
    const { id } = await own({
      key: "order_placed",
      subject: "Ours",
      html_content: "{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}",
    });
    const email = address();
    await placeFor(email);
    const mail = await sentMail(testTenant.operator, `to=${email}`);
    expect(mail).toMatchObject({ status: "success", error: expect.stringContaining("takes more") });
    expect((await arrived(mail)).HTML).toContain("Saffron");
    await remove(id);
  });

  it("that fails without a built-in mail is not sent, and not retried", async () => {
    const { id } = await own({
      key: "endless",
      subject: "Ours",
      html_content: "{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}",
      trigger_events: ["order.created"],
    });
    const email = address();
    await placeFor(email);
    const mail = await sentMail(testTenant.operator, `to=${email}&template=endless`);
    expect(mail).toMatchObject({ status: "failed", attempts: 1, next_attempt_at: null });
    await remove(id);
  });

  it("can be previewed with samples, and with sent variables", async () => {
    const { id } = await own({
      key: "order_refunded",
      subject: "{{ customer.name }}",
      html_content: { en: "<p>{{ order.number }}</p>", ar: "<p>مرحبا</p>" },
    });
    const render = (body: object) =>
      must("POST", `${path}/${id}/render`, { as: testTenant.operator, body });
    expect(await render({ variables: { customer: { name: "Ada" } } })).toMatchObject({
      subject: "Ada",
      language: "en",
      rtl: false,
      html: expect.stringMatching(/<p>\d+<\/p>/),
    });
    expect(await render({ language: "ar" })).toMatchObject({ language: "ar", rtl: true });
    await remove(id);
  });

  it.each([
    ["order_placed", "a built-in key"],
    ["by_hand", "its own key"],
  ])("with %s, %s, names its mistake or limit when it is rendered or tested by hand", async (key) => {
    const endless = "{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}";
    const large = `{% for i in (1..1000) %}<p>${"x".repeat(100)}</p>{% endfor %}`;
    const { id } = await own({ key, subject: "Ours", html_content: endless });
    const { operator: as, supplier } = testTenant;
    const both = async (status: string, details: object) => {
      for (const act of ["render", "test"]) {
        const answer = await call("POST", `${path}/${id}/${act}`, { as, body: {} });
        expectRefusal(answer, 422, status, details);
      }
    };
    await both("TEMPLATE_LIMIT", { limit: "steps", maximum: 20_000 });
    expectRefusal(
      await call("POST", `${path}/${id}/test`, { as: supplier, body: {} }),
      403,
      "FORBIDDEN",
    );
    const change = (html_content: string) =>
      must("PUT", `${path}/${id}`, { as, body: { html_content } });
    await change(large);
    await both("TEMPLATE_LIMIT", { limit: "output", maximum: 90_000 });
    await change("{{ (1..10001) | size }}");
    await both("TEMPLATE_LIMIT", { limit: "items", maximum: 10_000 });
    await change("<p>\n{{ 1 | divided_by: missing }}</p>");
    await both("TEMPLATE_ERROR", { line: 2 });
    const { data } = await supabaseAs(as).from("mails").select().eq("template", key);
    expect(data?.filter(({ is_test }) => is_test)).toEqual([]);
    await remove(id);
  });

  it("can be sent as a test to the caller only", async () => {
    const { operator } = testTenant;
    const { id } = await own({ key: "invitation", subject: "Try", html_content: "<p>{{ x }}</p>" });
    const as = operator;
    const body = { variables: { x: "by hand" } };
    const made = await must("POST", `${path}/${id}/test`, { as, body });
    expect(made).toMatchObject({ to: operator.email, is_test: true });
    const mail = await mailTo(operator, operator.email, "invitation");
    expect(mail.HTML).toContain("by hand");
    expect(await mailsOf(operator, "template=invitation")).toHaveLength(1);
    await remove(id);
  });

  it("reveals no token or file to its author, and delays no other mail", async () => {
    const { operator } = testTenant;
    const stranger = await openTestTenant();
    const body = { email: address(), role: "supplier" };
    const invited = await must("POST", "/auth/invitations", { as: stranger.operator, body });
    const html_content = "<p>{{ invitation.token }}|{{ export.url }}|{{ invitation.id }}</p>";
    for (const [key, variables] of [
      ["invitation", { invitation: { id: invited.id } }],
      ["export_ready", { export: { id: "no uuid" }, invitation: { id: "none" } }],
    ] as const) {
      const { id } = await own({ key, subject: "Try", html_content });
      await must("POST", `${path}/${id}/test`, { as: operator, body: { variables } });
      const query = `to=${encodeURIComponent(operator.email)}&template=${key}&limit=1`;
      const mail = await eventually(async () => {
        const [mail] = await mailsOf(operator, query);
        expect(mail.status).toBe("success");
        return arrived(mail);
      });
      expect(mail.HTML).toContain(`<p>||${variables.invitation.id}</p>`);
      expect(mail.HTML).not.toContain(invited.token);
      await remove(id);
    }
  });

  it.each([
    ["an invalid key", { key: "Order Placed" }, "key"],
    ["an unknown event", { key: "ours", trigger_events: ["order.lost"] }, "trigger_events"],
    [
      "events for a built-in key",
      { key: "welcome", trigger_events: ["order.created"] },
      "trigger_events",
    ],
    ["texts with an invalid language", { key: "ours", subject: { "in English": "x" } }, undefined],
    ["no text for a new key", { key: "ours", subject: undefined }, "subject"],
  ])("is refused with %s", async (_, input, field) => {
    const answer = await write({ subject: "x", html_content: "x", ...input });
    expectRefusal(answer, 422, "VALIDATION_ERROR", field ? { field } : undefined);
  });

  it.each([
    ["an unknown tag", "{% include 'x' %}"],
    ["an output in an invalid place", "<p {{ order.number }}>"],
    ["a script", "<script>{{ order.number }}</script>"],
    ["a URL that runs a script", '<a href="javascript:alert(1)">x</a>'],
    ["too few arguments of a filter", "{{ order.number | plus }}"],
    ["too many arguments of a filter", "{{ order.number | money: 'EUR', 'USD' }}"],
    ["an argument of a wrong type", "{{ order.number | times: 'two' }}"],
    ["a tag that has no end in NFC, in which > and U+0338 are one character", "<p>\u0338 x</p>"],
  ])("is refused with %s", async (_, html_content) => {
    expectRefusal(await write({ key: "ours", subject: "x", html_content }), 422, "TEMPLATE_ERROR");
  });

  it("is unique by its key", async () => {
    const { id } = await own({ key: "welcome" });
    expectRefusal(await write({ key: "welcome" }), 409, "CONFLICT", { field: "key" });
    const { error } = await supabaseAs(testTenant.operator)
      .from("email_templates")
      .insert({ key: "welcome", name: "x", subject: "x", html_content: "x" });
    expect(error?.code).toBe("23505");
    await remove(id);
  });

  it("is checked by the same rules when it is saved by supabase-js", async () => {
    const insert = (row: object) =>
      supabaseAs(testTenant.operator)
        .from("email_templates")
        .insert({ key: "ours", name: "x", subject: "x", html_content: "x", ...row });
    for (const row of [
      { subject: { "in English": "x" } },
      { html_content: 7 },
      { trigger_events: ["order.lost"] },
    ]) {
      expect((await insert(row)).error).toMatchObject({
        code: "PT422",
        message: "VALIDATION_ERROR",
      });
    }
    const { error } = await supabaseAs(testTenant.supplier)
      .from("email_templates")
      .insert({ key: "ours", name: "x", subject: "x", html_content: "x" });
    expect(error?.code).toBe("PT403");
  });
});
