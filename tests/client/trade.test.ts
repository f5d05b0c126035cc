import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import ws from "ws";
import {
  createClient,
  type ProductLine,
  type SoukClient,
} from "../../packages/client/src/index.js";
import { ownStack } from "../own-stack.js";
import { ADDRESS, openTestTenant, PASSWORD, type Person } from "../souk.js";

/** The published client at the running stack, without a session. */
function openAs({ token }: Person): SoukClient {
  const { url, anon_key } = ownStack;
  return createClient(url, anon_key, {
    accessToken: async () => token,
    realtime: { transport: ws as never },
  });
}

async function openShop() {
  const { operator, supplier, customer, marketplace } = await openTestTenant();
  return {
    marketplace_id: marketplace.id as string,
    operator: openAs(operator),
    supplier: openAs(supplier),
    customer: openAs(customer),
    customerId: customer.id,
  };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const order = (marketplace_id: string, item: { product_id: string; price: number }) => ({
  marketplace_id,
  items: [{ quantity: 1, ...item }],
  shipping_address: ADDRESS,
});

describe("a tenant", () => {
  it("can be joined by invitation, switched to and left", async () => {
    const { url, anon_key } = ownStack;
    const { operator } = await openShop();
    const email = `${randomUUID()}@example.com`;
    const person = createClient(url, anon_key, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport: ws as never },
    });
    onTestFinished(() => person.auth.logout());
    const own = await person.auth.register({ email, password: PASSWORD, tenant_name: "Own" });

    const invitation = await operator.invitations.create({ email, role: "client" });
    expect(await operator.invitations.get(invitation.id)).toMatchObject({ status: "pending" });
    const { id } = await person.invitations.accept({ invitation: String(invitation.token) });
    expect(await operator.tenant.get()).toMatchObject({ id });
    await Promise.all([person.auth.refresh(), person.auth.switchTenant(id)]);
    expect(await person.auth.me()).toMatchObject({ tenant: { id }, role: "client" });
    expect((await collect(person.auth.tenantsAll())).map((one) => one.id)).toEqual([
      own.user.tenant_id,
      id,
    ]);

    const user = own.user.id;
    expect(await operator.members.update(user, { status: "suspended" })).toMatchObject({
      status: "suspended",
    });
    await expect(person.members.list()).rejects.toMatchObject({ code: "FORBIDDEN" });
    await operator.members.remove(user);
    await expect(operator.members.get(user)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(operator.invitations.remove(randomUUID())).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("has suppliers and customers", async () => {
    const { operator, supplier } = await openShop();
    const { supplier_id } = await supplier.auth.me();
    const verified = await operator.suppliers.update(supplier_id ?? "", { verified: true });
    expect(verified).toMatchObject({ id: supplier_id, verified: true });
    const made = await operator.suppliers.create({ name: "Weavers" });
    expect(await collect(operator.suppliers.listAll())).toEqual([verified, made]);
    const customer = await operator.customers.create({ name: "Walk-in" });
    expect(await operator.customers.get(customer.id)).toEqual(customer);
    expect((await operator.tenant.update({ name: "Souk" })).name).toBe("Souk");
  });
});

it("has typed dashboard figures", async () => {
  const { operator } = await openShop();
  const { dashboards } = await operator.dashboards.list();
  const { widgets } = await operator.dashboards.data(dashboards[0]?.id ?? "");
  const stages = widgets.flatMap(({ data }) => (data && "stages" in data ? data.stages : []));
  expect(stages[0]).toMatchObject({ name: "visitors", count: 0 });
});

describe("a catalogue", () => {
  it("has categories, and products that change and are removed", async () => {
    const { operator, supplier } = await openShop();
    const lamps = await operator.categories.create({
      name: "Lamps",
      attributes: [{ name: "material", type: "select", options: ["brass"], required: true }],
    });
    expect((await operator.categories.list()).categories).toEqual([lamps]);
    const product = await supplier.products.create({
      name: "Lamp",
      price: 80,
      category_id: lamps.id,
      attributes: [{ name: "material", value: "brass" }],
    });
    const changed = await supplier.products.update(product.id, {
      price: 90,
      updated_at: product.updated_at,
    });
    expect(changed.price).toBe(90);
    const { updated_at } = product;
    await expect(
      supplier.products.update(product.id, { price: 70, updated_at }),
    ).rejects.toMatchObject({ code: "CONFLICT" });
    await supplier.products.remove(product.id);
    await expect(supplier.products.get(product.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await operator.categories.update(lamps.id, { name: "Light" })).toMatchObject({
      name: "Light",
    });
    await operator.categories.remove(lamps.id);
    await expect(operator.categories.get(lamps.id)).rejects.toMatchObject({ status: 404 });
  });

  it("can be imported from a stream, and exported with the same content", async () => {
    const { supplier } = await openShop();
    let taken = "no line";
    async function* lines(): AsyncGenerator<ProductLine> {
      for (let i = 0; i < 300; i += 1) {
        taken = `line ${i + 1}`;
        yield {
          external_id: `lamp-${i}`,
          name: `Lamp ${i}`,
          price: i === 100 ? -1 : i,
          quantity: 5,
        };
      }
      taken = "all lines";
    }
    const heard: number[] = [];
    const summary = await supplier.products
      .import(lines(), { format: "ndjson", onProgress: ({ line }) => heard.push(line) })
      .catch((error) => {
        throw new Error(
          `${error.message} The client took ${taken}, and heard of ${heard.join(", ")}.`,
        );
      });
    expect(summary).toMatchObject({ imported: 299, failed: 1, errors: [{ line: 101 }] });
    expect(heard.length).toBeGreaterThan(1);

    const products = await collect(supplier.products.export());
    expect(products).toHaveLength(299);
    const text = (await collect(supplier.products.export({ format: "csv" }))).join("");
    expect(await supplier.products.import(text, { format: "csv" })).toEqual({
      imported: 0,
      updated: 0,
      unchanged: 299,
      failed: 0,
      errors: [],
    });
  });

  it("cannot be imported by customers", async () => {
    const { customer } = await openShop();
    await expect(
      customer.products.import("external_id,name\n", { format: "csv" }),
    ).rejects.toMatchObject({ code: "FORBIDDEN", status: 403 });
  });
});

describe("a sale", () => {
  it("is placed once, however often it is sent", async () => {
    const { marketplace_id, supplier, customer } = await openShop();
    const { id, price } = await supplier.products.create({
      name: "Lamp",
      price: 80,
      inventory: { quantity: 5 },
    });
    const input = order(marketplace_id, { product_id: id, price });
    const placed = await customer.orders.place(input, { idempotencyKey: "cart-7" });
    expect(await customer.orders.place(input, { idempotencyKey: "cart-7" })).toEqual(placed);
    expect((await customer.orders.list()).total).toBe(1);
    await expect(
      customer.orders.place(
        { ...input, items: [{ ...input.items[0]!, quantity: 2 }] },
        {
          idempotencyKey: "cart-7",
        },
      ),
    ).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("can be paid, annotated and returned, which changes the stock", async () => {
    const { marketplace_id, operator, supplier, customer } = await openShop();
    const { id, price } = await supplier.products.create({
      name: "Lamp",
      price: 80,
      inventory: { quantity: 5 },
    });
    expect(await supplier.inventory.change(id, { operation: "add", quantity: 2 })).toMatchObject({
      available: 7,
    });
    const sold = await customer.orders.place(order(marketplace_id, { product_id: id, price }));
    const payment = { status: "paid", amount: 80, reference: "pay-1" } as const;
    expect(await operator.payments.record(sold.id, payment)).toMatchObject({
      payment_status: "paid",
    });
    await operator.orders.addNote(sold.id, { text: "Gift", visibility: "customer" });
    await operator.orders.changeStatus(sold.id, { status: "delivered" });
    const item_id = sold.items[0]?.id ?? "";
    await operator.orders.returnItems(sold.id, { items: [{ item_id, quantity: 1 }] });
    expect(await customer.orders.get(sold.id)).toMatchObject({
      status: "returned",
      notes: [{ text: "Gift" }],
    });
    expect((await supplier.inventory.list()).inventory).toMatchObject([{ available: 7 }]);
    expect((await supplier.inventory.list({ low_stock: true })).inventory).toEqual([]);
    expect((await supplier.inventory.get(id)).quantity).toBe(7);
    const reasons = (await collect(supplier.inventory.movementsAll())).map(({ reason }) => reason);
    expect(reasons).toEqual(["opening", "add", "reserve", "ship", "return"]);
    expect((await operator.commissions.list()).commissions).toHaveLength(1);
  });

  it("is paid by hand, and given back in part", async () => {
    const { marketplace_id, operator, supplier, customer } = await openShop();
    const { id, price } = await supplier.products.create({
      ...{ name: "Lamp", price: 80, inventory: { quantity: 5 } },
    });
    const sold = await customer.orders.place(order(marketplace_id, { product_id: id, price }));
    const begun = await customer.orders.beginPayment(sold.id, { provider: "manual" });
    expect(begun).toMatchObject({ order_id: sold.id, amount: 80, status: "open" });
    const reference = "Transfer 1";
    expect(await operator.payments.capture(begun.id, { reference })).toMatchObject({
      ...{ id: begun.id, status: "paid", reference },
    });
    const { payment_sessions } = await customer.orders.paymentSessions(sold.id);
    expect(payment_sessions).toMatchObject([{ id: begun.id, status: "paid" }]);
    const refund = await operator.orders.refund(sold.id, { amount: 8, reason: "A scratch" });
    expect((await customer.orders.refunds(sold.id)).refunds).toEqual([refund]);
    expect(await customer.orders.get(sold.id)).toMatchObject({
      payment_status: "paid",
      payments: [
        { status: "paid", reference },
        { status: "refunded", reference: refund.id },
      ],
    });
  });

  it("pays out what a supplier is owed", async () => {
    const { operator, supplier } = await openShop();
    const supplier_id = (await supplier.auth.me()).supplier_id ?? "";
    const owed = { amount: 1000, currency: "EUR", reason: "A prize" };
    await operator.adjustments.create(supplier_id, owed);
    const [made] = (await operator.payouts.create({ supplier_id })).payouts;
    const id = made?.id ?? "";
    const transferred = { status: "paid", reference: "Transfer 1" } as const;
    expect(await operator.payouts.update(id, transferred)).toMatchObject({
      ...transferred,
      amount: 1000,
    });
    const { sums, lines } = await supplier.payouts.statement(id);
    expect(sums).toEqual([{ kind: "adjustment", amount: 1000 }]);
    expect(lines).toMatchObject([{ ...owed, payout_id: id }]);
    const csv = (await collect(supplier.payouts.statementCsv(id))).join("");
    expect(csv.split("\r\n")).toEqual([
      expect.stringMatching(/^order_number,kind,amount,currency,/),
      expect.stringMatching(/^,adjustment,1000(\.0+)?,EUR,,,A prize,/),
      "",
    ]);
    const hold = await operator.payoutHolds.create({ supplier_id, reason: "A dispute" });
    expect((await supplier.payoutHolds.list()).payout_holds).toEqual([hold]);
    await operator.payoutHolds.remove(hold.id);
    const { balances } = await supplier.ledger.list({ kind: "payout" });
    expect(balances).toMatchObject([{ due: 0, held: 0, pending: 0, paid: 1000 }]);
  });

  it("gives access to licence keys and files", async () => {
    const { marketplace_id, operator, supplier, customer } = await openShop();
    const { id, price } = await supplier.products.create({
      name: "Font",
      price: 20,
      kind: "digital",
      track_inventory: true,
    });
    const file = await supplier.files.create(id, {
      name: "font.zip",
      url: "https://files.example.com/font.zip",
    });
    expect(await collect(supplier.files.listAll(id))).toEqual([file]);
    const { added } = await supplier.licenceKeys.create(id, { codes: ["AAAA-1", "AAAA-2"] });
    expect(added).toBe(2);
    const sold = await customer.orders.place(order(marketplace_id, { product_id: id, price }));
    await operator.payments.record(sold.id, { status: "paid", amount: 20, reference: "p" });
    const unlocked = await customer.downloads.get(sold.id);
    expect(unlocked.files).toMatchObject([{ url: file.url }]);
    expect(unlocked.licence_keys).toHaveLength(1);
    const [left] = (await supplier.licenceKeys.list(id, { status: "available" })).licence_keys;
    await supplier.licenceKeys.remove(id, left?.id ?? "");
    await supplier.files.remove(id, file.id);
    expect((await supplier.licenceKeys.list(id)).counts).toMatchObject({ available: 0 });
  });

  it("books a slot", async () => {
    const { marketplace_id, supplier, customer } = await openShop();
    const { id, price } = await supplier.products.create({
      name: "Weaving class",
      price: 30,
      kind: "service",
    });
    const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
      weekday,
      opens: "09:00",
      closes: "12:00",
    }));
    await supplier.calendars.set(id, {
      time_zone: "Africa/Casablanca",
      duration_minutes: 60,
      hours,
    });
    const [slot] = (await customer.calendars.slots(id)).slots;
    const { starts_at } = slot!;
    const input = order(marketplace_id, { product_id: id, price });
    const { id: order_id } = await customer.orders.place({
      ...input,
      items: [{ ...input.items[0]!, starts_at }],
    });
    const bookings = await collect(supplier.bookings.listAll({ product_id: id }));
    expect(bookings).toMatchObject([{ order_id, status: "booked" }]);
    const free = await collect(customer.calendars.slotsAll(id));
    expect(free.map((one) => one.starts_at)).not.toContain(starts_at);
  });
});
