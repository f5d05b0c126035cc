import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.js";
import { CONSOLE, STOREFRONT } from "../../packages/stack/src/apps/apps.js";
import { openApp, type ServedApp } from "../../packages/stack/src/apps/serve.js";
import { createLog } from "../../packages/stack/src/log.js";
import { query } from "../database.js";
import { eventually, until } from "../eventually.js";
import { mailbox, messagesTo } from "../mail/mailbox.js";
import {
  addCategory,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  register,
  stackInUse,
  stockOf,
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

/** Maximum transferred JavaScript before the first page is shown, in bytes. */
const SCRIPT_BYTES = 160_000;
/** The address of a request that completes a checkout, and so places its order. */
const COMPLETION = /\/api\/checkouts\/[^/]+\/complete$/;
/** Maximum cumulative layout shift while a page loads. */
const LAYOUT_SHIFT = 0.05;

interface Shop extends TestTenant {
  /** A second supplier. */
  other: Person;
}

interface Visit {
  language?: "en" | "de" | "ar";
  width?: number;
  /** Whether the visitor has agreed to promotions and statistics; null if the page asks. Default: false. */
  agrees?: boolean | null;
  /** The visited marketplace, by default that of the shop. */
  marketplace?: { domain: string };
}

/** All visitors have one address, and guests of a test open more pages in a minute than people do. */
const forgetRequests = () => query("delete from private.request_counts");

describePages("the storefront", () => {
  const openPage = useBrowser();
  let storefront: ServedApp;
  let office: ServedApp;
  let shop: Shop;

  beforeAll(async () => {
    const { url, publishable_key } = stackInUse();
    const api = { url, publishableKey: publishable_key };
    [storefront, office, shop] = await Promise.all([
      openApp(STOREFRONT, 0, process.cwd(), api, createLog("storefront")),
      openApp(CONSOLE, 0, process.cwd(), api, createLog("console")),
      openShop(),
    ]);
    await Promise.all([storefront.prepare(), office.prepare()]);
  });
  afterAll(() => Promise.all([storefront?.close(), office?.close()]));
  beforeEach(forgetRequests);

  /** Opens the shop as a new visitor. */
  async function visit(path = "/", options: Visit = {}): Promise<Opened> {
    const { language = "en", width, agrees = false, marketplace = shop.marketplace } = options;
    const opened = await openPage({ width });
    const { page } = opened;
    await page
      .context()
      .addCookies([{ name: "souk.language", value: language, url: storefront.url }]);
    if (agrees !== null) {
      await page.addInitScript(
        (consent) => localStorage.setItem("souk.consent", consent),
        agrees ? "yes" : "no",
      );
    }
    await page.route("**/config.json", (route) => route.fulfill({ json: configOf(marketplace) }));
    await page.goto(storefront.url + path);
    await page.locator("h1").first().waitFor();
    return opened;
  }

  /** Adds a product to the cart, from its page. */
  async function buy(page: Page, { id }: { id: string }, quantity = 1): Promise<void> {
    await page.goto(`${storefront.url}/products/${id}`);
    await page.getByLabel("Quantity").fill(String(quantity));
    await page.getByRole("button", { name: "Add to the cart" }).click();
    await page.getByText("is in your cart").waitFor();
  }

  /** Fills in the checkout form as a guest. */
  async function fillIn(page: Page, { address = true } = {}): Promise<void> {
    await page.goto(`${storefront.url}/checkout`);
    await page.getByLabel("E-mail address").fill("gil@example.com");
    if (address) {
      await page.getByLabel("Street and number").fill("1 Market Street");
      await page.getByLabel("Postal code").fill("30000");
      await page.getByLabel("City").fill("Fez");
    }
  }

  /** Fills in the checkout form as a guest, and places the order. */
  async function order(page: Page, options?: { address: boolean }): Promise<void> {
    await fillIn(page, options);
    await page.getByRole("button", { name: "Order now" }).click();
  }

  /** Opens another tab of a visitor. */
  async function openTab(page: Page): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.route("**/config.json", (route) =>
      route.fulfill({ json: configOf(shop.marketplace) }),
    );
    return tab;
  }

  /** Places an order with the session of a page, on another device. */
  async function orderElsewhere(page: Page): Promise<{ id: string }> {
    const session = await page.evaluate(
      (key) => localStorage.getItem(key) ?? "",
      `souk.shop.${shop.marketplace.domain}`,
    );
    const kettle = await listProduct(shop.supplier, { name: "Kettle" });
    const contact = { email: "gil@example.com" };
    return must("POST", "/api/orders", {
      as: JSON.parse(session).access_token,
      body: orderFor(kettle, 1, { contact, delivery_method: "courier" }),
    });
  }

  /** Opens a page of the console as an operator, by default that of the shop. */
  async function openOffice(path: string, operator = shop.operator): Promise<Page> {
    const { page } = await openPage();
    await page.goto(office.url);
    await signInBefore(page, operator);
    await page.goto(office.url + path);
    return page;
  }

  async function placed(page: Page): Promise<string> {
    await page.getByRole("heading", { name: /^Order \d+/ }).waitFor();
    return page.url().split("/").at(-1) ?? "";
  }

  it("sells from two suppliers to a guest, who follows the order, registers and returns a piece", async () => {
    const { operator, supplier, other } = shop;
    const [lantern, glass] = await Promise.all([
      listProduct(supplier, { name: "Brass lantern", price: 49 }),
      listProduct(other, { name: "Tea glass", price: 6.2 }),
    ]);
    const firstDay = today();
    const { page } = await visit("/", { agrees: true });

    // Found while typing, and opened with the keyboard.
    await page.getByRole("combobox", { name: "Search" }).fill("lantern");
    await page.getByRole("option", { name: "Brass lantern" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/products/${lantern.slug}`);
    await page.getByRole("button", { name: "Add to the cart" }).click();
    await page.getByText("is in your cart").waitFor();
    await buy(page, glass, 2);

    // The cart is kept over a reload. Delivery is charged per supplier.
    await page.goto(`${storefront.url}/cart`);
    await page.getByText("€61.40").first().waitFor();
    await page.getByRole("link", { name: "Go to checkout" }).click();
    await page.getByText("in 2 parcels").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await order(page);
    const id = await placed(page);
    await page.getByText("€71.20", { exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);

    // Both suppliers ship, and the page updates by itself.
    const part = (name: string) => page.locator(".part", { hasText: name });
    const shipments = [];
    for (const [person, name] of [
      [supplier, "Brass lantern"],
      [other, "Tea glass"],
    ] as const) {
      expect(await part(name).locator(".state").textContent()).toBe("Pending");
      const body = { carrier: "Caravan", tracking_number: `CV ${name}` };
      shipments.push(await must("POST", `/api/orders/${id}/shipments`, { as: person, body }));
      await part(name).getByText(`CV ${name}`).waitFor();
      await part(name).locator(".state", { hasText: "Shipped" }).waitFor();
    }

    // The guest registers and keeps the order.
    const email = `gil-${randomUUID()}@example.com`;
    const account = page.getByRole("form", { name: "Keep your order" });
    await account.getByLabel("Name").fill("Gil");
    await account.getByLabel("E-mail address").fill(email);
    await account.getByLabel("New password").fill(PASSWORD);
    await account.getByRole("button", { name: "Create an account" }).click();
    await page.getByText("You have an account now").waitFor();
    await page.getByRole("link", { name: "Your account" }).first().click();
    await page.getByText(email).waitFor();
    await page.getByRole("link", { name: /^Order \d+/ }).click();

    // A delivered piece can be returned.
    await must("PATCH", `/api/orders/${id}/shipments/${shipments[1].id}`, {
      as: other,
      body: { status: "delivered" },
    });
    await part("Tea glass").getByText("Send something back").click();
    await part("Tea glass").getByLabel("Tea glass").fill("1");
    await part("Tea glass").getByRole("button", { name: "Request the return" }).click();
    await part("Tea glass").getByText("You have requested a return.").waitFor();
    const { return_requests } = await must("GET", `/api/orders/${id}/return-requests`, {
      as: other,
    });
    expect(return_requests).toMatchObject([{ status: "requested", items: [{ quantity: 1 }] }]);

    // The operator's funnel contains this one visitor. Events are sent after 5 s, or when the page is left.
    await page.goto(`${storefront.url}/souk.svg`);
    await eventually(async () => {
      // Midnight may pass meanwhile.
      const period = `period=custom&from=${firstDay}&to=${today()}`;
      const { stages } = await must("GET", `/api/analytics/funnel?${period}`, { as: operator });
      // biome-ignore lint/suspicious/noExplicitAny: an answer of the API.
      expect(stages.map((stage: any) => [stage.name, stage.count])).toEqual([
        ["visitors", 1],
        ["product_view", 1],
        ["add_to_cart", 1],
        ["checkout", 1],
      ]);
    });

    // The console shows the same.
    const desk = await openOffice("/");
    const stage = (name: string) =>
      desk.locator(".bars li", { hasText: name }).locator(".bar-value");
    for (const name of [
      "Visitors",
      "Looked at a product",
      "Filled a cart",
      "Went to the checkout",
    ]) {
      expect(await stage(name).textContent()).toBe("1");
    }
    await desk.goto(`${office.url}/orders`);
    const rows = desk.locator("tbody tr");
    await rows.filter({ hasText: "€71.20" }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.locator("td").allTextContents()).toEqual(expect.arrayContaining(["#1", "3"]));
  });

  it("reads without an account, and makes a guest with the order", async () => {
    const teapot = await listProduct(shop.supplier, { name: "Silver teapot" });
    const { page } = await visit();
    const sent = watchVisit(page);
    await page.goto(`${storefront.url}/search?query=teapot`);
    await page.getByRole("heading", { name: "Silver teapot" }).waitFor();
    await buy(page, teapot);
    await page.goto(`${storefront.url}/cart`);
    await page.getByRole("link", { name: "Silver teapot" }).waitFor();
    await page.goto(`${storefront.url}/profile`);
    await page.getByRole("form", { name: "Sign in" }).waitFor();
    await page.goto(`${storefront.url}/orders/${randomUUID()}`);
    await page.getByRole("heading", { name: "Sign in to see this order" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(sent).toEqual({ guests: 0, tokens: 0, visitors: new Set() });

    await order(page);
    const id = await placed(page);
    expect(sent.guests).toBe(1);
    // The same guest goes on.
    await buy(page, teapot);
    await order(page);
    expect(await placed(page)).not.toBe(id);
    expect(sent).toMatchObject({ guests: 1, visitors: new Set() });
    await payByStripe(page, id);
    await page.goto(`${storefront.url}/profile`);
    await page.getByRole("heading", { name: "Your orders" }).waitFor();
    await eventually(async () =>
      expect(await page.getByRole("link", { name: /^Order \d+/ }).count()).toBe(2),
    );
  });

  /** Pays an order of a page's guest at a stand-in for Stripe, as if the shop had it: first with a card that is declined. */
  async function payByStripe(page: Page, id: string): Promise<void> {
    await forgetRequests();
    const loaded = await standInForStripe(page);
    const pay = page.getByRole("region", { name: "Pay", exact: true });
    // The page was loaded at another address, whose policy does not allow Stripe.
    await page.goto(`${storefront.url}/profile`);
    await page.locator(`a[href="/orders/${id}"]`).click();
    await pay.getByRole("button", { name: "Pay now" }).waitFor();
    expect(loaded).toEqual([]);
    await pay.getByRole("button", { name: "Pay now" }).press("Enter");
    const card = pay.getByLabel("Card number");
    await card.waitFor();
    expect(loaded.length).toBe(1);
    expect(page.url()).toBe(`${storefront.url}/orders/${id}`);
    await eventually(async () =>
      expect(await card.evaluate((field) => field === document.activeElement)).toBe(true),
    );
    expect(await barriersOn(page)).toEqual([]);
    await page.keyboard.type("4000");
    await page.keyboard.press("Enter");
    await pay.getByText("Your card was declined.").waitFor();
    await card.fill("4242");
    await page.keyboard.press("Enter");
    await pay.getByText("Your payment is being confirmed.").waitFor();
    expect(await pay.getByRole("button").count()).toBe(0);

    // Ways to pay that lead to another site come back, here without the money.
    const back = `/orders/${id}?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret`;
    await page.goto(`${storefront.url}${back}&redirect_status=failed`);
    await pay.getByText("The payment did not work.").waitFor();
    await page.goto(`${storefront.url}${back}&redirect_status=succeeded`);
    await pay.getByText("Your payment is being confirmed.").waitFor();
    expect(page.url()).toBe(`${storefront.url}/orders/${id}`);
    expect(await barriersOn(page)).toEqual([]);

    // Only the report counts, and the page follows it.
    const { owed_amount: amount } = await must("GET", `/api/orders/${id}`, { as: shop.operator });
    const body = { status: "paid", amount, reference: "pi_1" };
    await must("POST", `/api/orders/${id}/payments`, { as: shop.operator, body });
    await pay.waitFor({ state: "detached" });
  }

  it.each([
    { language: "en", title: "Promotions and statistics", yes: "Yes", no: "No" },
    { language: "de", title: "Anzeigen und Statistik", yes: "Ja", no: "Nein" },
    { language: "ar", title: "الإعلانات والإحصاءات", yes: "نعم", no: "لا" },
  ] as const)("makes the id of a visitor after consent, which can be withdrawn, in $language", async ({
    language,
    title,
    yes,
    no,
  }) => {
    const { page } = await visit("/", { language, agrees: null, width: 390 });
    const sent = watchVisit(page);
    const question = page.getByRole("region", { name: title });
    const keptId = () => page.evaluate(() => localStorage.getItem("souk.visitor"));
    await question.waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.goto(`${storefront.url}/search`);
    await page.waitForLoadState("networkidle");
    expect(sent.visitors).toEqual(new Set());
    expect(await keptId()).toBeNull();

    await question.getByRole("button", { name: yes, exact: true }).press("Enter");
    await question.waitFor({ state: "hidden" });
    await page.goto(`${storefront.url}/search`);
    await page.waitForLoadState("networkidle");
    const id = await keptId();
    expect(sent.visitors).toEqual(new Set([id]));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);

    await page.getByRole("button", { name: title }).press("Enter");
    await question.getByRole("button", { name: no, exact: true }).press("Enter");
    await question.waitFor({ state: "hidden" });
    expect(await keptId()).toBeNull();
    sent.visitors.clear();
    await page.goto(`${storefront.url}/search`);
    await page.waitForLoadState("networkidle");
    expect(sent.visitors).toEqual(new Set());
  });

  it.each([
    { currency: "IQD", zeros: "00" },
    { currency: "HUF", zeros: "0" },
  ])("shows the delivery, the sums and the decimals that the order has, in $currency", async ({
    currency,
    zeros,
  }) => {
    const { operator, supplier } = await openTestTenant();
    // In binary fractions, 7.1 + 8.95 + 8.95 is less than 25. Browsers show these currencies without decimals.
    const delivery = { methods: [{ key: "post", name: "Post", price: 4, free_from: 25 }] };
    const marketplace = await openMarketplace(operator, { currency });
    const marketplace_id = marketplace.id;
    await must("PUT", `/api/marketplaces/${marketplace_id}`, {
      as: operator,
      body: { settings: { business: { delivery } } },
    });
    const [tin, jar] = await Promise.all([
      listProduct(supplier, { name: "Tin", price: 7.1, marketplace_id }),
      listProduct(supplier, { name: "Jar", price: 8.95, marketplace_id }),
    ]);
    const total = `${currency} 25.0${zeros}`;
    const { page } = await visit("/", { marketplace });
    await buy(page, tin);
    await page.getByText(`${currency} 7.1${zeros}`).first().waitFor();
    await buy(page, jar, 2);
    await page.goto(`${storefront.url}/cart`);
    await page.getByText(`${currency} 17.9${zeros}`).waitFor();
    await page.goto(`${storefront.url}/checkout`);
    await page.locator(".choice", { hasText: "Post" }).waitFor();
    expect(await page.locator(".choice", { hasText: "Post" }).textContent()).toContain("free");
    const summary = page.getByRole("region", { name: "Summary" });
    expect(plain(await summary.locator(".row").last().textContent())).toContain(total);
    await order(page);
    const id = await placed(page);
    const { delivery_amount, total_amount } = await must("GET", `/api/orders/${id}`, {
      as: operator,
    });
    expect([delivery_amount, total_amount]).toEqual([0, 25]);
    await page.getByText(total, { exact: true }).waitFor();

    const desk = await openOffice(`/orders/${id}`, operator);
    await desk.getByText(total).first().waitFor();
  });

  it("applies a discount code by Enter, in three languages, and orders at the total that it shows", async () => {
    const { operator, supplier } = await openTestTenant();
    const marketplace = await openMarketplace(operator, { settings: { tax: { country: "DE" } } });
    const rate = { country: "DE", rate: 19, name: "VAT" };
    await must("POST", "/api/tax-rates", { as: operator, body: rate });
    const discount = { kind: "percentage", code: "TEN", value: 10 };
    await must("POST", "/api/discounts", { as: operator, body: discount });
    const rug = await listProduct(supplier, {
      ...{ name: "Rug", price: 100, marketplace_id: marketplace.id },
    });
    const { page } = await visit("/", { marketplace, width: 390 });
    await buy(page, rug);
    for (const [value, label, refusal] of [
      ["de", "Rabattcode (optional)", "Dieser Rabattcode gilt nicht für Ihre Bestellung."],
      ["ar", "رمز الخصم (اختياري)", "رمز الخصم هذا لا ينطبق على طلبك."],
      ["en", "Discount code (optional)", "This discount code does not apply to your order."],
    ] as const) {
      await page.context().addCookies([{ name: "souk.language", value, url: storefront.url }]);
      await page.goto(`${storefront.url}/checkout`);
      const code = page.getByLabel(label);
      await code.fill("NOPE");
      await page.keyboard.press("Enter");
      await page.getByText(refusal).waitFor();
      expect(await code.getAttribute("aria-invalid")).toBe("true");
      expect(await barriersOn(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    await page.getByLabel("Discount code (optional)").fill("ten");
    await page.keyboard.press("Enter");
    const summary = page.getByRole("region", { name: "Summary" });
    await summary.getByText("-€10.00").waitFor();
    await summary.getByText("Contains tax").waitFor();
    await summary.getByText("€14.37").waitFor();
    await summary.getByText("€90.00").waitFor();
    await page.getByLabel("E-mail address").fill("gil@example.com");
    await page.getByLabel("Street and number").fill("1 Market Street");
    await page.getByLabel("City").fill("Fez");
    await page.getByRole("button", { name: "Order now" }).click();
    const id = await placed(page);
    expect(await must("GET", `/api/orders/${id}`, { as: operator })).toMatchObject({
      ...{ total_amount: 90, discount_amount: 10, tax_amount: 14.37 },
    });
  });

  it("shows in the cart what its one checkout costs, by keyboard, in three languages", async () => {
    const { operator, supplier } = await openTestTenant();
    const delivery = { methods: [{ key: "post", name: "Post", price: 4 }] };
    const marketplace = await openMarketplace(operator, {
      settings: { tax: { country: "DE" }, business: { delivery } },
    });
    const rate = { country: "DE", rate: 19, name: "VAT" };
    await must("POST", "/api/tax-rates", { as: operator, body: rate });
    const discount = { kind: "percentage", value: 10 };
    await must("POST", "/api/discounts", { as: operator, body: discount });
    const rug = await listProduct(supplier, {
      ...{ name: "Rug", price: 100, marketplace_id: marketplace.id },
    });
    const { page, faults } = await visit("/cart", { marketplace, width: 390 });
    const asked: string[] = [];
    page.on("request", (request) => {
      if (/\/api\/checkouts/.test(request.url())) asked.push(request.method());
    });
    await page.waitForLoadState("networkidle");
    expect(asked).toEqual([]);
    await buy(page, rug);

    // Its place is kept until it is there.
    const quoting = /\/api\/checkouts(\/[^/]+)?$/;
    const answer = await holdRequests(page, quoting);
    await page.goto(`${storefront.url}/cart`);
    const totals = page.getByRole("region", { name: "Summary" });
    await totals.getByText("Loading").waitFor();
    expect(await totals.getAttribute("aria-busy")).toBe("true");
    const checkOut = page.getByRole("link", { name: "Go to checkout" });
    const before = await checkOut.boundingBox();
    answer();
    await totals.getByText("€90.00").waitFor();
    const after = await checkOut.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
    await page.unroute(quoting);
    expect(asked).toEqual(["POST"]);
    for (const amount of ["€100.00", "-€10.00", "€14.37"]) await totals.getByText(amount).waitFor();

    // Each press of a key replaces the checkout, and the last one counts.
    await page.getByLabel("Quantity of Rug").focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowUp");
    await totals.getByText("€360.00").waitFor();
    await page.locator(".line", { hasText: "€400.00" }).waitFor();
    expect(new Set(asked.slice(1))).toEqual(new Set(["PUT"]));

    // What was not answered is asked again by a button.
    await page.route(quoting, (route) => route.abort("connectionreset"));
    await page.keyboard.press("ArrowDown");
    await totals.getByText("There is no connection. Your cart is kept.").waitFor();
    expect(await totals.getByText("€360.00").count()).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
    await page.unroute(quoting);
    const retry = await holdRequests(page, quoting);
    await totals.getByRole("button", { name: "Try again" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".totals[aria-busy=true]").waitFor();
    expect(await page.locator(":focus").textContent()).toBe("Try again");
    expect(await totals.getByText("€360.00").count()).toBe(0);
    retry();
    await totals.getByText("€270.00").waitFor();
    await page.unroute(quoting);
    const refusal = { error: { code: "RATE_LIMITED", message: "Wait.", details: {} } };
    const headers = { "access-control-allow-origin": "*" };
    await page.route(quoting, (route) => route.fulfill({ status: 429, headers, json: refusal }));
    await page.getByLabel("Quantity of Rug").focus();
    await page.keyboard.press("ArrowDown");
    await totals.getByText("These were too many requests. Please wait a moment.").waitFor();
    await page.unroute(quoting);
    expect(faults.splice(0).filter((fault) => !/429|RESET|api\/checkouts/.test(fault))).toEqual([]);

    for (const [value, name, remark] of [
      ["de", "Übersicht", "Zuzüglich Lieferung"],
      ["ar", "الملخص", "لا يشمل التوصيل"],
      ["en", "Summary", "Plus delivery"],
    ] as const) {
      await page.context().addCookies([{ name: "souk.language", value, url: storefront.url }]);
      await page.goto(`${storefront.url}/cart`);
      await page.getByRole("region", { name }).getByText(remark).waitFor();
      expect(await barriersOn(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    await totals.getByText("€180.00").waitFor();
    expect(asked.filter((method) => method === "POST")).toEqual(["POST"]);

    // The checkout goes on with the same one, and an emptied cart asks for nothing.
    await checkOut.click();
    await page.getByText("€184.00").waitFor();
    expect(asked.filter((method) => method === "POST")).toEqual(["POST"]);
    await page.goto(`${storefront.url}/cart`);
    await totals.getByText("€180.00").waitFor();
    await page.getByRole("button", { name: "Remove Rug" }).press("Enter");
    await page.getByText("Your cart is empty.").waitFor();
    expect(await totals.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("orders to a country that is chosen by keyboard, with the fields that addresses there have", async () => {
    const jar = await listProduct(shop.supplier, { name: "Honey jar" });
    const { page, faults } = await visit();
    await buy(page, jar);
    await page.goto(`${storefront.url}/checkout`);
    await page.getByLabel("E-mail address").fill("gil@example.com");
    await page.getByLabel("Street and number").fill("Tower 3\n1 Creek Road");
    expect(await page.getByLabel("City").getAttribute("required")).toBe("");
    expect(await page.getByLabel("Postal code (optional)").getAttribute("required")).toBeNull();
    const country = page.getByLabel("Country");
    await country.focus();
    await page.keyboard.type("United Arab");
    await page.getByLabel("Emirate").waitFor();
    expect(await page.getByLabel(/City|Postal code/).count()).toBe(0);
    expect(await barriersOn(page)).toEqual([]);

    // What was typed stays where the other country has the field too.
    await country.selectOption("GB");
    await page.getByLabel("Post town").fill("London");
    await page.getByLabel("Postal code").fill("12345");
    await page.getByRole("button", { name: "Order now" }).click();
    const code = page.getByLabel("Postal code");
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await code.getAttribute("aria-invalid")).toBe("true");
    await page.getByText("Please check what you entered. Example: EC1Y 8SY").waitFor();
    expect(faults.splice(0).filter((fault) => !fault.includes("422"))).toEqual([]);
    await code.fill("SW1A 2AA");
    await page.getByRole("button", { name: "Order now" }).click();
    const id = await placed(page);
    const { shipping_address } = await must("GET", `/api/orders/${id}`, { as: shop.operator });
    expect(shipping_address).toEqual({
      street: "Tower 3\n1 Creek Road",
      city: "London",
      postal_code: "SW1A 2AA",
      country: "GB",
    });
    const desk = await openOffice(`/orders/${id}`);
    for (const line of ["Tower 3", "SW1A 2AA London", "United Kingdom"]) {
      await desk.getByText(line, { exact: true }).waitFor();
    }

    // The next checkout begins with the same address.
    await buy(page, jar);
    await page.goto(`${storefront.url}/checkout`);
    expect(await country.inputValue()).toBe("GB");
    expect(await page.getByLabel("Street and number").inputValue()).toBe("Tower 3\n1 Creek Road");
    expect(await page.getByLabel("Post town").inputValue()).toBe("London");
    expect(await code.inputValue()).toBe("SW1A 2AA");
  });

  it("begins an address with the country that the console chose, in three languages", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const desk = await openOffice(`/marketplaces/${marketplace.id}`, operator);
    await desk.getByRole("tab", { name: "Terms" }).click();
    const terms = desk.getByRole("tabpanel", { name: "Terms" });
    await terms.getByLabel("Country of addresses").selectOption({ label: "Japan" });
    await terms.getByRole("button", { name: "Save" }).click();
    await desk.getByText("Saved.").first().waitFor();

    const jar = await listProduct(supplier, { marketplace_id: marketplace.id });
    const { page } = await visit("/", { marketplace, width: 390 });
    await buy(page, jar);
    for (const [value, name, ...labels] of [
      ["en", "Japan", "Prefecture", "Postal code", "Street and number"],
      ["de", "Japan", "Präfektur", "Postleitzahl", "Straße und Hausnummer"],
      ["ar", "اليابان", "المحافظة", "الرمز البريدي", "الشارع والرقم"],
    ] as const) {
      await page.context().addCookies([{ name: "souk.language", value, url: storefront.url }]);
      await page.goto(`${storefront.url}/checkout`);
      const country = page.locator('select[name="shipping_address.country"]');
      await country.waitFor();
      expect(await country.locator("option:checked").textContent()).toBe(name);
      for (const label of labels) {
        const field = page.getByLabel(label, { exact: true });
        expect(await field.getAttribute("required"), label).toBe("");
      }
      expect(await page.locator('[name="shipping_address.city"]').count()).toBe(0);
      expect(await barriersOn(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });

  it("takes a tax number and another address for the invoice, by keyboard alone, in three languages", async () => {
    const jar = await listProduct(shop.supplier, { name: "Plum jam" });
    const { page, faults } = await visit();
    await buy(page, jar);
    for (const [value, number, other, legend] of [
      ["de", "Steuernummer (optional)", "Die Rechnung hat eine andere Adresse", "Rechnungsadresse"],
      ["ar", "الرقم الضريبي (اختياري)", "للفاتورة عنوان آخر", "عنوان الفاتورة"],
      ["en", "Tax number (optional)", "The invoice has another address", "Billing address"],
    ] as const) {
      await page.context().addCookies([{ name: "souk.language", value, url: storefront.url }]);
      await page.goto(`${storefront.url}/checkout`);
      const group = page.getByRole("group", { name: legend });
      await page.getByLabel(number).focus();
      expect(await group.count()).toBe(0);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      await group.waitFor();
      expect(await page.getByLabel(other).isChecked()).toBe(true);
      expect(await barriersOn(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }

    await page.getByLabel("E-mail address").fill("gil@example.com");
    const goods = page.getByRole("group", { name: "Address", exact: true });
    await goods.getByLabel("Street and number").fill("1 Market Street");
    await goods.getByLabel("City").fill("Fez");
    const invoice = page.getByRole("group", { name: "Billing address" });
    await page.getByLabel("Tax number (optional)").focus();
    await page.keyboard.type("NL123456789B01");
    await page.keyboard.press("Tab");
    for (const text of ["Netherlands", "Ōno & Co.", "Damrak 1", "1", "Amsterdam"]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    const code = invoice.getByLabel("Postal code");
    await page.getByText("Please check what you entered. Example: 1234 AB").waitFor();
    expect(await code.getAttribute("aria-invalid")).toBe("true");
    expect(faults.splice(0).filter((fault) => !fault.includes("422"))).toEqual([]);
    await code.fill("1012 LG");
    await page.keyboard.press("Enter");
    const id = await placed(page);
    const billing_address = {
      company: "Ōno & Co.",
      street: "Damrak 1",
      city: "Amsterdam",
      postal_code: "1012 LG",
      country: "NL",
    };
    expect(await must("GET", `/api/orders/${id}`, { as: shop.operator })).toMatchObject({
      shipping_address: { street: "1 Market Street", city: "Fez" },
      billing_address,
      tax_id: "NL123456789B01",
    });

    // The next checkout begins with the same.
    await buy(page, jar);
    await page.goto(`${storefront.url}/checkout`);
    await invoice.waitFor();
    expect(await invoice.getByLabel("Company (optional)").inputValue()).toBe("Ōno & Co.");
    expect(await code.inputValue()).toBe("1012 LG");
    expect(await page.getByLabel("Tax number (optional)").inputValue()).toBe("NL123456789B01");
    await page.getByLabel("The invoice has another address").uncheck();
    await page.getByRole("button", { name: "Order now" }).click();
    await page.getByText("Thank you").waitFor();
    const again = await placed(page);
    expect(again).not.toBe(id);
    const order = await must("GET", `/api/orders/${again}`, { as: shop.operator });
    expect(order.billing_address).toEqual(order.shipping_address);
    expect(faults).toEqual([]);
  });

  it("tells how to pay, by keyboard, and gives access to digital products after the payment", async () => {
    const { operator, supplier } = shop;
    const font = await listProduct(supplier, {
      name: "Kufi font",
      kind: "digital",
      track_inventory: true,
      inventory: undefined,
    });
    const at = `/api/products/${font.id}`;
    const file = await uploadFile(supplier);
    await must("POST", `${at}/files`, {
      as: supplier,
      body: { name: "kufi.txt", asset_id: file },
    });
    await must("POST", `${at}/licence-keys`, { as: supplier, body: { codes: ["KUFI-7Q2M"] } });
    const { page } = await visit();
    await buy(page, font);
    await order(page, { address: false });
    const id = await placed(page);
    expect(await page.getByText("KUFI-7Q2M").count()).toBe(0);

    for (const [value, title, how] of [
      ["de", "Bezahlen", "So bezahlen Sie"],
      ["ar", "الدفع", "كيف تدفع"],
      ["en", "Pay", "How to pay"],
    ] as const) {
      await page.context().addCookies([{ name: "souk.language", value, url: storefront.url }]);
      await page.goto(`${storefront.url}/orders/${id}`);
      const pay = page.getByRole("region", { name: title, exact: true });
      await pay.getByRole("button", { name: how }).press("Enter");
      await pay.getByText("DE02 1203").waitFor();
      expect(await barriersOn(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    const { payment_sessions } = await must("GET", `/api/orders/${id}/payment-sessions`, {
      as: operator,
    });
    expect(payment_sessions).toMatchObject([
      { provider: "manual", status: "open", amount: font.price },
    ]);

    await must("POST", `/api/orders/${id}/payments`, {
      as: operator,
      body: { status: "paid", amount: font.price, reference: "card-1" },
    });
    await page.getByText("KUFI-7Q2M").waitFor();
    expect(await page.getByRole("region", { name: "Pay", exact: true }).count()).toBe(0);
    const link = await page.getByRole("link", { name: "Download kufi.txt" }).getAttribute("href");
    expect(await (await fetch(link ?? "")).text()).toBe("glyphs");
  });

  it("books a slot", async () => {
    const { supplier } = shop;
    const workshop = await listProduct(supplier, {
      name: "Brass workshop",
      kind: "service",
      inventory: undefined,
    });
    await must("PUT", `/api/products/${workshop.id}/calendar`, {
      as: supplier,
      body: {
        time_zone: "Africa/Casablanca",
        duration_minutes: 120,
        hours: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
          weekday,
          opens: "00:00",
          closes: "24:00",
        })),
      },
    });
    const { page } = await visit(`/products/${workshop.id}`);
    await page.getByLabel("Date and time").selectOption({ index: 3 });
    await page.getByRole("button", { name: "Book" }).click();
    await page.getByText("is in your cart").waitFor();
    await order(page, { address: false });
    const id = await placed(page);
    const { bookings } = await must("GET", `/api/bookings?order_id=${id}`, { as: supplier });
    expect(bookings).toHaveLength(1);
  });

  it("sells the last piece to one of two customers, and explains it to the other", async () => {
    const last = await listProduct(shop.supplier, {
      name: "Last lamp",
      inventory: { quantity: 1 },
    });
    const visitors = await Promise.all([visit(), visit()]);
    for (const { page } of visitors) await buy(page, last);
    await Promise.all(visitors.map(({ page }) => order(page)));
    const outcomes = await Promise.all(
      visitors.map(async ({ page, faults }) => {
        const heading = page.getByRole("heading", { name: /^Order \d+/ });
        const sorry = page.getByText("Sorry, Last lamp has just sold out.");
        await heading.or(sorry).first().waitFor();
        if (await heading.isVisible()) return "bought";
        expect(await barriersOn(page)).toEqual([]);
        // Chromium logs the refusal, too.
        expect(faults.splice(0).filter((fault) => !fault.includes("422"))).toEqual([]);
        return "sold out";
      }),
    );
    expect(outcomes.toSorted()).toEqual(["bought", "sold out"]);
    expect(await stockOf(last)).toEqual({ product: { quantity: 1, reserved: 1 } });
  });

  it("says that a product is not sold any more, also while its page is open", async () => {
    const { operator, supplier } = shop;
    const category = await addCategory(operator, "Mirrors");
    const mirror = await listProduct(supplier, { name: "Oval mirror", category_id: category });
    const setStock = (quantity: number) =>
      must("PATCH", `/api/products/${mirror.id}/inventory`, {
        as: supplier,
        body: { quantity, operation: "set" },
      });
    const { page, faults } = await visit(`/products/${mirror.id}`);
    const gone = page.getByText("Sorry, this product has sold out");
    await page.getByLabel("Quantity").fill("2");
    await setStock(1);
    await page.getByRole("button", { name: "Add to the cart" }).click();
    await page.getByText("Only 1 piece of Oval mirror is left.").waitFor();
    await page.getByRole("link", { name: "Cart (1)" }).waitFor();
    await setStock(0);
    await page.getByRole("button", { name: "Add to the cart" }).click();
    await gone.waitFor();
    await page.getByRole("heading", { name: "Oval mirror" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    // It is back when the customer comes back to the page, and gone again for good.
    await setStock(2);
    const comeBack = () =>
      page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await comeBack();
    await page.getByRole("button", { name: "Add to the cart" }).waitFor();
    await must("DELETE", `/api/products/${mirror.id}`, { as: supplier });
    await comeBack();
    await gone.waitFor();
    await page.getByRole("link", { name: "See similar products" }).click();
    await page.waitForURL(`**/categories/${category}`);
    await page.goto(`${storefront.url}/products/${mirror.id}`);
    await gone.waitFor();
    await page.getByRole("link", { name: "All products" }).first().waitFor();
    expect(faults.splice(0).filter((fault) => !fault.includes("404"))).toEqual([]);
  });

  it("places one order for one cart, with two tabs and two clicks", async () => {
    const bowl = await listProduct(shop.supplier, { name: "Clay bowl" });
    const { page } = await visit();
    await buy(page, bowl);
    const tab = await openTab(page);
    for (const each of [page, tab]) {
      await fillIn(each);
      await untilPriced(each);
    }
    // The second order waits for the answer to the first.
    const answer = await holdRequests(page, COMPLETION);
    const sent = page.waitForRequest(COMPLETION);
    await page.getByRole("button", { name: "Order now" }).click();
    await sent;
    await tab.getByLabel("City").press("Enter");
    await tab.getByRole("button", { name: "Ordering…" }).waitFor();
    answer();
    const id = await placed(page);
    // The other tab has an empty cart. It opens the same order if it read the cart before.
    await tab
      .getByText("Your cart is empty.")
      .or(tab.getByRole("heading", { name: /^Order \d+/ }))
      .waitFor();
    expect(await stockOf(bowl)).toEqual({ product: { quantity: 10, reserved: 1 } });
    const { status } = await must("GET", `/api/orders/${id}`, { as: shop.operator });
    expect(status).toBe("pending");
  });

  it("orders with the details of the form while another tab shows the cart", async () => {
    const { marketplace, operator } = shop;
    const bowl = await listProduct(shop.supplier, { name: "Olive wood bowl" });
    const { page } = await visit();
    await buy(page, bowl);
    const tab = await openTab(page);
    await tab.goto(`${storefront.url}/cart`);
    await tab.locator(".totals[aria-busy=false] .total").waitFor();
    await fillIn(page);
    await page.getByLabel("Tax number (optional)").fill("NL123456789B01");
    await untilPriced(page);
    const answer = await holdRequests(page, COMPLETION);
    const sent = page.waitForRequest(COMPLETION);
    await page.getByRole("button", { name: "Order now" }).click();
    await sent;
    // The cart is of the guest now. Its request waits for the order.
    const isWaiting = (lock: string) =>
      navigator.locks.query().then(({ pending = [] }) => pending.some(({ name }) => name === lock));
    await until(() => tab.evaluate(isWaiting, `souk.checkout.${marketplace.domain}`));
    answer();
    const id = await placed(page);
    const placedOrder = await must("GET", `/api/orders/${id}`, { as: operator });
    expect(placedOrder).toMatchObject({ status: "pending", tax_id: "NL123456789B01" });
    await tab.getByText("Your cart is empty.").waitFor();
  });

  it("orders with the details of the tab that orders", async () => {
    const bowl = await listProduct(shop.supplier, { name: "Wooden bowl" });
    const { page } = await visit();
    await buy(page, bowl);
    await page.goto(`${storefront.url}/checkout`);
    await page.getByLabel("E-mail address").fill("gil@example.com");
    await page.getByLabel("Street and number").fill("1 Market Street");
    await page.getByLabel("City").fill("Fez");
    await untilPriced(page);
    const tab = await openTab(page);
    await tab.goto(`${storefront.url}/checkout`);
    await tab.getByLabel("City").fill("Rabat");
    await untilPriced(tab);
    await page.getByRole("button", { name: "Order now" }).click();
    const id = await placed(page);
    const { shipping_address } = await must("GET", `/api/orders/${id}`, { as: shop.operator });
    expect(shipping_address).toMatchObject({ street: "1 Market Street", city: "Fez" });
    await tab.getByText("Your cart is empty.").waitFor();
  });

  it("shows a total that has changed before it orders, also with a checkout that has expired", async () => {
    const { supplier, operator, marketplace } = shop;
    const ladle = await listProduct(supplier, { name: "Copper ladle", price: 30 });
    const { page, faults } = await visit();
    await buy(page, ladle);
    await page.goto(`${storefront.url}/checkout`);
    const button = page.getByRole("button", { name: "Order now" });
    const summary = page.getByRole("region", { name: "Summary" });
    await summary.getByText("€34.90").waitFor();
    await page.getByLabel("E-mail address").fill("gil@example.com");
    await page.getByLabel("Street and number").fill("1 Market Street");

    // Until the newest total is there.
    const replacing = /\/api\/checkouts\/[^/]+$/;
    const answer = await holdRequests(page, replacing);
    await page.getByLabel("City").fill("Fez");
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    answer();
    await untilPriced(page);
    await page.unroute(replacing);

    await must("PUT", `/api/products/${ladle.id}`, { as: supplier, body: { price: 31 } });
    await button.click();
    await page.getByText("The total has changed.").waitFor();
    await summary.getByText("€35.90").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    const orders = "/api/orders?sort=number&order=desc&limit=5";
    const before = await must("GET", orders, { as: operator });
    const isLadle = ({ items }: { items: { product_id: string }[] }) =>
      items[0]?.product_id === ladle.id;
    expect(before.orders.filter(isLadle)).toEqual([]);

    const kept = await page.evaluate(
      (key) => JSON.parse(localStorage.getItem(key) ?? "{}").checkout,
      `souk.cart.${marketplace.domain}`,
    );
    await query("update private.checkouts set expires_at = now() where id = $1", [kept.id]);
    await button.click();
    const id = await placed(page);
    expect(await must("GET", `/api/orders/${id}`, { as: operator })).toMatchObject({
      total_amount: 35.9,
      shipping_address: { street: "1 Market Street", city: "Fez" },
    });
    expect(faults.splice(0).filter((fault) => !/409|422/.test(fault))).toEqual([]);
  });

  it("reduces the cart to the stock and updates its prices, also after signing in", async () => {
    const { supplier, customer } = shop;
    const rug = await listProduct(supplier, { name: "Wool rug", price: 240 });
    const { page } = await visit();
    await buy(page, rug, 5);
    await must("PUT", `/api/products/${rug.id}`, { as: supplier, body: { price: 250 } });
    await must("PATCH", `/api/products/${rug.id}/inventory`, {
      as: supplier,
      body: { quantity: 3, operation: "set" },
    });
    await page.goto(`${storefront.url}/profile`);
    const form = page.getByRole("form", { name: "Sign in" });
    await form.getByLabel("E-mail address").fill(customer.email);
    await form.getByLabel("Password").fill(PASSWORD);
    await form.getByRole("button", { name: "Sign in" }).click();
    await page.getByText(customer.email).waitFor();
    await page.getByRole("link", { name: "Cart (5)" }).click();
    await page.getByText("Only 3 pieces of Wool rug are left.").waitFor();
    await page.getByText("has changed from €240.00 to €250.00").waitFor();
    await page.getByText("€750.00").first().waitFor();
  });

  it("keeps the cart when the connection breaks, and replaces the unpaid order of an earlier try", async () => {
    const { operator, supplier } = shop;
    const samovar = await listProduct(supplier, { name: "Samovar", inventory: { quantity: 1 } });
    const { page, faults } = await visit();
    await buy(page, samovar);
    // The order is placed, and its answer is lost.
    await page.route(COMPLETION, async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await order(page);
    await page.getByText("There is no connection. Your cart is kept.").waitFor();
    await page.unroute(COMPLETION);
    // A newer order of the customer is not the one that was lost.
    const newer = await orderElsewhere(page);
    await page.getByLabel("City").fill("Rabat");
    await page.getByRole("button", { name: "Order now" }).click();
    await placed(page);
    // It is sold out for others, but not for who changes the order.
    await page.getByRole("button", { name: "Change this order" }).click();
    await page.getByText("This takes the place of order").waitFor();
    await page.getByRole("link", { name: "Cart (1)" }).waitFor();
    await page.getByLabel("City").fill("Tangier");
    const heading = page.getByRole("heading", { name: /^Order \d+/ });
    await page.getByRole("button", { name: "Order now" }).click();
    await heading.waitFor();
    const { orders: all } = await must("GET", "/api/orders?sort=number&order=asc", {
      as: operator,
    });
    // biome-ignore lint/suspicious/noExplicitAny: an answer of the API.
    const made = all.filter(({ items }: any) => items[0].product_id === samovar.id);
    // biome-ignore lint/suspicious/noExplicitAny: an answer of the API.
    expect(made.map((one: any) => [one.status, one.shipping_address.city])).toEqual([
      ["cancelled", "Fez"],
      ["cancelled", "Rabat"],
      ["pending", "Tangier"],
    ]);
    expect(await stockOf(samovar)).toEqual({ product: { quantity: 1, reserved: 1 } });
    const { status } = await must("GET", `/api/orders/${newer.id}`, { as: operator });
    expect(status).toBe("pending");
    faults.splice(0);
  });

  it("sets a new password with the link of a mail", async () => {
    const person = await register({ tenant_id: shop.tenantId });
    const { page } = await visit("/profile");
    const form = page.getByRole("form", { name: "Sign in" });
    await form.getByLabel("E-mail address").fill(person.email);
    await form.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByText("a mail with a link is on its way").waitFor();
    await page.goto(await linkMailedTo(person.email));
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("Your password is changed.").waitFor();
    await must("POST", "/auth/login", {
      body: { email: person.email, password: "another long password" },
    });
  });

  it("continues as a visitor when the session has ended", async () => {
    const pouf = await listProduct(shop.supplier, { name: "Leather pouf" });
    const { page, faults } = await visit();
    await buy(page, pouf);
    await order(page);
    await placed(page);
    await buy(page, pouf);
    const refusal = { error: { code: "UNAUTHORIZED", message: "Sign in.", details: {} } };
    const headers = { "access-control-allow-origin": "*" };
    await page.route(
      "**/api/orders?**",
      (route) => route.fulfill({ status: 401, headers, json: refusal }),
      { times: 1 },
    );
    await page.goto(`${storefront.url}/profile`);
    await page.getByText("Your session has ended.").waitFor();
    await page.getByRole("heading", { name: "Your orders" }).waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "Cart (1)" }).waitFor();
    expect(faults.splice(0).filter((fault) => !fault.includes("401"))).toEqual([]);
  });

  it("marks promoted products, and the console shows each impression, click and sale", async () => {
    const { operator, supplier } = shop;
    const category = await addCategory(operator, "Ceramics");
    const plate = await listProduct(supplier, {
      name: "Blue plate",
      price: 20,
      category_id: category,
    });
    await listProduct(supplier, { name: "White plate", category_id: category });
    const top = "/api/v1/top-placement";
    await must("PUT", `${top}/categories/${category}`, {
      as: operator,
      body: { basePrice: 2, minBid: 0.1 },
    });
    const campaign = await must("POST", `${top}/campaigns`, {
      as: operator,
      body: {
        productId: plate.id,
        categoryId: category,
        duration: 7,
        bidAmount: 0.5,
        labels: ["TOP"],
      },
    });
    const { page } = await visit(`/categories/${category}`, { agrees: true });
    const counted = countPlacementEvents(page);
    const card = page.locator(".card", { hasText: "Blue plate" });
    await card.getByText("TOP").waitFor();
    await eventually(() => expect(counted).toEqual({ impression: 1, click: 0 }));
    await card.getByRole("link").click();
    // A second impression may be reported meanwhile.
    await eventually(() => expect(counted).toMatchObject({ click: 1 }));
    await page.getByRole("heading", { name: "Blue plate" }).waitFor();
    await page.getByLabel("Quantity").fill("2");
    await page.getByRole("button", { name: "Add to the cart" }).click();
    await page.getByText("is in your cart").waitFor();
    await order(page);
    await placed(page);

    const desk = await openOffice(`/campaigns/${campaign.id}`);
    await desk.getByRole("heading", { name: "Blue plate" }).waitFor();
    await desk.locator(".figure").first().waitFor();
    const figures = await desk
      .locator(".figure")
      .evaluateAll((all) =>
        all.map((one) => [
          one.querySelector("dt")?.textContent,
          one.querySelector(".figure-value")?.textContent,
        ]),
      );
    expect(Object.fromEntries(figures)).toEqual({
      Impressions: String(counted.impression),
      Clicks: "1",
      "Click rate": (1 / counted.impression).toLocaleString("en", { style: "percent" }),
      Spend: "€0.10",
      Sales: "1",
      "Value of the sales": "€40.00",
      "Return on spend": "39,900%",
    });
  });

  it("filters by several values, sorts and pages with the URL", async () => {
    const { operator, supplier } = shop;
    const { id } = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Trays", attributes: [{ name: "material", type: "text", searchable: true }] },
    });
    for (const material of ["brass", "brass", "wood", "clay"]) {
      await listProduct(supplier, {
        name: `Tray of ${material}`,
        category_id: id,
        attributes: [{ name: "material", value: material }],
      });
    }
    const { page } = await visit(`/categories/${id}`);
    await page.getByRole("heading", { name: "Trays" }).waitFor();
    await page.getByLabel("brass (2)").check();
    await page.getByText("2 products").waitFor();
    // The other values can still be selected.
    await page.getByLabel("wood (1)").check();
    await page.getByText("3 products").waitFor();
    await page.reload();
    expect(await page.getByLabel("wood (1)").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByText("4 products").waitFor();
    await page.goto(`${storefront.url}/search?query=tray&sort=price_asc`);
    await page.getByText("4 products").waitFor();
    await page.getByLabel("From").fill("13");
    await page.getByLabel("From").press("Enter");
    await page.waitForURL(/price_min=13/);
    await page.getByText("0 products").waitFor();
    await page.goBack();
    await page.getByText("4 products").waitFor();
  });

  it.each([
    {
      language: "en",
      details: "About the seller",
      taxId: "Tax number",
      checkOut: "Go to checkout",
    },
    {
      language: "de",
      details: "Angaben zum Verkäufer",
      taxId: "Steuernummer",
      checkOut: "Zur Kasse",
    },
    { language: "ar", details: "بيانات البائع", taxId: "الرقم الضريبي", checkOut: "إتمام الشراء" },
  ] as const)("names each seller with its legal identity up to the order, in $language", async ({
    language,
    details,
    taxId,
    checkOut,
  }) => {
    const { operator, supplier, other } = shop;
    const legal = {
      name: "Atlas Crafts GmbH",
      address: "2 Oak Street, Berlin",
      email: "trade@atlas.example",
      phone: "+49 30 1234",
      register_number: "HRB 1",
      tax_id: "DE1",
    };
    const safety = {
      warnings: "Not for the oven.",
      manufacturer: { name: "Olive Works", address: "3 Elm Street, Fez" },
      responsible_person: { name: "Souk GmbH", email: "safety@souk.example" },
    };
    const rugName = `Berber rug ${language}`;
    const [rug, bowl] = await Promise.all([
      listProduct(supplier, { name: rugName }),
      listProduct(other, { name: "Olive bowl", safety }),
    ]);
    await must("PATCH", `/api/suppliers/${rug.supplier_id}`, {
      as: operator,
      body: { name: "Atlas Crafts", description: "Rugs since 1902.", legal },
    });
    const { page } = await visit(`/products/${rug.id}`, { language, width: 390 });
    const identity = page.locator(".legal");
    const seller = page.getByRole("link", { name: "Atlas Crafts" });

    // On the product's page, by keyboard.
    await seller.waitFor();
    await page.getByText(details).press("Enter");
    await identity.getByText(taxId).waitFor();
    expect(await identity.locator("dd").allTextContents()).toEqual(Object.values(legal));
    expect(await barriersOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);

    // On the seller's own page, which has its products only.
    await seller.click();
    await page.getByRole("heading", { name: "Atlas Crafts" }).waitFor();
    await page.getByText("Rugs since 1902.").waitFor();
    await page.getByRole("heading", { name: rugName }).waitFor();
    expect(await page.getByRole("heading", { name: "Olive bowl" }).count()).toBe(0);
    expect(await identity.locator("dd").allTextContents()).toEqual(Object.values(legal));
    expect(await barriersOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);

    // On a product's page also who answers for it.
    await page.goto(`${storefront.url}/products/${bowl.id}`);
    await identity.getByText("Not for the oven.").waitFor();
    expect(await identity.last().locator("dd").allTextContents()).toEqual([
      "Not for the oven.",
      "Olive Works\n3 Elm Street, Fez",
      "Souk GmbH\nsafety@souk.example",
    ]);
    expect(await barriersOn(page)).toEqual([]);

    // In the cart, by seller, and before the order, where it is visible at once.
    for (const { id } of [rug, bowl, rug]) {
      await page.goto(`${storefront.url}/products/${id}`);
      await page.locator(".purchase button").click();
      await page.locator(".notice[data-shown=true]").waitFor();
    }
    await page.goto(`${storefront.url}/cart`);
    const group = page.locator("section", { has: seller });
    await group.locator(".line", { hasText: rugName }).waitFor();
    expect(await group.locator(".line").count()).toBe(1);
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("link", { name: checkOut }).click();
    await identity.getByText("DE1").waitFor();
    expect(await identity.locator("dd").allTextContents()).toEqual(Object.values(legal));
    expect(await barriersOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  it.each([
    { language: "en", categories: "Categories" },
    { language: "de", categories: "Kategorien" },
    { language: "ar", categories: "الفئات" },
  ] as const)("has a menu of the tree of categories for the keyboard, in $language", async ({
    language,
    categories,
  }) => {
    const { operator, supplier } = shop;
    const [inner, own] = [`Oil lamps ${language}`, `Lighting ${language}`];
    const above = await addCategory(operator, own);
    const below = await addCategory(operator, inner, above);
    await listProduct(supplier, { name: `Lamp ${language}`, category_id: below });
    const { page } = await visit("/", { language, width: 390 });
    const menu = page.getByRole("navigation", { name: categories, exact: true });
    await page.locator("summary", { hasText: categories }).press("Enter");
    await menu.getByRole("link", { name: inner }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await menu.getByRole("link", { name: own }).press("Enter");
    await page.getByRole("heading", { name: own }).waitFor();
    await menu.waitFor({ state: "hidden" });
    await page.getByRole("main").getByRole("link", { name: inner }).click();
    await page.getByRole("heading", { name: `Lamp ${language}` }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  it("opens a product by its id and a former slug, at its address", async () => {
    const { supplier } = shop;
    const kettle = await listProduct(supplier, { name: "Copper kettle" });
    const body = { slug: "fes-kettle" };
    await must("PUT", `/api/products/${kettle.id}`, { as: supplier, body });
    const { page, faults } = await visit();
    for (const former of [kettle.id, "copper-kettle"]) {
      await page.goto(`${storefront.url}/products/${former}?from=letter`);
      await page.waitForURL(`${storefront.url}/products/fes-kettle?from=letter`);
      await page.getByRole("heading", { name: "Copper kettle" }).waitFor();
    }
    expect(faults.splice(0)).toEqual([]);
  });

  it("says that a category, a seller or a product does not exist", async () => {
    const { page, faults } = await visit();
    const missing = randomUUID();
    for (const path of [`categories/${missing}`, `sellers/${missing}`, "sellers/nobody"]) {
      await page.goto(`${storefront.url}/${path}`);
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    }
    await page.goto(`${storefront.url}/products/nothing`);
    await page.getByRole("heading", { name: "Not available any more" }).waitFor();
    expect(faults.splice(0).filter((fault) => !/404|422/.test(fault))).toEqual([]);
  });

  it("works as a whole in Arabic at 390 px", async () => {
    const product = await listProduct(shop.other, { name: "Arabic tea set", price: 30 });
    const { page } = await visit("/", { language: "ar", width: 390 });
    expect(await page.evaluate(() => document.documentElement.dir)).toBe("rtl");
    const look = async () => {
      await page.waitForLoadState("networkidle");
      expect.soft(await barriersOn(page), page.url()).toEqual([]);
      expect.soft(await overflowOf(page), page.url()).toBe(0);
    };
    await look();
    await page.goto(`${storefront.url}/search`);
    await look();
    await page.goto(`${storefront.url}/products/${product.id}`);
    await look();
    await page.getByRole("button", { name: "أضف إلى السلة" }).click();
    await page.getByRole("link", { name: "السلة (1)" }).click();
    await look();
    await page.getByRole("link", { name: "إتمام الشراء" }).click();
    await page.getByLabel("البريد الإلكتروني").fill("gil@example.com");
    await page.getByLabel("الشارع والرقم").fill("1 Market Street");
    await page.getByLabel("الرمز البريدي").fill("30000");
    await page.getByLabel("المدينة").fill("Fez");
    await look();
    await page.getByRole("button", { name: "اطلب الآن" }).click();
    await page.getByText("شكرًا على طلبك").waitFor();
    const id = page.url().split("/").at(-1);
    await must("POST", `/api/orders/${id}/shipments`, { as: shop.other, body: {} });
    await page.getByText("تم الشحن", { exact: true }).first().waitFor();
    await look();
    await page.goto(`${storefront.url}/profile`);
    await look();
  });

  it.each([
    { width: 390, language: "de" },
    { width: 1440, language: "en" },
  ] as const)("has little layout shift and no accessibility problems at $width px in $language", async (options) => {
    await listPictured(shop.supplier);
    const { page } = await visit("/", options);
    for (const path of ["/", "/search", "/cart", "/profile", "/nowhere"]) {
      await page.addInitScript(() => {
        let moved = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) {
            moved += entry.value;
          }
          document.documentElement.dataset.moved = String(moved);
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(storefront.url + path);
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle");
      const moved = await page.evaluate(() => document.documentElement.dataset.moved ?? "0");
      expect.soft(Number(moved), path).toBeLessThanOrEqual(LAYOUT_SHIFT);
      expect.soft(await barriersOn(page), path).toEqual([]);
      expect.soft(await overflowOf(page), path).toBe(0);
    }
  });

  it("loads little JavaScript, with a strict content security policy", async () => {
    const { page } = await visit();
    const sizes = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith(".js"))
        .map(({ encodedBodySize }) => encodedBodySize),
    );
    const loaded = sizes.reduce((sum, size) => sum + size, 0);
    expect(loaded).toBeGreaterThan(50_000);
    expect(loaded).toBeLessThan(SCRIPT_BYTES);
    const answer = await fetch(storefront.url);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  });

  it("loads pictures of the shop, the project and listed hosts only, and sends forms to no others", async () => {
    const marketplace = await openMarketplace(shop.operator, {
      settings: { branding: { hosts: ["pictures.example.com"] } },
    });
    const { page, faults } = await visit("/", { marketplace });
    await page.route("**/a.png", (route) => route.fulfill({ contentType: "image/png", body: "" }));
    const refused = await page.evaluate(
      async ([own, listed, other]) => {
        const addresses: string[] = [];
        const both = new Promise<void>((resolve) => {
          document.addEventListener("securitypolicyviolation", ({ blockedURI }) => {
            if (addresses.push(blockedURI) === 2) resolve();
          });
        });
        const load = (src: string) =>
          new Promise((resolve) => {
            const image = new Image();
            image.onload = resolve;
            image.onerror = resolve;
            image.src = src;
          });
        for (const host of [own, listed, other]) await load(`${host}/a.png`);
        const form = document.createElement("form");
        form.action = `${other}/form`;
        document.body.append(form);
        form.submit();
        await both;
        return addresses;
      },
      [stackInUse().url, "https://pictures.example.com", "https://other.example.com"] as const,
    );
    expect(refused.map((address) => new URL(address).host)).toEqual([
      "other.example.com",
      "other.example.com",
    ]);
    expect(faults.splice(0).filter((fault) => !fault.includes("other.example.com"))).toEqual([]);
  });
});

/**
 * Shows a page Stripe as a provider, with a form in place of Stripe's own. The payment sessions are manual ones of the stack.
 * The result grows with each load of Stripe's script.
 */
async function standInForStripe(page: Page): Promise<string[]> {
  const loaded: string[] = [];
  await page.route("**/api/payment-methods?*", async (route) => {
    const response = await route.fetch();
    const { providers, ...others } = await response.json();
    const json = { ...others, providers: [...providers, { provider: "stripe" }] };
    await route.fulfill({ response, json });
  });
  await page.route("**/payment-sessions", async (route) => {
    const { return_url, provider } = route.request().postDataJSON();
    expect(provider).toBe("stripe");
    const response = await route.fetch({ postData: { return_url, provider: "manual" } });
    const session = await response.json();
    const secrets = { client_secret: "pi_1_secret", publishable_key: "pk_live_1" };
    await route.fulfill({ response, json: { ...session, provider, ...secrets } });
  });
  await page.route("https://js.stripe.com/**", async (route) => {
    loaded.push(route.request().url());
    await route.fulfill({ contentType: "text/javascript", body: STRIPE_SCRIPT });
  });
  return loaded;
}

/** What the page uses of Stripe.js. The card 4000 is declined. */
const STRIPE_SCRIPT = `
  window.Stripe = (key, { locale }) => {
    if (key !== "pk_live_1" || locale !== "en") throw new Error("not the shop's");
    const label = document.createElement("label");
    const card = document.createElement("input");
    label.append("Card number", card);
    return {
      elements: ({ clientSecret }) => {
        if (clientSecret !== "pi_1_secret") throw new Error("not the session's");
        const heard = {};
        return {
          create: () => ({
            on: (event, act) => { heard[event] = act; },
            mount: (place) => { place.append(label); heard.ready(); },
            focus: () => card.focus(),
            destroy: () => label.remove(),
          }),
        };
      },
      confirmPayment: async ({ confirmParams }) => {
        if (!confirmParams.return_url.includes("/orders/")) throw new Error("no way back");
        if (card.value === "4000") return { error: { message: "Your card was declined." } };
        return { paymentIntent: { status: "succeeded" } };
      },
    };
  };
  window.Stripe.version = "endive";
`;

/** Waits until a page of the checkout shows the total of what is typed. */
async function untilPriced(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Order now", disabled: false }).waitFor();
}

/** Holds the requests of a page to an address. Returns a function that lets them go on. */
async function holdRequests(page: Page, address: RegExp): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Watches what the requests of a page say about who sends them, from now on. */
function watchVisit(page: Page) {
  const { publishable_key } = stackInUse();
  const sent = { guests: 0, tokens: 0, visitors: new Set<string | null>() };
  page.on("request", (request) => {
    const { "x-souk-visitor": visitor, authorization } = request.headers();
    if (visitor !== undefined) sent.visitors.add(visitor);
    if (authorization && !authorization.endsWith(publishable_key)) sent.tokens += 1;
    if (request.method() === "POST" && request.url().endsWith("/auth/guest")) sent.guests += 1;
  });
  return sent;
}

/** Counts the events of promoted products that a page reports and the API counts, from now on. */
function countPlacementEvents(page: Page): Record<"impression" | "click", number> {
  const counted = { impression: 0, click: 0 };
  page.on("response", async (response) => {
    if (!response.url().endsWith("/top-placement/events")) return;
    const { events } = response.request().postDataJSON();
    const { results } = await response.json();
    for (const { index, status } of results) {
      const type = events[index].type as keyof typeof counted;
      if (status === "accepted" || status === "charged") counted[type] += 1;
    }
  });
  return counted;
}

/** A text with ordinary spaces in place of those of Intl. */
const plain = (text: string | null) => (text ?? "").replaceAll("\u00a0", " ");

/** Today in UTC, which is the time zone of a new tenant: `2026-11-21`. */
const today = (): string => new Date().toISOString().slice(0, 10);

/** The configuration of a marketplace's storefront. */
function configOf({ domain }: { domain: string }) {
  const { url, publishable_key } = stackInUse();
  return { url, publishable_key, domain };
}

/** A marketplace with two suppliers, who ship their own items. */
async function openShop(): Promise<Shop> {
  const testTenant = await openTestTenant();
  const other = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
  await must("PUT", `/api/marketplaces/${testTenant.marketplace.id}`, {
    as: testTenant.operator,
    body: {
      settings: {
        business: {
          payment_methods: ["card", "invoice"],
          payment_instructions: "IBAN DE02 1203 0000 0000 2020 51.",
          delivery: {
            methods: [{ key: "courier", name: "Courier", price: 4.9, per_supplier: true }],
          },
        },
      },
    },
  });
  return { ...testTenant, other };
}

/** Lists a product with a picture. */
async function listPictured(supplier: Person): Promise<void> {
  const picture = await sharp({
    create: { width: 640, height: 480, channels: 3, background: "#b5651d" },
  })
    .png()
    .toBuffer();
  const souk = clientOf(supplier);
  const file = new File([new Uint8Array(picture)], "lamp.png", { type: "image/png" });
  const { id } = await souk.media.upload(file, { alt_text: "A lamp." });
  await listProduct(supplier, { name: "Pictured lamp", images: [{ asset_id: id }] });
}

/** Uploads a private file. Returns the id of its asset. */
async function uploadFile(supplier: Person): Promise<string> {
  const souk = clientOf(supplier);
  const file = new File(["glyphs"], "kufi.txt", { type: "text/plain" });
  return (await souk.media.upload(file, { private: true })).id;
}

function clientOf(person: Person) {
  const { url, publishable_key } = stackInUse();
  return createClient(url, publishable_key, { accessToken: async () => person.token });
}

/** The link in the last mail to an address. */
function linkMailedTo(email: string): Promise<string> {
  return until(async () => {
    const [message] = await messagesTo(email);
    if (!message) return null;
    const { HTML } = await (await fetch(mailbox(`/api/v1/message/${message.ID}`))).json();
    return /href="([^"]*verify[^"]*)"/.exec(HTML)?.[1]?.replaceAll("&amp;", "&");
  });
}
