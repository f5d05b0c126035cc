import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import ws from "ws";
import { did, EVENTS, funnelOf } from "../analytics/visiting.js";
import { beginMinute } from "../clock.js";
import { publish, staff } from "../content/writing.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  chargesOf,
  click,
  openCategory,
  PLACEMENT,
  promote,
  statsOf,
} from "../placement/promoting.js";
import {
  addCategory,
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openMarketplace,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { setRateLimit } from "../stack.js";
import { countedFrom, headersOf, seen, someAddress, visit } from "./visiting.js";

// Visitors of a shop: they have no account, name the marketplace that they visit, and read what everybody may see there.

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

/** A tenant with two marketplaces, each with a product, a page and a supplier of its own. */
interface Mall extends TestTenant {
  other: Record_;
  lantern: Record_;
  draft: Record_;
  elsewhere: Record_;
  neighbour: Person;
  category: string;
  chief: Person;
  shop: string;
}

let mall: Mall;

beforeAll(async () => {
  const testTenant = await openTestTenant();
  const { operator, supplier, tenantId, marketplace } = testTenant;
  const [other, neighbour, chief, category] = await Promise.all([
    openMarketplace(operator, { name: "Second" }),
    register({ tenant_id: tenantId, role: "supplier" }),
    staff(tenantId, ["admin"]),
    addCategory(operator, "Lamps"),
  ]);
  const here = { marketplace_id: marketplace.id, category_id: category };
  const [lantern, draft, elsewhere] = await Promise.all([
    listProduct(supplier, { ...here, name: "Brass lantern", inventory: { quantity: 5 } }),
    listProduct(supplier, { ...here, name: "Draft lantern", status: "draft" }),
    listProduct(neighbour, {
      marketplace_id: other.id,
      category_id: category,
      name: "Far lantern",
    }),
  ]);
  const shop = marketplace.domain;
  mall = { ...testTenant, other, neighbour, chief, category, lantern, draft, elsewhere, shop };
});

describe("a visitor", () => {
  it("names the marketplace by its domain or id, in a header or the query", async () => {
    const { marketplace, lantern } = mall;
    const ways = [
      { to: marketplace.domain },
      { to: marketplace.id },
      { to: `${marketplace.domain.toUpperCase()}.` },
      { to: null, query: `?marketplace=${marketplace.id}` },
      { to: marketplace.id, query: `?marketplace=${marketplace.id}` },
    ];
    for (const { to, query = "" } of ways) {
      expect((await seen(`/api/products/${lantern.id}${query}`, { to })).id).toBe(lantern.id);
    }
    // As a cache asks, whose key is the address alone.
    const path = `/api/products/${lantern.id}?apikey=${ownStack.publishable_key}&marketplace=${marketplace.domain}`;
    expect((await call("GET", path)).body.id).toBe(lantern.id);
    // As supabase-js asks without a session, with both kinds of public keys.
    for (const key of [ownStack.publishable_key, ownStack.anon_key]) {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await visit("GET", "/api/products", { to: mall.shop, key, headers });
      expect(answer.body.total).toBe(1);
    }
  });

  it("is refused without one marketplace that is open", async () => {
    const { marketplace, other, operator } = mall;
    const ask = (to: string | null, query = "") => visit("GET", `/api/products${query}`, { to });
    const unnamed = await ask(null);
    expectRefusal(unnamed, 401, "UNAUTHORIZED");
    expect(unnamed.body.error.message).toContain("x-souk-marketplace");
    expectRefusal(await ask(marketplace.id, `?marketplace=${other.id}`), 422, "VALIDATION_ERROR");
    for (const unknown of ["nowhere.example.com", randomUUID(), "' or true --"]) {
      expectRefusal(await ask(unknown), 404, "NOT_FOUND");
    }
    const closing = await openMarketplace(operator);
    expect((await ask(closing.domain)).status).toBe(200);
    await must("PUT", `/api/marketplaces/${closing.id}`, {
      as: operator,
      body: { status: "inactive" },
    });
    expectRefusal(await ask(closing.domain), 404, "NOT_FOUND");
    expectRefusal(await ask(closing.id), 404, "NOT_FOUND");
  });

  it("needs the project's public key", async () => {
    const headers = { "x-souk-marketplace": mall.shop };
    expectRefusal(await call("GET", "/api/products", { headers }), 401, "UNAUTHORIZED");
    const answer = await visit("GET", "/api/products", { to: mall.shop, key: "sb_publishable_x" });
    expect(answer.status).toBe(401);
  });

  it("reads what everybody may see of this marketplace, and nothing of another of the tenant", async () => {
    const { lantern, draft, elsewhere, category, supplier, neighbour, chief, marketplace, other } =
      mall;
    const here = { marketplace_id: marketplace.id };
    const [page, far, whole, members, forCustomers] = await Promise.all([
      publish(chief, { ...here, slug: "about" }),
      publish(chief, { slug: "about", marketplace_id: other.id }),
      publish(chief, { ...here, slug: "terms" }),
      publish(chief, { ...here, slug: "club", visibility: "members" }),
      publish(chief, { ...here, slug: "vip", visibility: "roles", visible_to: ["customer"] }),
    ]);
    const to = mall.shop;
    const ids = async (path: string, list: string) =>
      (await seen(path, { to }))[list].map(({ id }: Record_) => id);

    expect(await ids("/api/products", "products")).toEqual([lantern.id]);
    expect(await ids("/products?search=lantern", "products")).toEqual([lantern.id]);
    expect(await ids("/api/products?facets=brand&limit=1", "products")).toEqual([lantern.id]);
    expect(await ids("/api/products/search/semantic?query=lantern", "products")).toEqual([
      lantern.id,
    ]);
    expect(await ids(`/api/products?marketplace_id=${other.id}`, "products")).toEqual([]);
    expect(await ids("/api/products/top-sales", "products")).toEqual([]);
    expect(await ids(`/api/products/${lantern.id}/similar`, "products")).toEqual([]);
    expect(await ids("/api/categories", "categories")).toContain(category);
    expect(await ids("/api/suppliers", "suppliers")).toEqual([lantern.supplier_id]);
    expect(await ids("/api/content/static_pages", "content")).toEqual(
      expect.arrayContaining([page.id, whole.id]),
    );
    expect((await seen("/api/content/static_pages?limit=1", { to })).total).toBe(2);
    expect((await seen("/api/content/static_pages/about", { to })).id).toBe(page.id);
    expect((await seen("/api/content/static_pages/terms", { to })).id).toBe(whole.id);
    expect((await seen(`/api/products/${lantern.id}`, { to })).inventory).toEqual({
      quantity: 5,
      reserved: 0,
    });
    const rendered = await seen(`/api/templates/product/render?product_id=${lantern.id}`, { to });
    expect(rendered.html).toContain("Brass lantern");
    const storefront = await seen(`/api/storefront?domain=${to}`, { to });
    expect(storefront).toMatchObject({ id: marketplace.id });
    const method = { key: "mule", name: "By mule", price: 4 };
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: mall.operator,
      body: {
        settings: { business: { delivery: { methods: [method] }, payment_methods: ["card"] } },
      },
    });
    expect(await seen("/api/delivery-methods", { to })).toEqual({ delivery_methods: [method] });
    expect(await seen("/api/payment-methods", { to })).toEqual({
      ...{ payment_methods: ["card"], providers: [{ provider: "manual" }] },
    });

    const hidden = [
      `/api/products/${draft.id}`,
      `/api/products/${elsewhere.id}`,
      `/api/products/${elsewhere.id}/similar`,
      `/api/suppliers/${elsewhere.supplier_id}`,
      `/api/content/static_pages/${far.id}`,
      `/api/content/static_pages/${members.id}`,
      `/api/content/static_pages/${forCustomers.id}`,
      `/api/templates/product/render?product_id=${elsewhere.id}`,
      `/api/templates/homepage/render?marketplace_id=${other.id}`,
      `/api/delivery-methods?marketplace_id=${other.id}`,
      `/api/payment-methods?marketplace_id=${other.id}`,
    ];
    for (const path of hidden) {
      expectRefusal(await visit("GET", path, { to }), 404, "NOT_FOUND");
    }
    for (const person of [supplier, neighbour]) expect(person.tenantId).toBe(mall.tenantId);
  });

  it("sees the free slots of a service", async () => {
    const { supplier, marketplace } = mall;
    const service = { kind: "service", inventory: undefined, marketplace_id: marketplace.id };
    const lesson = await listProduct(supplier, service);
    const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
      weekday,
      opens: "00:00",
      closes: "24:00",
    }));
    await must("PUT", `/api/products/${lesson.id}/calendar`, {
      as: supplier,
      body: { time_zone: "UTC", duration_minutes: 60, hours },
    });
    const slots = await seen(`/api/products/${lesson.id}/slots?limit=3`, { to: mall.shop });
    expect(slots.slots).toHaveLength(3);
    await must("DELETE", `/api/products/${lesson.id}`, { as: supplier });
  });

  it("is a member as soon as it has a token, whatever marketplace it names", async () => {
    const stranger = await openTestTenant();
    const answer = await call("GET", "/api/products", {
      as: stranger.customer,
      headers: headersOf({ to: mall.shop }),
    });
    expect(answer.body.total).toBe(0);
    expect(answer.headers.get("ratelimit-limit")).toBe("100");
    const invalid = await visit("GET", "/api/products", {
      to: mall.shop,
      headers: { authorization: "Bearer nonsense" },
    });
    expectRefusal(invalid, 401, "UNAUTHORIZED");
  });

  it("creates no rows, however many come from an address", async () => {
    const rows = () =>
      query<{ users: number }>(`
        select (select count(*)::integer from auth.users) as users,
          (select count(*)::integer from public.members) as members,
          (select count(*)::integer from public.customers) as customers`);
    const before = await rows();
    const from = someAddress();
    for (const path of ["/api/products", "/api/categories", `/api/products/${mall.lantern.id}`]) {
      for (let i = 0; i < 20; i++) await seen(path, { to: mall.shop, from });
    }
    expect(await rows()).toEqual(before);
  });

  it("has the limit of its address", async () => {
    await setRateLimit(ownStack, "visitor", 2);
    onTestFinished(() => setRateLimit(ownStack, "visitor", 1_000_000));
    await beginMinute();
    const from = someAddress();
    const ask = (path = "/api/categories") => visit("GET", path, { to: mall.shop, from });
    const storefront = `/api/storefront?domain=${mall.shop}`;
    expect([(await ask(storefront)).status, (await ask()).status]).toEqual([200, 200]);
    for (const late of [await ask(), await ask(storefront)]) {
      expectRefusal(late, 429, "RATE_LIMITED");
      expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await visit("GET", "/api/categories", { to: mall.shop })).status).toBe(200);
  });
});

describe("what a visitor reads", () => {
  it.each([
    "/api/products",
    "/api/categories",
    "/api/suppliers",
    "/api/content/static_pages",
    "/api/products/top-sales",
    "/api/templates/homepage/render",
  ])("may be kept by shared caches: %s", async (path) => {
    const to = mall.shop;
    const first = await visit("GET", path, { to });
    expect(first.headers.get("cache-control")).toBe(
      "public, s-maxage=30, stale-while-revalidate=300",
    );
    expect(first.headers.get("vary")).toMatch(
      /x-souk-marketplace, x-souk-visitor, authorization, accept-language$/,
    );
    expect(first.headers.get("ratelimit-limit")).toBeNull();
    const tag = first.headers.get("etag") ?? "";
    const again = await visit("GET", path, { to, headers: { "if-none-match": tag } });
    expect([again.status, again.body]).toEqual([304, ""]);
    expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"));
    const own = await visit("GET", path, { to, visitor: randomUUID() });
    expect(own.headers.get("cache-control")).toBe("private, no-cache");
  });

  it("has another ETag when the price or the stock changes", async () => {
    const { supplier, marketplace } = mall;
    const tray = await listProduct(supplier, { name: "Tray", marketplace_id: marketplace.id });
    const path = `/api/products/${tray.id}`;
    const tagOf = async () =>
      (await visit("GET", path, { to: mall.shop })).headers.get("etag") ?? "";
    const first = await tagOf();
    await must("PATCH", `${path}/inventory`, {
      as: supplier,
      body: { quantity: 3, operation: "set" },
    });
    const second = await tagOf();
    await must("PUT", path, { as: supplier, body: { price: 9 } });
    const third = await tagOf();
    expect(new Set([first, second, third]).size).toBe(3);
    await must("DELETE", path, { as: supplier });
  });
});

describe("visitors who ask for the same at the same time", () => {
  it("share a read that begins after all of them have asked", async () => {
    const path = `/api/products?category=${mall.category}`;
    await seen(path, { to: mall.shop });
    const db = new pg.Client({ connectionString: ownStack.db_url as string });
    await db.connect();
    onTestFinished(() => db.end());
    const waiting = async () => {
      const { rows } = await db.query(
        "select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))",
      );
      return rows.length;
    };
    await db.query("begin");
    await db.query("lock table public.categories in access exclusive mode");
    const from = someAddress();
    const ask = () => visit("GET", path, { to: mall.shop, from });
    const first = ask();
    await eventually(async () => expect(await waiting()).toBe(1));
    const others = Array.from({ length: 9 }, ask);
    await eventually(async () => expect(await countedFrom(from)).toBe(10));
    expect(await waiting()).toBe(1);
    await db.query("commit");
    const answers = await Promise.all([first, ...others]);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(10);
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(1);
  });

  it("see a change as soon as it is made", async () => {
    const { supplier, marketplace } = mall;
    const bowl = await listProduct(supplier, { name: "Bowl", marketplace_id: marketplace.id });
    const path = `/api/products/${bowl.id}`;
    let going = true;
    onTestFinished(() => {
      going = false;
    });
    const crowd = Array.from({ length: 4 }, async () => {
      while (going) await seen(path, { to: mall.shop });
    });
    for (let price = 1; price <= 10; price++) {
      await must("PUT", path, { as: supplier, body: { price } });
      expect((await seen(path, { to: mall.shop })).price).toBe(price);
    }
    going = false;
    await Promise.all(crowd);
    await must("DELETE", path, { as: supplier });
  });
});

describe("supabase-js without a session", () => {
  const client = (headers: Record<string, string> = {}) =>
    createClient(ownStack.url, ownStack.publishable_key, {
      global: { headers },
      auth: { persistSession: false },
      realtime: { transport: ws as never },
    });

  it("reads the tables of a visitor with the header of the marketplace", async () => {
    const { lantern, elsewhere } = mall;
    const db = client({ "x-souk-marketplace": mall.shop });
    const { data: products } = await db
      .from("products")
      .select("id, name, suppliers(name)")
      .throwOnError();
    expect(products.map(({ id }) => id)).toEqual([lantern.id]);
    const { data: page } = await db.rpc("list_products", { limit: 5 }).throwOnError();
    expect(page.total).toBe(1);
    const { data: none } = await db.rpc("get_product", { product_id: elsewhere.id }).throwOnError();
    expect(none).toBeNull();
    for (const [{ slug }, id] of [
      [lantern, lantern.id],
      [elsewhere, undefined],
    ]) {
      const { data } = await db.rpc("get_product_by_slug", { slug }).throwOnError();
      expect(data?.id).toBe(id);
      const answer = await call("GET", `/api/products/${slug}`, { as: { visits: mall.shop } });
      expect(answer.status).toBe(id ? 200 : 404);
    }
    expect((await db.from("marketplaces").select("id")).error?.code).toBe("42501");
    expect((await db.from("orders").select()).error?.code).toBe("42501");
    const unknown = client({ "x-souk-marketplace": "nowhere.example.com" });
    expect((await unknown.from("products").select()).status).toBe(404);
  });

  it("reads nothing without it", async () => {
    const db = client();
    for (const table of ["products", "categories", "suppliers", "published_content"]) {
      const { data } = await db.from(table).select().throwOnError();
      expect({ table, data }).toEqual({ table, data: [] });
    }
    const { error, status } = await db.rpc("list_products");
    expect([status, error?.message]).toEqual([401, "UNAUTHORIZED"]);
  });

  it("may write nothing", async () => {
    const db = client({ "x-souk-marketplace": mall.shop });
    const { id } = mall.lantern;
    const attempts = await Promise.all([
      db.from("products").update({ name: "Stolen" }).eq("id", id),
      db.from("products").delete().eq("id", id),
      db.from("categories").insert({ name: "Mine" }),
      db.from("inventory").update({ quantity: 0 }).eq("product_id", id),
      db.rpc("place_order", orderFor(mall.lantern)),
    ]);
    for (const { error } of attempts) expect(error?.code).toBe("42501");
  });
});

describe("a planned or estimated count", () => {
  it.each(["planned", "estimated"] as const)("is refused: %s", async (count) => {
    const { customer, operator } = mall;
    for (const db of [supabaseAs(customer), supabaseAs(operator), supabaseAs()]) {
      const { error, status } = await db.from("products").select("id", { count, head: false });
      expect([status, error?.message]).toEqual([422, "VALIDATION_ERROR"]);
      expect(error?.hint).toContain("count=exact");
    }
    // A header may be sent twice, and in any case.
    const sent = new Headers({
      authorization: `Bearer ${customer.token}`,
      apikey: ownStack.anon_key,
    });
    sent.append("prefer", `return=minimal , count=${count}`);
    sent.append("PREFER", "count=exact");
    const { status } = await fetch(`${ownStack.url}/rest/v1/products?select=id`, { headers: sent });
    expect(status).toBe(422);
    const { count: allowed } = await supabaseAsService()
      .from("products")
      .select("id", { count, head: true })
      .throwOnError();
    expect(allowed).toBeGreaterThanOrEqual(0);
  });

  it("is no word of a value", async () => {
    const { count } = await supabaseAs(mall.customer)
      .from("products")
      .select("id", { count: "exact" })
      .eq("name", '"prefer":"count=planned"')
      .throwOnError();
    expect(count).toBe(0);
  });
});

describe("a visitor with an id", () => {
  let promoted: Record_;
  let place: Record_;

  beforeAll(async () => {
    place = await openCategory(mall);
    promoted = await promote(
      mall,
      place,
      {},
      { name: "Promoted lamp", marketplace_id: mall.marketplace.id },
    );
    await listProduct(mall.supplier, {
      name: "Newer lamp",
      category_id: place.id,
      marketplace_id: mall.marketplace.id,
    });
  });

  const firstOf = async (visitor?: string, headers?: Record<string, string>) =>
    (await seen(`/api/products?category=${place.id}`, { to: mall.shop, visitor, headers }))
      .products[0];

  const report = async (visitor: string, event: object) => {
    const body = { events: [event] };
    const answer = await visit("POST", `${PLACEMENT}/events`, { to: mall.shop, visitor, body });
    expect(answer.body).toHaveProperty("results");
    return answer.body.results[0];
  };

  it("gets promoted lists, whose tokens are bound to it", async () => {
    const [visitor, another] = [randomUUID(), randomUUID()];
    expect((await firstOf()).name).toBe("Newer lamp");
    expect((await firstOf(visitor, { "x-souk-promotion": "none" })).promotion).toBeNull();
    const shown = await firstOf(visitor);
    expect(shown).toMatchObject({ name: "Promoted lamp", promotion: { campaign_id: promoted.id } });
    const { token } = shown.promotion;
    const clicked = (overrides: object = {}) => click(promoted, "anybody", { token, ...overrides });
    expect(await report(another, clicked())).toMatchObject({
      status: "not_charged",
      reason: "no_token",
    });
    // There is no account whose age could count.
    expect(await report(visitor, clicked())).toMatchObject({ status: "charged" });
    expect(await report(visitor, clicked())).toMatchObject({ status: "duplicate" });
    expect(await report(visitor, click(promoted, "anybody"))).toMatchObject({ reason: "no_token" });
    expect(await chargesOf(mall.operator, promoted)).toHaveLength(1);
  });

  it("has the limit of its address, whatever ids it makes", async () => {
    const from = someAddress();
    const statuses: string[] = [];
    for (let i = 0; i < 7; i++) {
      const visitor = randomUUID();
      const { promotion } = await firstOf(visitor);
      const body = { events: [click(promoted, visitor, { token: promotion.token })] };
      const as = { to: mall.shop, visitor, from, body };
      statuses.push((await visit("POST", `${PLACEMENT}/events`, as)).body.results[0].status);
    }
    expect(statuses.filter((status) => status === "charged")).toHaveLength(5);
  });

  it("is needed for events", async () => {
    const body = { events: [did("visit")] };
    for (const path of [EVENTS, `${PLACEMENT}/events`]) {
      const without = await visit("POST", path, { to: mall.shop, body });
      expectRefusal(without, 422, "VALIDATION_ERROR");
      const bad = await visit("POST", path, { to: mall.shop, visitor: "me", body });
      expectRefusal(bad, 422, "VALIDATION_ERROR");
    }
  });

  it("stays one visitor in the funnel, and its click gets the sale, when it orders as a guest", async () => {
    const quiet = await openTestTenant();
    const section = await openCategory(quiet);
    const sold = await promote(quiet, section, {}, { name: "Rug" });
    const visitor = randomUUID();
    const as = { to: quiet.marketplace.domain, visitor };
    const { products } = await seen(`/api/products?category=${section.id}`, as);
    const events = [did("visit"), did("product_view", sold.product), did("checkout")];
    expect((await visit("POST", EVENTS, { ...as, body: { events } })).body.results).toMatchObject([
      { status: "accepted" },
      { status: "accepted" },
      { status: "accepted" },
    ]);
    const token = products[0].promotion.token;
    await visit("POST", `${PLACEMENT}/events`, {
      ...as,
      body: { events: [click(sold, visitor, { token })] },
    });
    const guest = await openGuest(quiet.marketplace);
    await must("POST", "/api/orders", {
      as: guest,
      body: orderFor(sold.product, 1, { contact: { email: "guest@example.com" } }),
      headers: { "x-souk-visitor": visitor },
    });
    expect((await funnelOf(quiet.operator)).counts).toEqual([1, 1, 1, 1]);
    expect((await statsOf(quiet.operator, sold)).totals).toMatchObject({ sales_count: 1 });
  });
});
