import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import ws from "ws";
import { ar } from "../../apps/console/src/texts/ar.js";
import { de } from "../../apps/console/src/texts/de.js";
import { en } from "../../apps/console/src/texts/en.js";
import { createClient } from "../../packages/client/src/index.js";
import { CONSOLE } from "../../packages/stack/src/apps/apps.js";
import { openApp, type ServedApp } from "../../packages/stack/src/apps/serve.js";
import { createLog } from "../../packages/stack/src/log.js";
import { eventually } from "../eventually.js";
import { mailbox, messagesTo } from "../mail/mailbox.js";
import { doBusiness, item, placed } from "../orders/ordering.js";
import { cancelItems } from "../orders/shipping.js";
import { completed, openShop } from "../payouts/shop.js";
import {
  addCategory,
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  stackInUse,
  type TestTenant,
} from "../souk.js";
import {
  barriersOn,
  describePages,
  type Opened,
  overflowOf,
  signInBefore,
  useBrowser,
} from "./browser.js";

/** Maximum transferred size of the console before its first page is shown, in bytes. */
const FIRST_LOAD_BYTES = 350_000;
const TOP_PLACEMENT = "/api/v1/top-placement";

describePages("the console", () => {
  const openPage = useBrowser();
  let console: ServedApp;

  beforeAll(async () => {
    const { url, publishable_key } = stackInUse();
    const api = { url, publishableKey: publishable_key };
    console = await openApp(CONSOLE, 0, process.cwd(), api, createLog("console"));
    await console.prepare();
  });
  afterAll(() => console?.close());

  /** Opens the console in a language and in light or dark colours. */
  async function open(options: Parameters<typeof openPage>[0] & Shown = {}): Promise<Opened> {
    const opened = await openPage(options);
    const { page } = opened;
    const { language = "en", dark = false } = options;
    await page.addInitScript(
      ([language, theme]) => {
        localStorage.setItem("souk.language", language);
        localStorage.setItem("souk.theme", theme);
      },
      [language, dark ? "dark" : "light"] as const,
    );
    await page.goto(console.url);
    return opened;
  }

  /** Opens a page of the console as a person who is already signed in. */
  async function openAs(
    person: Person,
    path = "/",
    options: Parameters<typeof open>[0] = {},
  ): Promise<Opened> {
    const opened = await open(options);
    const { page } = opened;
    await signInBefore(page, person);
    await page.goto(`${console.url}${path}`);
    await page.locator(".shell").waitFor();
    return opened;
  }

  /** Goes to another page of the console without reloading the app. */
  async function visit(page: Page, path: string): Promise<void> {
    const before = await page.title();
    await page.evaluate((path) => history.pushState({}, "", path), path);
    await page.waitForFunction(
      (before) =>
        document.title !== before && !document.querySelector(".loading, .pending, [data-pending]"),
      before,
    );
  }

  async function signIn(page: Page, person: Person): Promise<void> {
    await page.locator("input[name=email]").fill(person.email);
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.locator(".shell").waitFor();
  }

  it("supports the first day of an operator, a supplier and a guest", async () => {
    const domain = `${randomUUID()}.example.com`;

    // The operator opens a tenant and a marketplace in it.
    const { page: operator } = await open();
    await operator.getByRole("button", { name: "Open a new business" }).click();
    await fill(operator, {
      "Name of the business": "Medina",
      "Your name": "Olu",
      "E-mail address": `olu-${randomUUID()}@example.com`,
      Password: PASSWORD,
    });
    await operator.getByRole("button", { name: "Open it" }).click();
    await operator.getByText("Your way to the first sale").waitFor();
    expect(await barriersOn(operator)).toEqual([]);

    await operator.getByRole("link", { name: "Open a marketplace" }).click();
    await operator.getByRole("button", { name: "Open a marketplace" }).first().click();
    await fill(operator.getByRole("dialog"), {
      Name: "Medina",
      Domain: domain,
      "Line of business": "crafts",
    });
    await operator.getByRole("dialog").getByRole("button", { name: "Open a marketplace" }).click();
    await operator.getByRole("button", { name: "Put into operation" }).click();
    await operator.getByRole("button", { name: "Close for now" }).waitFor();

    // A category, and an invitation for a supplier.
    await operator.getByRole("link", { name: "Categories" }).click();
    await operator.getByRole("button", { name: "Add a category" }).click();
    await fill(operator.getByRole("dialog"), { Name: "Lamps" });
    await operator.getByRole("button", { name: "Save" }).click();
    await operator.locator(".tree").getByText("Lamps").waitFor();

    await operator.getByRole("link", { name: "Suppliers" }).click();
    await operator.getByRole("button", { name: "Invite a supplier" }).click();
    const address = `sana-${randomUUID()}@example.com`;
    await fill(operator.getByRole("dialog"), {
      "E-mail address": address,
      "Name of the organisation": "Atlas Crafts",
    });
    await operator.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    const link = await operator.getByLabel("Invitation link").inputValue();
    await operator.getByRole("button", { name: "Done" }).click();

    // The supplier joins, and lists a product with a picture.
    const { page: supplier } = await open();
    await supplier.goto(link);
    await supplier.getByLabel("Invitation code").waitFor();
    expect(supplier.url()).toBe(`${console.url}/`);
    await fill(supplier, {
      "Your name": "Sana",
      "E-mail address": address,
      Password: PASSWORD,
    });
    await supplier.getByRole("button", { name: "Join" }).click();
    await supplier.getByRole("link", { name: "List a product" }).click();
    await fill(supplier, { Name: "Brass lantern", Price: "49.50", Stock: "5" });
    await supplier.getByLabel("Category").selectOption({ label: "Lamps" });
    await supplier.getByLabel("Add pictures").setInputFiles({
      name: "lantern.png",
      mimeType: "image/png",
      buffer: await picture(),
    });
    await fill(supplier, { "What the picture shows": "A lantern." });
    await supplier.getByRole("button", { name: "Add a product" }).click();
    await supplier.getByText("Brass lantern is listed.").waitFor();
    expect(await barriersOn(supplier)).toEqual([]);

    // Its organisation has the name that the operator gave it.
    await operator.getByRole("link", { name: "Suppliers" }).click();
    await operator.getByText("Atlas Crafts").waitFor();

    // The operator has the empty list of orders open while a guest orders.
    await operator.getByRole("link", { name: "Orders" }).click();
    await operator.getByText("No orders yet").waitFor();
    const guest = createClient(stackInUse().url, stackInUse().publishable_key, {
      realtime: { transport: ws as never },
    });
    await guest.auth.guest(domain);
    const { products } = await guest.products.list({ search: "lantern" });
    const [lantern] = products;
    expect(lantern).toMatchObject({ name: "Brass lantern", price: 49.5 });
    expect(lantern?.images[0]?.alt).toBe("A lantern.");
    const placed = await guest.orders.place({
      ...orderFor(lantern, 2),
      contact: { email: "gil@example.com", name: "Gil" },
    });

    // The order appears without a reload, and is shipped.
    await operator.getByText("New order #1").waitFor();
    await operator.getByRole("link", { name: "#1", exact: true }).click();
    await operator.getByRole("heading", { name: "Order #1", exact: true }).waitFor();
    expect(await barriersOn(operator)).toEqual([]);
    await operator.getByRole("button", { name: "Ship" }).click();
    await fill(operator.getByRole("dialog"), { Carrier: "Caravan" });
    await operator.getByRole("dialog").getByRole("button", { name: "Ship" }).click();
    await operator.locator(".page-heading").getByText("Shipped").waitFor();
    expect(await guest.orders.get(placed.id)).toMatchObject({ status: "shipped" });

    // The supplier sees its earnings.
    await supplier.getByRole("link", { name: "Earnings" }).click();
    await supplier.getByRole("link", { name: "#1" }).waitFor();
  });

  it("shows errors at the fields that the API names", async () => {
    const { operator, marketplace } = await openTestTenant();
    const { page, faults } = await open();
    await page.locator("input[name=email]").fill(operator.email);
    await page.locator("input[name=password]").fill("wrong horse");
    await page.keyboard.press("Enter");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    await signIn(page, operator);
    await visit(page, "/marketplaces");
    await page.getByRole("button", { name: "Open a marketplace" }).click();
    await fill(page.getByRole("dialog"), {
      Name: "Twin",
      Domain: marketplace.domain,
      "Line of business": "crafts",
    });
    await page.getByRole("dialog").getByRole("button", { name: "Open a marketplace" }).click();
    const field = page.getByLabel("Domain");
    await page.locator(".field-error").waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await page.keyboard.press("Escape");

    // A value that is not a number is not sent as 0.
    await visit(page, `/marketplaces/${marketplace.id}`);
    await page.getByRole("tab", { name: "Terms" }).click();
    await fill(page, { "Commission in percent": "ten" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This is not a number.").waitFor();
    // Chromium logs both refusals, too.
    expect(faults.splice(0).filter((fault) => !/401|409/.test(fault))).toEqual([]);
  });

  it("neither takes back another admin's changes of a marketplace, nor loses what was typed", async () => {
    const { operator, marketplace } = await openTestTenant();
    const path = `/api/marketplaces/${marketplace.id}`;
    const put = (business: object) =>
      must("PUT", path, { as: operator, body: { settings: { business } } });
    await put({ commission_percent: 10, return_days: 14, payment_methods: ["card"] });
    const { page, faults } = await openAs(operator, `/marketplaces/${marketplace.id}`);
    const sent = await bodiesSent(page, `/marketplaces/${marketplace.id}`);
    const field = (name: string) => page.locator(`[name="${name}"]`);
    const tab = (name: string) => page.getByRole("tab", { name }).click();
    // For a moment both panels are there.
    const save = (tab: string) =>
      page.getByRole("tabpanel", { name: tab }).getByRole("button", { name: "Save" }).click();
    await field("description").fill("All kinds.");
    await tab("Terms");
    await field("settings.business.payment_deadline_minutes").fill("60");

    // Another admin changes other terms meanwhile.
    await put({ commission_percent: 15, return_days: 30 });
    await save("Terms");
    await page.getByRole("button", { name: "Read it again" }).click();
    await eventually(async () =>
      expect(await field("settings.business.commission_percent").inputValue()).toBe("15"),
    );
    expect(await field("settings.business.payment_deadline_minutes").inputValue()).toBe("60");
    expect(faults.splice(0).filter((fault) => !fault.includes("409"))).toEqual([]);
    await save("Terms");
    await page.getByText("Saved.").first().waitFor();

    // What was typed before is still there. The page's own change does not make it outdated.
    await tab("Search engines");
    await field("settings.seo.title").fill("Spices");
    await tab("General");
    expect(await field("description").inputValue()).toBe("All kinds.");
    await page.getByRole("button", { name: "Read it again" }).waitFor({ state: "detached" });
    await tab("Search engines");
    await save("Search engines");
    await eventually(() => expect(sent.length).toBe(3));
    await tab("General");
    await save("General");
    await page.getByRole("button", { name: "Read it again" }).click();
    await page.getByRole("button", { name: "Read it again" }).waitFor({ state: "detached" });
    expect(await field("description").inputValue()).toBe("All kinds.");
    expect(faults.splice(0).filter((fault) => !fault.includes("409"))).toEqual([]);
    await save("General");
    await eventually(async () => {
      expect(await must("GET", path, { as: operator })).toMatchObject({
        description: "All kinds.",
        settings: {
          seo: { title: "Spices" },
          business: {
            commission_percent: 15,
            return_days: 30,
            payment_deadline_minutes: 60,
            payment_methods: ["card"],
          },
        },
      });
    });
    const changes = sent.map(({ updated_at, ...fields }) => {
      expect(updated_at).toMatch(/^\d{4}-/);
      return fields;
    });
    const terms = { settings: { business: { payment_deadline_minutes: 60 } } };
    const described = { description: "All kinds." };
    expect(changes).toEqual([
      ...[terms, terms, { settings: { seo: { title: "Spices" } } }],
      ...[described, described],
    ]);
  });

  it("sends of a form only what was changed, with the state that was read", async () => {
    const { operator, supplier } = await openTestTenant();
    const category = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Lamps", attributes: [{ name: "size" }] },
    });
    const product = await listProduct(supplier, {
      name: "Tray",
      category_id: category.id,
      variants: [{ name: "Small" }, { name: "Large" }],
    });
    const { page, faults } = await openAs(operator, `/products/${product.id}`);
    const sent = await bodiesSent(page, "/functions/v1/");
    const field = (name: string) => page.locator(`[name="${name}"]`);
    const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
    const saved = () => page.getByText("Saved.").last().waitFor();

    // Another person changes the product and adds a variant while the name of a variant is typed.
    await field("variants[1].name").fill("Very large");
    const others = { price: 9, variants: [...product.variants, { name: "Huge" }] };
    for (const variant of others.variants) delete variant.inventory;
    for (const variant of others.variants) delete variant.price;
    const now = await must("PUT", `/api/products/${product.id}`, { as: supplier, body: others });
    await save();
    await page.getByRole("button", { name: "Read it again" }).click();
    await eventually(async () => expect(await field("variants[2].name").inputValue()).toBe("Huge"));
    expect(await field("price").inputValue()).toBe("9");
    expect(await field("variants[1].name").inputValue()).toBe("Very large");
    expect(faults.splice(0).filter((fault) => !fault.includes("409"))).toEqual([]);
    await save();
    await saved();
    const [small, large, huge] = now.variants;
    expect(sent.splice(0).at(-1)).toEqual({
      variants: [{ id: small.id }, { id: large.id, name: "Very large" }, { id: huge.id }],
      updated_at: now.updated_at,
    });

    await visit(page, "/settings");
    await field("name").fill("Bazaar of spices");
    await save();
    await saved();
    await visit(page, "/categories");
    await page.getByRole("button", { name: "Edit: Lamps" }).click();
    await field("name").fill("Lights");
    await save();
    await page.locator(".tree").getByText("Lights").waitFor();
    await visit(page, "/suppliers");
    await page.locator("tbody button").first().click();
    await field("legal.tax_id").fill("DE1");
    await save();
    await page.locator(".dialog").waitFor({ state: "detached" });
    expect(sent).toEqual([
      { name: "Bazaar of spices", updated_at: expect.any(String) },
      { name: "Lights", updated_at: category.updated_at },
      { legal: { tax_id: "DE1" }, updated_at: expect.any(String) },
    ]);
  });

  it("shows the HTML of a description, loses nothing of it, and replaces it by a text", async () => {
    const { operator, supplier } = await openTestTenant();
    const html = "<p>A <b>tray</b> &amp; a lid</p>\n<ul><li>Brass</li></ul>";
    const product = await listProduct(supplier, { name: "Tray", description: html });
    const { page } = await openAs(operator, `/products/${product.id}`);
    const field = (name: string) => page.locator(`[name="${name}"]`).first();
    const savedAs = async (expected: object) => {
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await eventually(async () => {
        const { name, description, description_html } = await must(
          "GET",
          `/api/products/${product.id}`,
          { as: operator },
        );
        expect({ name, description, description_html }).toEqual(expected);
      });
    };
    expect(await field("description").inputValue()).toBe(html);
    await field("name").fill("Plate");
    const text = "A tray & a lid\nBrass";
    await savedAs({ name: "Plate", description: text, description_html: html });
    await field("description").fill(text);
    await savedAs({ name: "Plate", description: text, description_html: undefined });
    await field("description").fill("<p>Brass<script>x</script>");
    await savedAs({ name: "Plate", description: "Brass", description_html: "<p>Brass</p>" });
    await eventually(async () =>
      expect(await field("description").inputValue()).toBe("<p>Brass</p>"),
    );
  });

  it("asks before it leaves a page with changes that are not saved", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const product = await listProduct(supplier, { name: "Tray" });
    const { page } = await openAs(operator, "/");
    const asked: string[] = [];
    let isLeft = false;
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      return isLeft ? dialog.accept() : dialog.dismiss();
    });
    const home = page.getByRole("link", { name: "Orders", exact: true }).first();
    for (const [path, field] of [
      [`/products/${product.id}`, "name"],
      ["/products/new", "name"],
      [`/marketplaces/${marketplace.id}`, "name"],
      ["/settings", "name"],
    ] as const) {
      await visit(page, path);
      await page.locator(`[name="${field}"]`).first().fill("Typed");
      await home.click();
      await eventually(() => expect(asked.splice(0)).toEqual(["confirm"]));
      expect(await page.locator(`[name="${field}"]`).first().inputValue()).toBe("Typed");
      isLeft = true;
      await home.click();
      await page.waitForURL("**/orders");
      expect(asked.splice(0)).toEqual(["confirm"]);
      isLeft = false;
    }
    // Typing back what was there leaves nothing to save, and neither does saving.
    await visit(page, `/products/${product.id}`);
    const name = page.locator('[name="name"]').first();
    await name.fill("Typed");
    await page.close({ runBeforeUnload: true });
    await eventually(() => expect(asked.splice(0)).toEqual(["beforeunload"]));
    await name.fill("Tray");
    await home.click();
    await page.waitForURL("**/orders");
    await visit(page, `/products/${product.id}`);
    await name.fill("Plate");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").last().waitFor();
    await home.click();
    await page.waitForURL("**/orders");
    expect(asked).toEqual([]);
  });

  it("keeps a variant's own price that equals the product's", async () => {
    const { supplier } = await openTestTenant();
    const product = await listProduct(supplier, {
      price: 10,
      variants: [{ name: "Small" }, { name: "Large", price: 10 }],
    });
    const { page } = await openAs(supplier, `/products/${product.id}`);
    const prices = page.getByLabel("Price");
    await eventually(async () => expect(await prices.count()).toBe(3));
    const shown = () =>
      prices.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    expect((await shown()).sort()).toEqual(["", "10", "10"]);
    await page.locator("[name=price]").fill("20");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const { variants } = await must("GET", `/api/products/${product.id}`, { as: supplier });
    expect(variants).toMatchObject([
      { price: 20, own_price: null },
      { price: 10, own_price: 10 },
    ]);
  });

  it("changes the web address of a product, by keyboard alone", async () => {
    const { supplier } = await openTestTenant();
    const [tray] = await Promise.all([
      listProduct(supplier, { name: "Tray" }),
      listProduct(supplier, { name: "Plate" }),
    ]);
    const { page, faults } = await openAs(supplier, `/products/${tray.id}`);
    const sent = await bodiesSent(page, "/functions/v1/");
    const field = page.getByLabel("Web address");
    const type = async (slug: string) => {
      await page.getByLabel("Name", { exact: true }).first().focus();
      await page.keyboard.press("Tab");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await page.keyboard.type(slug);
      await page.keyboard.press("Enter");
    };
    await eventually(async () => expect(await field.inputValue()).toBe("tray"));
    for (const [slug, said] of [
      ["plate", "This is taken already."],
      [
        "Tea tray",
        "Only small letters and digits, with single hyphens between them, are possible.",
      ],
    ] as const) {
      await type(slug);
      await page.locator(".field-error").getByText(said).waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
    }
    expect(faults.splice(0).filter((fault) => !/409|422/.test(fault))).toEqual([]);
    for (const [slug, stored] of [
      ["tea-tray", "tea-tray"],
      ["", "tray"],
    ] as const) {
      sent.splice(0);
      await type(slug);
      await eventually(async () => expect(await field.inputValue()).toBe(stored));
      await page.getByText("Saved.").last().waitFor();
      expect(sent.at(-1)).toEqual({ slug: slug || null, updated_at: expect.any(String) });
    }
    expect(faults).toEqual([]);
  });

  it("searches orders by name, offers to undo a payment once, and captures and refunds another, by keyboard", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const product = await listProduct(supplier);
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(product), contact: { email: "gil@example.com", name: "Gil Ōno" } },
    });
    const other = await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    await must("POST", `/api/orders/${order.id}/payments`, {
      as: operator,
      body: { status: "paid", amount: order.total_amount, reference: "p-1" },
    });
    const { page } = await openAs(operator, "/orders");
    const search = page.getByLabel("Number, name or e-mail address");
    await page.getByRole("link", { name: "#2" }).waitFor();
    await search.fill("nobody");
    await page.getByText("Nothing matches these filters").waitFor();
    await search.fill("gil@example");
    await page.getByRole("link", { name: "#1" }).waitFor();
    expect(await page.getByRole("link", { name: "#2" }).count()).toBe(0);
    await search.fill("ono gil");
    await page.waitForURL("**/orders?search=ono*");
    await page.getByRole("link", { name: "#1" }).click();
    const undo = page.getByRole("button", { name: "Payment reversed…" });
    await undo.first().waitFor();
    expect(await undo.count()).toBe(1);

    // How to pay by transfer.
    await visit(page, `/marketplaces/${marketplace.id}`);
    await page.getByRole("tab", { name: "Terms" }).click();
    await fill(page, { "How to pay by transfer or in cash": "IBAN DE02 1203" });
    await page.getByLabel("Payments by card").selectOption("manual");
    await page
      .getByRole("tabpanel", { name: "Terms" })
      .getByRole("button", { name: "Save" })
      .click();
    await page.getByText("Saved.").first().waitFor();
    const at = `/api/orders/${other.id}`;
    const body = { provider: "manual" };
    expect(await must("POST", `${at}/payment-sessions`, { as: customer, body })).toMatchObject({
      status: "open",
      instructions: "IBAN DE02 1203",
    });

    // The money arrives, and a part of it is given back.
    await visit(page, `/orders/${other.id}`);
    const payments = page.locator(".card", {
      has: page.getByRole("heading", { name: "Payments", exact: true }),
    });
    const dialog = page.locator(".dialog");
    await payments.getByText("Transfer or cash").waitFor();
    await payments.getByRole("button", { name: "Money received…" }).press("Enter");
    expect(await barriersOn(page, ".dialog")).toEqual([]);
    await dialog.getByLabel("Reference").fill("SEPA 7");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.locator(".page-heading").getByText("Paid", { exact: true }).waitFor();
    await payments.getByText("SEPA 7").first().waitFor();
    await payments.getByRole("button", { name: "Refund", exact: true }).press("Enter");
    expect(await barriersOn(page, ".dialog")).toEqual([]);
    await fill(dialog, { Goodwill: "1.50", Reason: "A scratch." });
    await dialog.getByLabel("Who bears it").selectOption("operator");
    await dialog.getByLabel("Reason").press("Enter");
    await dialog.waitFor({ state: "detached" });
    await payments.getByText("A scratch.").waitFor();
    await payments.getByText("Given back").waitFor();
    expect((await must("GET", `${at}/refunds`, { as: operator })).refunds).toMatchObject([
      { amount: 1.5, reason: "A scratch.", status: "succeeded", provider: "manual" },
    ]);
    expect(await barriersOn(page, "main")).toEqual([]);
    // It was made by hand, so a failure is reported by hand.
    expect(await payments.getByRole("button", { name: "Refund failed…" }).count()).toBe(1);
  });

  it("searches customers and filters them by orders, by keyboard alone, without guests who have not ordered", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const product = await listProduct(supplier);
    const [guest] = await Promise.all([openGuest(marketplace), openGuest(marketplace)]);
    const { page } = await openAs(operator, "/customers");
    const rows = page.locator("tbody tr");
    await page.getByText(customer.email).waitFor();
    expect(await rows.count()).toBe(1);

    for (const name of ["Gil", "Gil Ōno"]) {
      await must("POST", "/api/orders", {
        as: guest,
        body: { ...orderFor(product), contact: { email: "gil@example.org", name } },
      });
    }
    await page.reload();
    const ordering = rows.filter({ hasText: "Gil Ōno" });
    await ordering.waitFor();
    const cells = await ordering.locator("td").allInnerTexts();
    expect(cells.map((text) => text.trim())).toEqual([
      "Gil Ōno",
      "gil@example.org",
      "2",
      expect.stringMatching(/20\d\d/),
      "Guest",
      expect.stringMatching(/20\d\d/),
    ]);
    expect(await rows.count()).toBe(2);
    expect(await barriersOn(page)).toEqual([]);

    await page.keyboard.press("/");
    await page.keyboard.type("nobody");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByRole("link", { name: "Clear the filters" }).press("Enter");
    await page.getByText(customer.email).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ono fez");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("ono");
    await page.waitForURL("**/customers?search=ono");
    await ordering.waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Without");
    await page.waitForURL("**/customers?search=ono&ordered=no");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await page.getByText(customer.email).waitFor();
    expect(await rows.count()).toBe(1);
    await page.goto(`${console.url}/customers?ordered=yes`);
    await ordering.getByRole("link", { name: "Gil Ōno" }).press("Enter");
    await page.getByLabel("Name", { exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("link", { name: "Orders" }).last().press("Enter");
    await page.getByRole("link", { name: "#2" }).waitFor();
  });

  it("lets people who forgot their password choose a new one, once, by the link of a mail", async () => {
    const { operator } = await openTestTenant();
    const { page } = await open();
    await page.getByRole("button", { name: "I forgot my password" }).click();
    await fill(page, { "E-mail address": operator.email });
    await page.getByRole("button", { name: "Send a link" }).click();
    await page.getByText("a mail with a link is on its way").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    const [message] = await eventually(async () => {
      const found = (await messagesTo(operator.email)).filter(({ Subject }) =>
        /password/i.test(Subject),
      );
      expect(found).toHaveLength(1);
      return found;
    });
    const { Text } = await (await fetch(mailbox(`/api/v1/message/${message.ID}`))).json();
    const [link] = /http\S+/.exec(Text) ?? [];
    await page.goto(link as string);
    await fill(page, { "New password": "another-password-2" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".shell").waitFor();
    expect(page.url()).not.toContain("code=");
    const login = { email: operator.email, password: "another-password-2" };
    expect((await call("POST", "/auth/login", { body: login })).status).toBe(200);

    const { page: another } = await open();
    await another.goto(link as string);
    await another.getByText("This link is no longer valid").waitFor();
    await another.getByRole("button", { name: "Send a link" }).waitFor();
  });

  it("corrects a customer, saves its data, and erases them", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    await must("POST", "/api/orders", {
      as: customer,
      body: orderFor(await listProduct(supplier)),
    });
    const { page, faults } = await openAs(operator, "/customers");
    await page.getByRole("row", { name: customer.email }).getByRole("link").first().click();
    await fill(page, { Phone: "+212 5 3563", "Language of mails": "ar" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save a copy" }).click();
    const copy = JSON.parse(readFileSync(await (await saved).path(), "utf8"));
    expect(copy.records.customers).toMatchObject([{ email: customer.email, phone: "+212 5 3563" }]);
    await page.getByRole("button", { name: "Erase" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await page.getByText("Erased", { exact: true }).waitFor();
    expect(await page.getByText(customer.email).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("makes and removes API keys, shows who changed what, and changes one's own account", async () => {
    const { operator } = await openTestTenant();
    const { page, faults } = await openAs(operator, "/members");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Create an API key" }).click();
    await dialog.getByLabel("Name").fill("Warehouse");
    await dialog.getByLabel("Permissions").selectOption("reading");
    await dialog.getByRole("button", { name: "Create an API key" }).click();
    const [client_id, client_secret] = await Promise.all([
      dialog.getByLabel("client_id").inputValue(),
      dialog.getByLabel("client_secret").inputValue(),
    ]);
    const body = { grant_type: "client_credentials", client_id, client_secret };
    const { access_token } = await must("POST", "/auth/token", { body });
    const machine = { token: access_token } as Person;
    await must("GET", "/api/orders", { as: machine });
    expect(
      (await call("POST", "/api/suppliers", { as: machine, body: { name: "No" } })).status,
    ).toBe(403);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("tab", { name: "API keys" }).click();
    const key = page.getByRole("row", { name: "Warehouse" });
    await key.getByText("orders.read").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await key.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("No API keys").waitFor();
    expect((await call("GET", "/api/orders", { as: machine })).status).toBe(403);

    await page.getByRole("link", { name: "Audit log" }).click();
    const rows = page.locator("tbody tr");
    await rows.filter({ hasText: "Deleted: api_key" }).waitFor();
    await page.getByLabel("Change").selectOption("created");
    await page.waitForURL("**/audit-log?action=created");
    await rows.filter({ hasText: "Created: api_key" }).waitFor();
    expect(await rows.filter({ hasText: "Deleted" }).count()).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("searchbox").fill("no id");
    await page.getByText("Nothing matches these filters").waitFor();

    await page.locator(".account").click();
    await page.getByRole("menuitem", { name: "Your account" }).click();
    await fill(dialog, { "Your name": "Nour Haddad", "New password": "another-password-2" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nour Haddad").waitFor();
    const login = { email: operator.email, password: "another-password-2" };
    expect((await call("POST", "/auth/login", { body: login })).status).toBe(200);
    expect(faults).toEqual([]);

    // And at last it removes the whole business.
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Remove the business" }).click();
    const { name } = await must("GET", "/api/tenant", { as: operator });
    await dialog.getByLabel("Name of the business").fill("Another");
    await dialog.getByRole("button", { name: "Remove for ever" }).click();
    await dialog.getByText("exactly as it is").first().waitFor();
    await dialog.getByLabel("Name of the business").fill(name);
    await dialog.getByRole("button", { name: "Remove for ever" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(faults.splice(0).filter((fault) => !fault.includes("422"))).toEqual([]);
    expectRefusal(await call("GET", "/api/tenant", { as: operator }), 403, "FORBIDDEN");
  });

  it("adds, changes and removes tax rates", async () => {
    const { operator } = await openTestTenant();
    const { page, faults } = await openAs(operator, "/settings/tax-rates");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a tax rate" }).click();
    await dialog.getByLabel("Country").selectOption("FR");
    await fill(dialog, { "Rate in percent": "5.5", Name: "TVA", "Last day": "2026-12-31" });
    await dialog.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("row", { name: "France" });
    await row.getByText("5.5%").waitFor();
    await row.getByText("Until Dec 31, 2026").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await row.getByRole("button", { name: "France" }).click();
    await fill(dialog, { "Rate in percent": "10" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("10%").waitFor();
    await row.getByRole("button", { name: "Remove: TVA" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("No tax rates yet").waitFor();
    expect(faults).toEqual([]);
  });

  it("adds, changes, pauses and removes discounts, of the operator and of a supplier", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const { page, faults } = await openAs(operator, "/discounts");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a discount" }).click();
    await fill(dialog, { Code: "SUMMER10", Percent: "10", "Uses altogether": "100" });
    await fill(dialog, { Ends: "2030-09-01T12:30" });
    await dialog.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("row", { name: "SUMMER10" });
    await row.getByText("10%").waitFor();
    await row.getByText("0 of 100").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await row.getByRole("button", { name: "SUMMER10", exact: true }).click();
    expect(await dialog.getByLabel("Ends").inputValue()).toBe("2030-09-01T12:30");
    await dialog.getByLabel("Kind").selectOption("amount");
    await dialog.getByLabel("Currency").selectOption("EUR");
    await fill(dialog, { "Amount taken off": "5" });
    expect(await barriersOn(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("€5.00").waitFor();
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();

    const { page: other, faults: others } = await openAs(supplier, "/discounts");
    const own = other.getByRole("dialog");
    await other.getByText("No discounts yet").waitFor();
    await other.getByRole("button", { name: "Add a discount" }).click();
    await fill(own, { Percent: "20" });
    await own.getByLabel("Products", { exact: true }).selectOption({ label: product.name });
    await own.getByRole("button", { name: `Remove: ${product.name}` }).waitFor();
    await own.getByRole("button", { name: "Save" }).click();
    await other.getByRole("row", { name: "Without a code" }).getByText("20%").waitFor();
    const { discounts } = await must("GET", "/api/discounts", { as: supplier });
    expect(discounts).toMatchObject([{ product_ids: [product.id], borne_by: "supplier" }]);
    await other.getByRole("button", { name: "Remove: Without a code" }).click();
    await own.getByRole("button", { name: "Remove" }).click();
    await other.getByText("No discounts yet").waitFor();
    expect([faults, others]).toEqual([[], []]);
  });

  it("pays out what is due to a supplier, who sees it, by keyboard alone", async () => {
    const shop = await openShop();
    const { operator, supplier, supplierId, saffron } = shop;
    const { name } = await must("GET", `/api/suppliers/${supplierId}`, { as: operator });
    // Two pieces at 10.00, less 10 percent.
    const order = await completed(shop, [[saffron, 2]]);
    const { page, faults } = await openAs(operator, "/payouts");
    const dialog = page.locator(".dialog");
    const press = async (name: string, within: Pick<Page, "getByRole"> = page) => {
      await within.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    const choose = () => dialog.getByLabel("Supplier").selectOption(supplierId);
    const closed = () => dialog.waitFor({ state: "detached" });
    const balance = page.getByRole("row", { name });
    const balances = async () => {
      const [, ...cells] = await balance.locator("td").allInnerTexts();
      return cells.slice(0, 5).join(" ");
    };
    await eventually(async () => expect(await balances()).toBe("€18.00 €0.00 €0.00 €0.00 €0.00"));
    expect(await barriersOn(page)).toEqual([]);

    // A correction lowers what is due. What is held is not paid out.
    await press("Adjust a balance");
    await fill(dialog, { Amount: "-3", Reason: "Packaging." });
    await press("Save", dialog);
    await dialog.getByText("Please fill this in.").waitFor();
    await choose();
    expect(await barriersOn(page, "[role=dialog]")).toEqual([]);
    await press("Save", dialog);
    await closed();
    await press("Hold what is due");
    await choose();
    // A search keeps the chosen order.
    const orders = dialog.getByLabel("Order", { exact: true });
    await orders.selectOption(order.id);
    const searched = page.waitForResponse((answer) => answer.url().includes("number=eq.999999"));
    await dialog.getByLabel("Find an order by its number").fill("999999");
    await searched;
    expect(await orders.inputValue()).toBe(order.id);
    await orders.selectOption("");
    await fill(dialog, { Reason: "The bank details are being checked." });
    await press("Hold what is due", dialog);
    await closed();
    await eventually(async () => expect(await balances()).toBe("€0.00 €0.00 €15.00 €0.00 €0.00"));
    await press("Make a payout");
    await choose();
    await press("Make a payout", dialog);
    await dialog.getByText("Nothing is due that could be paid out.").waitFor();
    expect(faults.splice(0).filter((fault) => !fault.includes("422"))).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Holds" }).click();
    await press("Release");
    await press("Release", dialog);
    await page.getByText("Nothing is held by hand").waitFor();

    // The payout is made, transferred, and marked as paid.
    await page.getByRole("tab", { name: "Balances" }).click();
    await press("Pay out", balance);
    await dialog.getByText("Due now: €15.00").waitFor();
    await press("Make a payout", dialog);
    await closed();
    await eventually(async () => expect(await balances()).toBe("€0.00 €0.00 €0.00 €15.00 €0.00"));
    await page.getByRole("tab", { name: "Payouts" }).click();
    await page.getByRole("row", { name: "To be transferred" }).getByRole("link").press("Enter");
    await page.getByRole("heading", { name: "Payout of €15.00" }).waitFor();
    await page.getByRole("row", { name: "Packaging." }).getByText("-€3.00").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await press("Mark as paid…");
    await fill(dialog, { Reference: "SEPA 17" });
    await press("Save", dialog);
    await page.locator(".page-heading").getByText("Paid out").waitFor();
    await page.getByText("SEPA 17").waitFor();
    const saved = page.waitForEvent("download");
    await press("Download the statement");
    const statement = readFileSync(await (await saved).path(), "utf8");
    const amounts = statement
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").slice(1, 3));
    expect(amounts.toSorted()).toEqual([
      ["adjustment", "-3"],
      ["commission", "-2"],
      ["sale", "20"],
    ]);
    await visit(page, "/payouts");
    await eventually(async () => expect(await balances()).toBe("€0.00 €0.00 €0.00 €0.00 €15.00"));
    expect(faults).toEqual([]);

    // The supplier sees its own payout, and changes nothing.
    const { page: own, faults: others } = await openAs(supplier, "/earnings");
    await own.getByRole("link", { name: "See the payouts" }).press("Enter");
    const paid = own.locator(".figure", { has: own.getByText("Paid out", { exact: true }) });
    await paid.getByText("€15.00").waitFor();
    expect(await own.locator(".page-actions button").count()).toBe(0);
    await own.getByRole("tab", { name: "Ledger" }).click();
    await own.getByLabel("Kind").selectOption("sale");
    await own.waitForURL("**/payouts?*kind=sale");
    await own.getByRole("row", { name: "Saffron" }).getByText("€20.00").waitFor();
    expect(await barriersOn(own)).toEqual([]);
    await own.getByLabel("Kind").selectOption("loss");
    await own.getByRole("link", { name: "Clear the filters" }).press("Enter");
    await own.getByRole("row", { name: "Saffron" }).first().waitFor();
    await own.getByRole("tab", { name: "Payouts" }).click();
    await own.getByRole("row", { name: "SEPA 17" }).getByRole("link").press("Enter");
    await own.getByRole("heading", { name: "Payout of €15.00" }).waitFor();
    expect(await own.locator(".page-actions button").allInnerTexts()).toEqual([
      "Download the statement",
    ]);
    expect(others).toEqual([]);
  });

  it("records a refund for the items that it is for, so that the rest stays due", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    const mule = { key: "mule", name: "By mule", price: 4, per_supplier: true };
    await doBusiness(testTenant, { delivery: { methods: [mule] } });
    const [vase, rug] = await Promise.all([
      listProduct(supplier, { name: "Vase", price: 20 }),
      listProduct(operator, {
        name: "Rug",
        price: 30,
        marketplace_id: testTenant.marketplace.id,
      }),
    ]);
    const order = await placed(customer, vase, 1, {
      items: [item(vase, 2), item(rug)],
      delivery_method: "mule",
    });
    const { page } = await openAs(operator, `/orders/${order.id}`);
    const dialog = page.locator(".dialog");
    const record = async (name: string, fields: Record<string, string>) => {
      await page.getByRole("button", { name }).click();
      for (const [label, value] of Object.entries(fields)) {
        await dialog.getByLabel(label, { exact: true }).fill(value);
      }
      await dialog.getByRole("button", { name }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const current = () => must("GET", `/api/orders/${order.id}`, { as: operator });

    // What was cancelled before is not to be paid.
    await cancelItems(operator, order, [{ item_id: order.items[0].id, quantity: 1 }]);
    await page.getByText("1 cancelled").waitFor();
    await record("Record a payment", { Reference: "pi-1" });
    expect(await current()).toMatchObject({ payments: [{ amount: 20 + 30 + 4 + 4 }] });

    await record("Record a refund", { Vase: "6", Reference: "re-1" });
    await cancelItems(operator, order, [{ item_id: order.items[1].id, quantity: 1 }]);
    await page.getByText("To be refunded").waitFor();
    expect((await current()).refund_due).toBe(30 + 4);
    // The dialog proposes what is due, for what it is due.
    await record("Record a refund", { Goodwill: "1.50", Reference: "re-2" });
    const { refund_due, payments } = await current();
    expect(refund_due).toBe(0);
    expect(payments.slice(1)).toMatchObject([
      { amount: 6, items: [{ item_id: order.items[0].id, amount: 6 }], delivery_amount: null },
      { amount: 35.5, items: [{ item_id: order.items[1].id, amount: 30 }], delivery_amount: 4 },
    ]);
    await page.getByText("To be refunded").waitFor({ state: "detached" });
  });

  it("says that revenue counts unpaid orders, and shows what was received beside it", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { price: 10 });
    const place = () => must("POST", "/api/orders", { as: customer, body: orderFor(product, 2) });
    const [order] = [await place(), await place()];
    await must("POST", `/api/orders/${order.id}/payments`, {
      as: operator,
      body: { status: "paid", amount: 20, reference: "p-1" },
    });
    for (const [person, language, texts] of [
      [operator, "en", en],
      [operator, "de", de],
      [operator, "ar", ar],
      [supplier, "en", en],
    ] as const) {
      const { page } = await openAs(person, "/", { language });
      const figure = (name: string) =>
        page.locator(".figure", { has: page.getByText(name, { exact: true }) });
      const { revenue, revenueHint, received } = texts.overview;
      await figure(revenue).getByText(revenueHint).waitFor();
      expect(await figure(revenue).innerText()).toMatch(/40/);
      // Payments are of whole orders, so a supplier sees none.
      expect(await figure(received).count()).toBe(person === supplier ? 0 : 1);
      if (person !== supplier) expect(await figure(received).innerText()).toMatch(/20/);
    }
  });

  it.each([
    ["de", de],
    ["ar", ar],
  ] as const)("shows errors of fields in the language of the page: %s", async (language, texts) => {
    const { operator, marketplace } = await openTestTenant();
    const { page, faults } = await openAs(operator, "/marketplaces", { language });
    await page.getByRole("button", { name: texts.marketplaces.open }).click();
    const dialog = page.locator(".dialog");
    // A field that the browser itself refuses.
    await dialog.getByRole("button", { name: texts.marketplaces.open }).click();
    await dialog.locator(".field-error").first().getByText(texts.rules.missing).waitFor();
    for (const [name, value] of [
      ["name", "Twin"],
      ["domain", marketplace.domain],
      ["category", "crafts"],
    ] as const) {
      await dialog.locator(`[name=${name}]`).fill(value);
    }
    const open = dialog.getByRole("button", { name: texts.marketplaces.open });
    await open.click();
    const error = dialog.locator(".field-error");
    await error.getByText(texts.rules.taken).waitFor();
    await dialog.locator("[name=domain]").fill("not a domain");
    await open.click();
    await error.getByText(texts.rules.hostName).waitFor();
    expect(await dialog.getByRole("alert").innerText()).not.toMatch(/must|taken/);
    expect(faults.splice(0).filter((fault) => !/409|422/.test(fault))).toEqual([]);
  });

  it("shows dialogs above the head of a table", async () => {
    const { supplier } = await openTestTenant();
    await listProduct(supplier);
    const { page } = await openAs(supplier, "/stock");
    const head = page.locator(".table th").first();
    const clip = await head.boundingBox();
    if (!clip) throw new Error("the table has no head");
    const brightness = async () => {
      const { channels } = await sharp(await page.screenshot({ clip })).stats();
      return channels.slice(0, 3).reduce((sum, { mean }) => sum + mean, 0);
    };
    const before = await brightness();
    await page.getByRole("button", { name: "Change the stock" }).click();
    await page.locator(".dialog").waitFor();
    // The backdrop darkens it.
    await eventually(async () => expect(await brightness()).toBeLessThan(0.8 * before));
  });

  it("hides from a supplier what its role may not do", async () => {
    const { supplier } = await openTestTenant();
    const { page } = await openAs(supplier);
    expect(await page.locator(".sidebar .menu-link").allInnerTexts()).toEqual([
      "Overview",
      "Orders",
      "Products",
      "Stock",
      "Promotion",
      "Discounts",
      "Earnings",
      "Payouts",
      "Exports",
      "Organisation",
    ]);
    await page.goto(`${console.url}/members`);
    await page.getByText("There is no such page").waitFor();
  });

  it("lets a supplier handle its own part of an order", async () => {
    const { supplier, operator, customer, marketplace } = await openTestTenant();
    const [tray, lamp] = [
      await listProduct(supplier, { name: "Round tray" }),
      await listProduct(operator, { name: "Lamp", marketplace_id: marketplace.id }),
    ];
    const place = (...products: (typeof tray)[]) =>
      must("POST", "/api/orders", {
        as: customer,
        body: {
          ...orderFor(tray),
          items: products.map(({ id, price }) => ({ product_id: id, quantity: 2, price })),
        },
      });
    const [own, shared] = [await place(tray), await place(tray, lamp)];
    const { page, faults } = await openAs(supplier, `/orders/${own.id}`);
    const dialog = page.getByRole("dialog");
    const heading = page.locator(".page-heading");

    // It confirms an order with only its own items, ships a piece, corrects the shipment, and undoes it.
    await page.getByRole("button", { name: "Confirm" }).click();
    await heading.getByText("Confirmed").waitFor();
    await page.getByRole("button", { name: "Ship", exact: true }).click();
    await fill(dialog, { "Pieces of Round tray": "1" });
    await dialog.getByRole("button", { name: "Ship" }).click();
    await page.getByRole("button", { name: "Edit the tracking" }).click();
    await fill(dialog, { "Tracking number": "CV 1001" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("CV 1001").waitFor();
    await page.getByRole("button", { name: "Was a mistake…" }).click();
    await dialog.getByRole("button", { name: "Undo the shipment" }).click();
    await page.getByText("Void", { exact: true }).waitFor();

    // It delivers the whole order, and approves and receives a return.
    await page.getByRole("button", { name: "Change the status" }).click();
    await dialog.getByLabel("Status").selectOption("delivered");
    await dialog.getByRole("button", { name: "Set to: Delivered" }).click();
    await heading.getByText("Delivered").waitFor();
    await must("POST", `/api/orders/${own.id}/return-requests`, {
      as: customer,
      body: { items: [{ item_id: own.items[0].id, quantity: 2 }], reason: "Too round." },
    });
    await page.getByRole("button", { name: "Approve…" }).click();
    await fill(dialog, { Note: "Send them to 3 Harbour Road." });
    await dialog.getByRole("button", { name: "Approve the return" }).click();
    await page.getByText("Send them to 3 Harbour Road.").waitFor();
    await page.getByRole("button", { name: "Items came back…" }).click();
    await fill(dialog, { "Pieces of Round tray": "1" });
    await dialog.getByRole("switch").click();
    expect(await barriersOn(page, "[role=dialog]")).toEqual([]);
    await dialog.getByRole("button", { name: "Items came back" }).click();
    await page.getByText("Came back: 1 × Round tray").waitFor();
    expect((await must("GET", `/api/orders/${own.id}`, { as: supplier })).returns).toMatchObject([
      { items: [{ quantity: 1, restocked: false }] },
    ]);
    expect(await page.getByRole("button", { name: "Take items back" }).count()).toBe(0);

    // Only the operator may change the status of an order with other suppliers' items. The supplier may cancel its own
    // part.
    await visit(page, `/orders/${shared.id}`);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.locator(".toast-title").getByText("Only the operator moves this order").waitFor();
    expect(await page.getByRole("button", { name: "Confirm" }).count()).toBe(0);
    // Chromium logs the refusal, too.
    expect(faults.splice(0).filter((fault) => !fault.includes("403"))).toEqual([]);
    await page.getByRole("button", { name: "Cancel items" }).click();
    await dialog.getByRole("button", { name: "Cancel items" }).click();
    await page.locator(".card-head").getByText("Cancelled").waitFor();
    await visit(page, "/orders?status=cancelled");
    await page.getByRole("link", { name: "#2" }).waitFor();
    expect(await page.getByRole("link", { name: "#1" }).count()).toBe(0);
  });

  it("undoes a change of stock", async () => {
    const { supplier } = await openTestTenant();
    const { id } = await listProduct(supplier, { inventory: { quantity: 5 } });
    const { page } = await openAs(supplier, "/stock");
    await page.getByRole("button", { name: "Change the stock" }).click();
    await fill(page.getByRole("dialog"), { Pieces: "3" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => {
      const { movements } = await must("GET", "/api/inventory/movements", { as: supplier });
      expect(movements.map(({ reason }: { reason: string }) => reason)).toEqual([
        ...["subtract", "add", "opening"],
      ]);
    });
    expect(await must("GET", `/api/products/${id}/inventory`, { as: supplier })).toMatchObject({
      quantity: 5,
    });
  });

  it("lets a supplier promote a product and an admin review the campaign, by keyboard alone", async () => {
    const { operator, supplier } = await openTestTenant();
    const lamp = await listPromotable(operator, supplier);
    const press = async (page: Page, name: string) => {
      await page.getByRole("button", { name, exact: true }).last().focus();
      await page.keyboard.press("Enter");
    };
    const status = (page: Page) => page.locator(".page-heading .badge");

    // The supplier bids too little at first.
    const { page: own, faults } = await openAs(supplier, `/products/${lamp.id}`);
    await press(own, "Promote");
    const dialog = own.getByRole("dialog");
    await dialog.getByText("At least €0.10.").waitFor();
    expect(await barriersOn(own, "[role=dialog]")).toEqual([]);
    await fill(dialog, { "Bid per click": "0.05", "Daily budget": "10" });
    await own.keyboard.press("Enter");
    await dialog.locator(".field-error").waitFor();
    expect(faults.splice(0).filter((fault) => !fault.includes("422"))).toEqual([]);
    await fill(dialog, { "Bid per click": "0.50" });
    await own.keyboard.press("Enter");
    await status(own).getByText("Waits for review").waitFor();
    expect(await own.getByRole("button", { name: "Approve" }).count()).toBe(0);

    // An admin approves it. The supplier's page follows without a reload.
    const { page } = await openAs(operator, "/");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByLabel("Status").selectOption("pending_review");
    await page.waitForURL("**/campaigns?status=pending_review");
    await page.getByRole("link", { name: "Tin lamp" }).focus();
    await page.keyboard.press("Enter");
    await status(page).getByText("Waits for review").waitFor();
    await press(page, "Approve");
    await page.getByRole("dialog").getByLabel("Note").fill("Welcome.");
    expect(await barriersOn(page, "[role=dialog]")).toEqual([]);
    await press(page, "Approve");
    await status(own).getByText("Running").waitFor();
    await own.getByText("Welcome.").waitFor();

    // The supplier changes, pauses and ends it.
    await press(own, "Change the bid");
    await fill(own.getByRole("dialog"), { "Bid per click": "0.75" });
    await press(own, "Save");
    await own.getByText("€0.75").waitFor();
    await press(own, "Pause");
    await status(page).getByText("Paused").waitFor();
    await press(own, "Undo");
    await status(own).getByText("Running").waitFor();
    await press(own, "End");
    await own.getByRole("dialog", { name: "End the campaign" }).waitFor();
    await press(own, "End");
    await status(own).getByText("Ended early").waitFor();
    expect(await own.locator(".page-actions button").count()).toBe(0);
  });

  it("refuses other roles", async () => {
    const { customer } = await openTestTenant();
    const { page } = await open();
    await page.locator("input[name=email]").fill(customer.email);
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("No access").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("keeps filters in the URL, but no token", async () => {
    const { operator } = await openTestTenant();
    const { page } = await openAs(operator, "/orders?status=shipped");
    const filter = page.getByLabel("Status");
    await filter.waitFor();
    expect(await filter.inputValue()).toBe("shipped");
    await filter.selectOption("pending");
    await page.waitForURL("**/orders?status=pending");
    expect(page.url()).toBe(`${console.url}/orders?status=pending`);
  });

  it("has keyboard shortcuts between pages", async () => {
    const { operator } = await openTestTenant();
    const { page } = await openAs(operator);
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByRole("heading", { name: "Products", exact: true }).waitFor();
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
  });

  it("imports a file, and shows the errors of each line", async () => {
    const { operator } = await openTestTenant();
    const { page } = await openAs(operator, "/products/import");
    await page.getByLabel("Choose a file").setInputFiles({
      name: "products.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("external_id,name,price\ntray-1,Round tray,39\ntray-2,Oval tray,\n"),
    });
    await page.getByRole("switch").click();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("heading", { name: "Imported" }).waitFor();
    const refused = page.getByRole("region", { name: "Refused lines" });
    expect(await refused.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/^3\s+price/),
    ]);
  });

  it("asks about codes that a spreadsheet changed, before it imports them", async () => {
    const { operator } = await openTestTenant();
    await listProduct(operator, { external_id: "00123" });
    const { page } = await openAs(operator, "/products/import");
    await page.getByLabel("Choose a file").setInputFiles({
      name: "products.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("external_id,name,price\n123,Tray,39\n"),
    });
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByText(en.rules.spreadsheet).waitFor();
    await page.getByRole("switch", { name: en.imports.trial }).click();
    await page.getByRole("switch", { name: en.imports.changedCodes }).click();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("heading", { name: "Imported" }).waitFor();
    const { products } = await must("GET", "/api/products?search=tray", { as: operator });
    expect(products).toMatchObject([{ external_id: "123" }]);
  });

  it("reads and draws only the visible rows", async () => {
    const { operator } = await openTestTenant();
    const lines = Array.from({ length: 1000 }, (_, i) => `p-${i},Product ${i},${i + 1}`);
    await must("POST", "/api/products/import", {
      as: operator,
      body: ["external_id,name,price", ...lines].join("\n"),
      headers: { "content-type": "text/csv" },
    });
    const { page } = await openAs(operator, "/products?sort=price");
    const pages: (string | null)[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith("/api/products")) pages.push(searchParams.get("page"));
    });
    await page.getByText("1,000 entries").waitFor();
    await page.getByText("Product 0", { exact: true }).waitFor();
    const rows = page.locator("tbody tr:not(.spacer)");
    expect(await rows.count()).toBeLessThan(40);
    const frame = page.getByRole("region", { name: "Products" });
    await frame.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByText("Product 999", { exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(40);
    expect(await rows.last().getAttribute("aria-rowindex")).toBe("1001");
    expect(pages.filter((number) => number !== "1")).toEqual(["10"]);
  });

  it("loads little at first, and the rest when a page needs it", async () => {
    const { page } = await open();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    );
    const loaded = sizes.reduce((sum, size) => sum + size, 0);
    expect(loaded).toBeGreaterThan(50_000);
    expect(loaded).toBeLessThan(FIRST_LOAD_BYTES);
  });

  it("runs under a policy without inline scripts or styles", async () => {
    const answer = await fetch(console.url);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(await answer.text()).toContain('http-equiv="Content-Security-Policy"');
    const config = await (await fetch(`${console.url}/config.json`)).json();
    expect(config).toEqual({
      url: stackInUse().url,
      publishable_key: stackInUse().publishable_key,
    });
  });

  it("loads pictures only of the project and of the hosts that an admin has listed", async () => {
    const { operator, marketplace, supplier } = await openTestTenant();
    const picture = (host: string) => ({ url: `https://${host}/lamp.png`, alt: host });
    const { id } = await listProduct(supplier, {
      marketplace_id: marketplace.id,
      images: [picture("images.example.com"), picture("elsewhere.example.com")],
    });
    const loaded = async (path: string) => {
      const hosts: string[] = [];
      const { page, faults } = await open();
      await page.context().route("https://*.example.com/**", (route) => {
        hosts.push(new URL(route.request().url()).host);
        return route.fulfill({ contentType: "image/png", body: lamp });
      });
      await signInBefore(page, operator);
      await page.goto(`${console.url}${path}`);
      await page.locator("img[alt='elsewhere.example.com']").waitFor({ state: "attached" });
      await page.waitForLoadState("networkidle");
      expect(faults.splice(0).filter((fault) => !/img-src|: csp$/.test(fault))).toEqual([]);
      return { hosts, page };
    };
    const lamp = await sharp({ create: { width: 9, height: 9, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const first = await loaded(`/products/${id}`);
    expect(first.hosts).toEqual([]);
    await first.page.goto(`${console.url}/marketplaces/${marketplace.id}`);
    await first.page.getByRole("tab", { name: "Branding" }).click();
    await first.page.locator('[name="settings.branding.hosts"]').focus();
    await first.page.keyboard.type("images.example.com, pictures.example.com");
    await first.page.keyboard.press("Enter");
    await first.page.getByText("Saved.").first().waitFor();
    expect((await loaded(`/products/${id}`)).hosts).toEqual(["images.example.com"]);
  });

  const looks = [
    { width: 1440, dark: false, language: "en" },
    { width: 390, dark: true, language: "de" },
    { width: 390, dark: false, language: "ar" },
  ] as const;

  let filled: Promise<{ operator: Person; paths: string[] }> | undefined;

  it.each(
    looks,
  )("has no accessibility problems at $width px, dark: $dark, in $language", async (look) => {
    filled ??= openTestTenant().then(async (testTenant) => ({
      operator: testTenant.operator,
      paths: await fillTestTenant(testTenant),
    }));
    const { operator, paths } = await filled;
    // The other looks differ in colours, direction and width, which come from components that all pages share.
    const [first, ...others] = look.language === "en" ? paths : paths.slice(0, 6);
    const { page: entrance } = await open(look);
    await entrance.locator("h1").waitFor();
    expect(await barriersOn(entrance)).toEqual([]);
    const { page } = await openAs(operator, first, look);
    await page.locator(".loading").first().waitFor({ state: "detached" });
    expect(await barriersOn(page)).toEqual([]);
    for (const path of others) {
      await visit(page, path);
      // The frame around a page is the same on all pages.
      expect.soft(await barriersOn(page, "main"), path).toEqual([]);
      expect.soft(await overflowOf(page), path).toBe(0);
    }
  });
});

interface Shown {
  language?: "en" | "de" | "ar";
}

/** Types into fields, by their labels. */
async function fill(
  within: Pick<Page, "getByLabel">,
  fields: Record<string, string>,
): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await within.getByLabel(label, { exact: true }).fill(text);
  }
}

/** Opens a page anew. The result grows by the body of each request to an address with a part of a path. */
async function bodiesSent(page: Page, path: string): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  await page.exposeFunction("noteBody", (body: string) => bodies.push(JSON.parse(body)));
  await page.addInitScript((path) => {
    const send = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const body = request.url.includes(path) ? await request.clone().text() : "";
      if (body) await (globalThis as unknown as { noteBody(body: string): unknown }).noteBody(body);
      return send(request);
    };
  }, path);
  await page.reload();
  await page.locator(".shell").waitFor();
  return bodies;
}

const picture = () =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: "#b5651d" } })
    .png()
    .toBuffer();

/** Lists a product in a category in which a click costs at least 0.10. */
async function listPromotable(operator: Person, supplier: Person) {
  const category = await addCategory(operator, "Lamps");
  await must("PUT", `${TOP_PLACEMENT}/categories/${category}`, {
    as: operator,
    body: { minBid: 0.1 },
  });
  return listProduct(supplier, { name: "Tin lamp", category_id: category });
}

/** Adds records to every page. Returns the paths of the pages. */
async function fillTestTenant({ operator, supplier, customer }: TestTenant): Promise<string[]> {
  const category = await addCategory(operator, "Lamps");
  const product = await listProduct(supplier, {
    name: "Brass lantern, pierced by hand, with a very long name that has to go somewhere",
    category_id: category,
    variants: [
      { name: "Small", inventory: { quantity: 3 } },
      { name: "Large", price: 80 },
    ],
  });
  const plain = await listProduct(supplier);
  const order = await must("POST", "/api/orders", { as: customer, body: orderFor(plain, 2) });
  await must("POST", `/api/orders/${order.id}/shipments`, {
    as: supplier,
    body: { items: [{ item_id: order.items[0].id, quantity: 1 }], carrier: "Caravan" },
  });
  await must("POST", "/auth/invitations", {
    as: operator,
    body: { email: "someone-with-a-long-address@a-long-domain.example.com", role: "supplier" },
  });
  const lamp = await listPromotable(operator, supplier);
  const campaign = await must("POST", `${TOP_PLACEMENT}/campaigns`, {
    as: supplier,
    body: { productId: lamp.id, categoryId: lamp.category_id, duration: 7, bidAmount: 0.5 },
  });
  await must("POST", "/api/tax-rates", {
    as: operator,
    body: { country: "DE", category_id: category, rate: 7, name: "VAT", valid_from: "2026-01-01" },
  });
  await must("POST", "/api/discounts", {
    as: operator,
    body: { code: "A code with a very long name, which has to go some", kind: "free_delivery" },
  });
  const supplier_id = product.supplier_id;
  await must("POST", `/api/suppliers/${supplier_id}/adjustments`, {
    as: operator,
    body: { amount: 1234567.89, currency: "EUR", reason: "A long reason. ".repeat(20) },
  });
  const { payouts } = await must("POST", "/api/payouts", { as: operator, body: { supplier_id } });
  await must("POST", "/api/payout-holds", {
    as: operator,
    body: { supplier_id, reason: "A long reason. ".repeat(20) },
  });
  return [
    "/",
    "/orders",
    `/orders/${order.id}`,
    "/products",
    "/products/new",
    `/products/${product.id}`,
    "/products/import",
    "/stock",
    "/categories",
    "/campaigns",
    `/campaigns/${campaign.id}`,
    "/discounts",
    "/suppliers",
    "/customers",
    `/customers/${order.customer_id}`,
    "/members",
    "/audit-log",
    "/commissions",
    "/payouts",
    `/payouts/${payouts[0].id}`,
    "/payouts?tab=ledger",
    "/exports",
    "/marketplaces",
    `/marketplaces/${product.marketplace_id}`,
    "/settings",
    "/settings/tax-rates",
  ];
}
