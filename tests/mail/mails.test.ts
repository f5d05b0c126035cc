import { randomUUID } from "node:crypto";
import { JSDOM } from "jsdom";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { exported } from "../exports/exporting.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { arrived, type Mail, mailbox, mailsOf, mailTo, messagesTo, sentMail } from "./mailbox.js";

// Which mails are sent to whom, once, and in which language.

let testTenant: TestTenant;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let product: any;

beforeAll(async () => {
  testTenant = await openTestTenant();
  // The tests of this file send more mails than a new tenant in a day.
  await query("select public.set_mails_per_day($1, 1000)", [testTenant.tenantId]);
  product = await listProduct(testTenant.supplier, { inventory: { quantity: 1000 } });
});

const address = () => `${randomUUID()}@example.com`;
const place = (as: Person, overrides: object = {}) =>
  must("POST", "/api/orders", { as, body: orderFor(product, 1, overrides) });
const move = (id: string, status: string) =>
  must("PUT", `/api/orders/${id}/status`, { as: testTenant.operator, body: { status } });
const pay = (id: string, status: string, amount: number) =>
  must("POST", `/api/orders/${id}/payments`, {
    as: testTenant.operator,
    body: { status, amount, reference: randomUUID() },
  });

describe("a buyer", () => {
  it("gets a mail about the order, from its marketplace", async () => {
    const { operator, customer, marketplace } = testTenant;
    const order = await place(customer);
    const mail = await mailTo(operator, customer.email, "order_placed");
    expect(mail).toMatchObject({
      From: { Name: marketplace.name },
      To: [{ Address: customer.email }],
    });
    expect(mail.Subject).toContain(String(order.number));
    expect(mail.HTML).toContain("Saffron");
    expect(mail.Text).toContain("Saffron");
    expect(mail.HTML).toContain('lang="en"');
    // The mail is not optional.
    expect(mail.ListUnsubscribe.Header).toBe("");
  });

  it("who is a guest gets mails at the order's contact, in its language", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const [german, arabic] = [address(), address()];
    await place(guest, { contact: { email: german, name: "Jörg" }, language: "de-AT" });
    await place(guest, { contact: { email: arabic }, language: "ar" });
    const mail = await mailTo(testTenant.operator, german, "order_placed");
    expect(mail.To).toEqual([{ Name: "Jörg", Address: german }]);
    expect(mail.HTML).toContain('lang="de');
    const other = await mailTo(testTenant.operator, arabic, "order_placed");
    expect(other.HTML).toContain('dir="rtl"');
  });

  it("gets mails in the language of the registration, and later in the chosen one", async () => {
    const { operator, tenantId } = testTenant;
    const email = address();
    const body = { email, password: "correct horse battery", tenant_id: tenantId, language: "de" };
    const { access_token, user } = await must("POST", "/auth/register", { body });
    expect((await mailTo(operator, email, "welcome")).HTML).toContain('lang="de"');
    const buyer = { ...user, email, token: access_token, tenantId } as Person;
    expect(await place(buyer)).toMatchObject({ language: "de" });
    await query(
      `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"language": "ar"}' where id = $1`,
      [user.id],
    );
    expect(await place(buyer)).toMatchObject({ language: "ar" });
    expect(await place(buyer, { language: "fr" })).toMatchObject({ language: "fr" });
  });

  it("cannot set an invalid language, through the API or supabase-js", async () => {
    const body = orderFor(product, 1, { language: "a language" });
    expectRefusal(
      await call("POST", "/api/orders", { as: testTenant.customer, body }),
      422,
      "VALIDATION_ERROR",
      { field: "language" },
    );
    const { error } = await supabaseAs(testTenant.customer).rpc("place_order", body);
    expect(error).not.toBeNull();
  });

  it("gets mails about shipping, returns, cancellation and the payment", async () => {
    const { operator } = testTenant;
    const guest = await openGuest(testTenant.marketplace);
    const [email, other] = [address(), address()];
    const { id, total_amount } = await place(guest, { contact: { email } });
    await pay(id, "failed", total_amount);
    await pay(id, "paid", total_amount);
    for (const status of ["confirmed", "processing", "shipped", "delivered", "returned"]) {
      await move(id, status);
    }
    await pay(id, "refunded", total_amount);
    await move((await place(guest, { contact: { email: other } })).id, "cancelled");
    const templates = ["payment_failed", "order_shipped", "order_returned", "order_refunded"];
    for (const template of templates) await mailTo(operator, email, template);
    await mailTo(operator, other, "order_cancelled");
    expect((await mailsOf(operator, `to=${email}`)).map(({ template }) => template).sort()).toEqual(
      [...templates, "order_placed"].sort(),
    );
  });

  it.each([
    "en",
    "de",
    "ar",
  ])("reads what a mail is about, not the order as it was placed: %s", async (language) => {
    const { operator, supplier } = testTenant;
    const guest = await openGuest(testTenant.marketplace);
    const [lamp, mint, salt] = await Promise.all([
      listProduct(supplier, { name: "Lamp", price: 10 }),
      listProduct(supplier, { name: "Mint", price: 7 }),
      listProduct(supplier, { name: "Salt", price: 5 }),
    ]);
    const order = (email: string) =>
      must("POST", "/api/orders", {
        as: guest,
        body: {
          ...orderFor(lamp),
          items: [lamp, mint, salt].map(({ id, price }, index) => ({
            product_id: id,
            price,
            quantity: 3 - index,
          })),
          contact: { email },
          language,
        },
      });
    const post = (id: string, path: string, body: object) =>
      must("POST", `/api/orders/${id}/${path}`, { as: operator, body });
    /** The rows of a mail's table of items, and the amounts of its sums, in cents. */
    const rowsIn = async (email: string, template: string) => {
      const { HTML } = await mailTo(operator, email, template);
      const { document } = new JSDOM(HTML).window;
      return [...document.querySelectorAll(".items")].map((table) =>
        [...table.querySelectorAll("tr")].slice(1).map((row) => {
          const [first = "", ...numbers] = [...row.cells].map(({ textContent }) => textContent);
          const figures = numbers.map((text) => Number(text.replace(/\D/g, "")));
          return ["Lamp", "Mint", "Salt"].includes(first) ? [first, ...figures] : figures;
        }),
      );
    };

    // 3 lamps, 2 of mint, 1 of salt. One lamp and all mint are cancelled; the salt arrives before the lamps leave.
    const email = address();
    const { id, items, parts } = await order(email);
    expect(parts).toHaveLength(1);
    const some = (index: number, quantity: number) => ({ item_id: items[index].id, quantity });
    await post(id, "cancellations", { items: [some(0, 1), some(1, 2)] });
    await pay(id, "paid", 25);
    const first = await post(id, "shipments", { items: [some(2, 1)] });
    const arrived = { as: operator, body: { status: "delivered" } };
    await must("PATCH", `/api/orders/${id}/shipments/${first.id}`, arrived);
    const second = await post(id, "shipments", {});
    expect(await rowsIn(email, "order_shipped")).toEqual([[["Lamp", 2, 2000], [2500]]]);
    await must("PATCH", `/api/orders/${id}/shipments/${second.id}`, arrived);
    await post(id, "returns", { items: [some(0, 2), some(2, 1)] });
    const returned = await rowsIn(email, "order_returned");
    expect(returned).toEqual([[["Lamp", 2, 2000], ["Salt", 1, 500], [2500]]]);
    await post(id, "payments", {
      status: "refunded",
      amount: 20,
      reference: "lamps",
      items: [{ item_id: items[0].id, amount: 20 }],
    });
    expect(await rowsIn(email, "order_refunded")).toEqual([[["Lamp", 2000], [2000]]]);

    // Cancelled in two steps: all of it was cancelled, and what was paid comes back.
    const other = address();
    const gone = await order(other);
    await pay(gone.id, "paid", 49);
    await post(gone.id, "cancellations", { items: [{ item_id: gone.items[1].id, quantity: 2 }] });
    await move(gone.id, "cancelled");
    expect(await rowsIn(other, "order_cancelled")).toEqual([
      [["Lamp", 3, 3000], ["Mint", 2, 1400], ["Salt", 1, 500], [4900]],
    ]);
    const { Text } = await mailTo(operator, other, "order_cancelled");
    expect(Text.match(/49[.,]00/g)).toHaveLength(2);

    // Nothing came back of an order that was lost.
    const third = address();
    const lost = await order(third);
    const { id: parcel } = await post(lost.id, "shipments", {});
    const body = { status: "lost" };
    await must("PATCH", `/api/orders/${lost.id}/shipments/${parcel}`, { as: operator, body });
    const { Subject } = await mailTo(operator, third, "order_returned");
    const word = { en: "lost", de: "verloren", ar: "فُقد" }[language];
    expect(Subject).toContain(word);
    expect(await rowsIn(third, "order_returned")).toEqual([
      [["Lamp", 3, 3000], ["Mint", 2, 1400], ["Salt", 1, 500], [4900]],
    ]);
  });

  it("gets each mail once, however often the request is repeated", async () => {
    const email = address();
    const guest = await openGuest(testTenant.marketplace);
    await place(guest, { contact: { email } });
    const mail = await sentMail(testTenant.operator, `to=${email}`);
    await query(
      `insert into public.mails (tenant_id, template, cause_id, "to")
       values ($1, 'order_placed', $2, $3) on conflict do nothing`,
      [testTenant.tenantId, mail.event_id, email],
    );
    await runJob("wake-workers");
    const filter = `event_id=${mail.event_id}&to=${email}`;
    expect(await mailsOf(testTenant.operator, filter)).toHaveLength(1);
    expect(await messagesTo(email)).toHaveLength(1);
  });

  it("gets no mail about an order that was rolled back at its commit", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const [lost, kept] = [address(), address()];
    await query(`
      create function private.fail_commit() returns trigger language plpgsql as
        $$ begin raise exception 'the commit fails'; end $$;
      create constraint trigger fail_commit after insert on public.mails deferrable initially deferred
        for each row when (new."to" = '${lost}') execute function private.fail_commit();
    `);
    try {
      const body = orderFor(product, 1, { contact: { email: lost } });
      expect((await call("POST", "/api/orders", { as: guest, body })).status).toBe(500);
    } finally {
      await query("drop function private.fail_commit() cascade");
    }
    await place(guest, { contact: { email: kept } });
    await mailTo(testTenant.operator, kept, "order_placed");
    expect(await mailsOf(testTenant.operator, `to=${lost}`)).toEqual([]);
    expect(await messagesTo(lost)).toEqual([]);
    const orders = await must("GET", "/api/orders", { as: guest });
    expect(orders.total).toBe(1);
  });

  it("gets mails that link to its order, say that a program sent them, and are answered to the shop", async () => {
    const { operator, marketplace } = testTenant;
    const answers = "Help@b\u00fccher.example";
    const body = { settings: { business: { reply_to: answers } } };
    const path = `/api/marketplaces/${marketplace.id}`;
    expect((await must("PUT", path, { as: operator, body })).settings.business.reply_to).toBe(
      "help@xn--bcher-kva.example",
    );
    const [first, second] = [address(), address()];
    const guest = await openGuest(marketplace);
    const { id } = await place(guest, { contact: { email: first } });
    const mail = await mailTo(operator, first, "order_placed");
    expect(mail.Text).toContain(`https://${marketplace.domain}/orders/${id}`);
    expect(mail.ReplyTo).toMatchObject([{ Address: "help@xn--bcher-kva.example" }]);
    const source = await fetch(mailbox(`/api/v1/message/${mail.ID}/raw`));
    expect(await source.text()).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    await must("PUT", path, {
      as: operator,
      body: { settings: { business: { reply_to: null } } },
    });
    await place(await openGuest(marketplace), { contact: { email: second } });
    expect((await mailTo(operator, second, "order_placed")).ReplyTo).toEqual([]);
  });

  it("cannot add headers with a name", async () => {
    const email = address();
    const guest = await openGuest(testTenant.marketplace);
    const name = "Eve\r\nBcc: victim@example.com";
    await place(guest, { contact: { email, name } });
    const mail = await mailTo(testTenant.operator, email, "order_placed");
    expect(mail.Bcc).toEqual([]);
    expect(mail.To[0].Address).toBe(email);
    expect(mail.To[0].Name).not.toMatch(/[\r\n]/);
  });
});

describe("many mails", () => {
  it("to one address are limited", async () => {
    const email = address();
    await query(
      `select private.write_mail('welcome', gen_random_uuid(), $1, array[private.recipient($1, $2, '', null, null)], '{}')
       from generate_series(1, 20)`,
      [testTenant.tenantId, email],
    );
    await eventually(async () => expect(await messagesTo(email)).toHaveLength(20));
    const guest = await openGuest(testTenant.marketplace);
    await place(guest, { contact: { email } });
    const mail = await sentMail(testTenant.operator, `to=${email}&template=order_placed`);
    expect(mail).toMatchObject({
      status: "suppressed",
      error: expect.stringContaining("too many mails this hour"),
    });
    expect(await messagesTo(email)).toHaveLength(20);
  });
});

describe("members", () => {
  it("who are invited get a token, which they can register with", async () => {
    const email = address();
    const body = { email, role: "supplier" };
    const { token } = await must("POST", "/auth/invitations", { as: testTenant.operator, body });
    const mail = await mailTo(testTenant.operator, email, "invitation");
    expect(mail.Text).toContain(token);
    const [row] = await query('select m.* from public.mails m where m."to" = $1', [email]);
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it("get a mail when an export is ready, with the link to its file", async () => {
    const { operator } = testTenant;
    await exported(operator, { type: "products", format: "csv", email: operator.email });
    const mail = await mailTo(operator, operator.email, "export_ready");
    const url = /https?:\/\/[^\s"<>)\]]+\/storage\/v1\/[^\s"<>)\]]+/.exec(mail.Text)?.[0] ?? "";
    expect(await (await fetch(url)).text()).toContain("Saffron");
  });

  it("get a mail when a scheduled export is ready, once per run", async () => {
    const { operator, tenantId } = testTenant;
    const { email } = await registerClient(tenantId);
    const body = { type: "products", format: "csv", every: "day", email };
    await must("POST", "/api/analytics/exports/schedules", { as: operator, body });
    const ready = `to=${encodeURIComponent(email)}&template=export_ready`;
    for (const runs of [1, 2]) {
      await query("update public.export_schedules set next_at = now() where tenant_id = $1", [
        tenantId,
      ]);
      await runJob("run-export-schedules");
      await eventually(async () => {
        const mails = await mailsOf(operator, ready);
        expect(mails.map(({ status }) => status)).toEqual(Array(runs).fill("success"));
      });
    }
    const [newest] = await mailsOf(operator, ready);
    expect((await arrived(newest)).Text).toMatch(/https?:\/\/\S+\/storage\/v1\//);
  });

  it("of a supplier get a mail about low stock, once a day", async () => {
    const rival = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
    const scarce = await listProduct(rival, { name: "Scarce", inventory: { quantity: 5 } });
    const inventory = `/api/products/${scarce.id}/inventory`;
    const change = (body: object) => must("PATCH", inventory, { as: rival, body });
    await change({ low_stock_threshold: 3 });
    expect(await mailsOf(testTenant.operator, `to=${rival.email}&template=low_stock`)).toEqual([]);
    await change({ operation: "set", quantity: 3 });
    const mail = await mailTo(testTenant.operator, rival.email, "low_stock");
    expect(mail.Text).toContain("Scarce");
    expect(mail.ListUnsubscribe.Header).toContain("/api/mails/unsubscribe/");
    await change({ operation: "set", quantity: 10 });
    await change({ operation: "set", quantity: 2 });
    expect(await mailsOf(testTenant.operator, `to=${rival.email}&template=low_stock`)).toHaveLength(
      1,
    );
  });

  it("who are admins get a mail when a webhook is disabled", async () => {
    const { operator, tenantId } = testTenant;
    const body = { url: "https://example.com/hook", events: ["product.updated"] };
    const { id } = await must("POST", "/api/webhooks", { as: operator, body });
    await query("select private.switch_webhook_off($1, 'gone')", [id]);
    const mail = await mailTo(operator, operator.email, "webhook_disabled");
    expect(mail.Text).toContain("https://example.com/hook");
    expect(tenantId).toBe(testTenant.tenantId);
  });
});

describe("the log", () => {
  it("is only readable by admins", async () => {
    const [mail] = (await mailsOf(testTenant.operator, "limit=1")) as [Mail];
    for (const as of [testTenant.supplier, testTenant.customer]) {
      expect(await must("GET", "/api/mails", { as })).toMatchObject({ mails: [], total: 0 });
      expectRefusal(await call("GET", `/api/mails/${mail.id}`, { as }), 404, "NOT_FOUND");
      expectRefusal(await call("POST", `/api/mails/${mail.id}/retry`, { as }), 403, "FORBIDDEN");
    }
    expect(await must("GET", `/api/mails/${mail.id}`, { as: testTenant.operator })).toEqual(mail);
  });

  it("allows sending failed mails again, and no others", async () => {
    const email = address();
    const [failed] = await query<{ id: string }>(
      `insert into public.mails (tenant_id, template, cause_id, "to", status, attempts, error, next_attempt_at)
       values ($1, 'welcome', gen_random_uuid(), $2, 'failed', 5, 'made by a test', null) returning id`,
      [testTenant.tenantId, email],
    );
    const path = `/api/mails/${failed?.id}/retry`;
    const again = await must("POST", path, { as: testTenant.operator });
    expect(again).toMatchObject({ status: "retrying", attempts: 5 });
    const mail = await eventually(async () => {
      const now = await sentMail(testTenant.operator, `to=${email}`);
      expect(now).toMatchObject({ status: "success", attempts: 6 });
      return now;
    });
    expect((await arrived(mail)).To).toMatchObject([{ Address: email }]);
    expectRefusal(await call("POST", path, { as: testTenant.operator }), 409, "CONFLICT");
  });
});
