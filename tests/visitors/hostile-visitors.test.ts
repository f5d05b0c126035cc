import { randomUUID } from "node:crypto";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { did, EVENTS } from "../analytics/visiting.js";
import { beginMinute } from "../clock.js";
import { staff } from "../content/writing.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import { click, openCategory, PLACEMENT, promote } from "../placement/promoting.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  type TestTenant,
} from "../souk.js";
import { setRateLimit } from "../stack.js";
import { contentOf, make } from "../templates/making.js";
import { countedFrom, headersOf, seen, someAddress, visit } from "./visiting.js";

// Visitors who try to learn or to change what is not theirs.

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

let mall: TestTenant;
let shop: string;
/** Another marketplace of the tenant, with the same currency. */
let other: Record_;
let place: Record_;
let chief: Person;

beforeAll(async () => {
  mall = await openTestTenant();
  shop = mall.marketplace.domain;
  [other, place, chief] = await Promise.all([
    openMarketplace(mall.operator, { name: "Second" }),
    openCategory(mall),
    staff(mall.tenantId, ["admin"]),
  ]);
});

const promotedIn = async (to: string, visitor: string): Promise<Record_[]> =>
  (await seen(`/api/products?category=${place.id}`, { to, visitor })).products.filter(
    ({ promotion }: Record_) => promotion,
  );

it.each([
  ["%E2%80%A6.example.com", 404, "NOT_FOUND"],
  ["%00", 422, "VALIDATION_ERROR"],
  ["a%0Ab", 404, "NOT_FOUND"],
  ["a%0D%0Ax-souk-visitor:b", 404, "NOT_FOUND"],
  ["%7F", 404, "NOT_FOUND"],
  ["a%20b", 404, "NOT_FOUND"],
  ["x".repeat(9000), 404, "NOT_FOUND"],
])("is told that the name %.30s is no marketplace's", async (name, status, code) => {
  for (const path of ["/api/products", "/api/templates/homepage/render"]) {
    const answer = await visit("GET", `${path}?marketplace=${name}`, { to: null });
    expectRefusal(answer, status, code);
    expect(answer.headers.get("cache-control")).toBeNull();
  }
});

it("gets the same headers with HEAD as with GET", async () => {
  for (const path of ["/api/products", "/api/templates/homepage/render"]) {
    for (const visitor of [undefined, randomUUID()]) {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) =>
          fetch(ownStack.functions_url + path, {
            method,
            headers: headersOf({ to: shop, visitor }),
          }),
        ),
      );
      for (const name of ["cache-control", "vary", "etag"]) {
        // Only a body is compressed.
        const both = [get, head].map((answer) =>
          answer?.headers.get(name)?.replace("Accept-Encoding, ", ""),
        );
        expect([path, name, both[1]]).toEqual([path, name, both[0]]);
      }
    }
  }
});

it("reads the sources of a page with the limit of its own address", async () => {
  await setRateLimit(ownStack, "visitor", 3);
  onTestFinished(() => setRateLimit(ownStack, "visitor", 1_000_000));
  await beginMinute();
  const source = { type: "api", endpoint: "/api/categories" };
  const template = await make(chief, {
    name: "With a source",
    content: contentOf("{{ found.categories | size }}", {
      bindings: [{ variable: "found", source }],
    }),
  });
  for (let i = 0; i < 8; i++) {
    const page = await seen(`/api/templates/${template.id}/render`, { to: shop });
    expect(page.warnings).toEqual([]);
  }
  // What a caller sends itself is no proof.
  const from = someAddress();
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) {
    const headers = { "x-souk-counted": i % 2 ? "true" : "0".repeat(64) };
    statuses.push((await visit("GET", "/api/categories", { to: shop, from, headers })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

it("pays for the sources of a page with requests of its address", async () => {
  const bindings = ["api", "api", "database"].map((type, n) => ({
    variable: `found_${n}`,
    source: { type, endpoint: "/api/categories", query: "products?select=id" },
  }));
  const template = await make(chief, {
    name: "With three sources",
    content: contentOf("{{ found_0.categories | size }}", { bindings }),
  });
  await setRateLimit(ownStack, "visitor", 5);
  onTestFinished(() => setRateLimit(ownStack, "visitor", 1_000_000));
  await beginMinute();
  const from = someAddress();
  const path = `/api/templates/${template.id}/render`;
  expect((await seen(path, { to: shop, from })).warnings).toEqual([]);
  await eventually(async () => expect(await countedFrom(from)).toBe(4));
  // One request is left, for the second page or its first source: the third one waits for the count of an earlier one.
  const { warnings } = await seen(path, { to: shop, from });
  expect(warnings[0]).toMatchObject({ code: "SOURCE_FAILED" });
  await eventually(async () =>
    expect((await visit("GET", path, { to: shop, from })).status).toBe(429),
  );
});

it("sees sixty built-in pages of a shop in a minute", async () => {
  const product = await listProduct(mall.supplier, {
    category_id: place.id,
    marketplace_id: mall.marketplace.id,
  });
  await setRateLimit(ownStack, "visitor", 300);
  onTestFinished(() => setRateLimit(ownStack, "visitor", 1_000_000));
  await beginMinute();
  const from = someAddress();
  for (let i = 0; i < 20; i++) {
    for (const page of [
      "homepage/render",
      `category/render?category_id=${place.id}`,
      `product/render?product_id=${product.id}`,
    ]) {
      const { warnings } = await seen(`/api/templates/${page}`, { to: shop, from });
      expect([i, page, warnings]).toEqual([i, page, []]);
    }
  }
});

it("is refused without the headers of the page that was already rendered", async () => {
  const template = await make(chief, {
    name: "Kept by caches",
    caching: { strategy: "cdn", duration: 600 },
  });
  const path = `/api/templates/${template.id}/render`;
  await setRateLimit(ownStack, "visitor", 1);
  onTestFinished(() => setRateLimit(ownStack, "visitor", 1_000_000));
  await beginMinute();
  const from = someAddress();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => visit("GET", path, { to: shop, from })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(4);
  for (const { headers } of refused) {
    expect([headers.get("cache-control"), headers.get("etag")]).toEqual([null, null]);
  }
});

it("reports nothing about another marketplace, and does not learn what is there", async () => {
  const far = await listProduct(mall.supplier, { marketplace_id: other.id, name: "Far" });
  const visitor = randomUUID();
  const body = {
    events: [
      did("product_view", far),
      did("product_view", far, { marketplace_id: other.id }),
      did("visit", undefined, { marketplace_id: other.id }),
      did("product_view", { id: randomUUID() }),
    ],
  };
  const { body: told } = await visit("POST", EVENTS, { to: shop, visitor, body });
  for (const result of told.results) {
    expect(result).toMatchObject({ status: "invalid", error: { code: "NOT_FOUND" } });
  }
  const there = { to: other.id, visitor, body: { events: [did("product_view", far)] } };
  expect((await visit("POST", EVENTS, there)).body.results[0].status).toBe("accepted");

  const promoted = await promote(mall, place, {}, { marketplace_id: other.id });
  const [shown] = await promotedIn(other.domain, visitor);
  const events = [
    click(promoted, visitor, { token: shown.promotion.token }),
    click({ id: randomUUID() }, visitor),
  ];
  const clicked = await visit("POST", `${PLACEMENT}/events`, {
    to: shop,
    visitor,
    body: { events },
  });
  for (const result of clicked.body.results) {
    expect(result).toMatchObject({ status: "invalid", error: { code: "NOT_FOUND" } });
  }
});

it("sees its marketplace's promotions, whatever is bid on another one", async () => {
  const crowded = await openTestTenant();
  const section = await openCategory(crowded, 0.5, { maxSlots: 1 });
  const busy = await openMarketplace(crowded.operator, { name: "Busy" });
  const mine = { marketplace_id: crowded.marketplace.id, name: "Mine" };
  await promote(crowded, section, {}, mine);
  await promote(crowded, section, { bidAmount: 2 }, { marketplace_id: busy.id, name: "Theirs" });
  for (let i = 0; i < 5; i++) {
    await listProduct(crowded.supplier, { ...mine, name: `Plain ${i}`, category_id: section.id });
  }
  const as = { to: crowded.marketplace.domain, visitor: randomUUID() };
  for (const query of [`category=${section.id}&limit=5`, "limit=5"]) {
    const { products } = await seen(`/api/products?${query}`, as);
    expect(products).toHaveLength(5);
    expect(products[0]).toMatchObject({ name: "Mine", promotion: expect.anything() });
  }
});

it("is nobody who has an account, whatever id it sends", async () => {
  const victim = await register({ tenant_id: mall.tenantId });
  const lamp = { name: "Lamp", marketplace_id: mall.marketplace.id };
  await promote(mall, place, {}, lamp);
  expect(await promotedIn(shop, randomUUID())).not.toHaveLength(0);
  expect(await promotedIn(shop, victim.id)).toHaveLength(0);
  const as = { to: shop, visitor: victim.id, body: { events: [did("visit")] } };
  for (const path of [EVENTS, `${PLACEMENT}/events`]) {
    expectRefusal(await visit("POST", path, as), 422, "VALIDATION_ERROR");
  }
});

it("gets no row for a new id once the events of its address are used up", async () => {
  const from = someAddress();
  const send = (visitor: string) =>
    visit("POST", EVENTS, { to: shop, from, visitor, body: { events: [did("visit")] } });
  expect((await send(randomUUID())).body.results[0].status).toBe("accepted");
  await query("update private.visitor_event_counts set events = 100000 where tenant_id = $1", [
    mall.tenantId,
  ]);
  const late = randomUUID();
  expect((await send(late)).body.results[0]).toMatchObject({ reason: "flood" });
  const rows = await query("select from private.visitor_event_counts where reporter = $1", [late]);
  expect(rows).toHaveLength(0);
});

it("may send any bytes in the header of the visitor", async () => {
  for (const sent of ["\u00e9\u00ff", "x".repeat(3000)]) {
    const headers = { "x-souk-visitor": sent };
    expect((await visit("GET", "/api/products", { to: shop, headers })).status).toBe(422);
    const member = await call("GET", "/api/products", { as: mall.customer, headers });
    expect(member.status).toBe(200);
  }
  await must("GET", "/api/products", { as: mall.customer });
});
