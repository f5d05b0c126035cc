import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Auctions: which products are shown first in a list, why, and the price of a click. Every test has its own category.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = any;

const PLACEMENT = "/api/v1/top-placement";

let testTenant: TestTenant;
let rival: Person;

beforeAll(async () => {
  testTenant = await openTestTenant();
  rival = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
  await must("PUT", `${PLACEMENT}/settings`, {
    as: testTenant.operator,
    body: { auction_log_share: 1 },
  });
});

async function openCategory(config: object = {}, parent_id: string | null = null) {
  const { id } = await must("POST", "/api/categories", {
    as: testTenant.operator,
    body: { name: "Hall", parent_id },
  });
  if (Object.keys(config).length > 0) await configure(id, config);
  return id as string;
}

const configure = (category: string, config: object) =>
  must("PUT", `${PLACEMENT}/categories/${category}`, { as: testTenant.operator, body: config });

/** Lists this many products in a category, the newest last. */
async function stockWith(
  category_id: string,
  count: number,
  overrides: object = {},
  of = testTenant.supplier,
): Promise<Row[]> {
  const made = [];
  for (let n = 1; n <= count; n += 1) {
    made.push(await listProduct(of, { name: `Lamp ${n}`, category_id, ...overrides }));
  }
  return made;
}

const promote = (product: Row, bidAmount: number, overrides: object = {}): Promise<Row> =>
  must("POST", `${PLACEMENT}/campaigns`, {
    as: testTenant.operator,
    body: {
      productId: product.id,
      categoryId: product.category_id,
      duration: 7,
      bidAmount,
      ...overrides,
    },
  });

const list = (filters: string, as = testTenant.customer): Promise<Row> =>
  must("GET", `/api/products?${filters}`, { as });

const ids = (rows: Row[]) => rows.map(({ id }) => id);
const promoted = ({ products }: Row) =>
  products.filter(({ promotion }: Row) => promotion !== null).map(({ id }: Row) => id);

/** The newest auction of a category, explained: the result for each product. */
async function explained(category: string): Promise<Record<string, Row>> {
  const { auctions } = await must("GET", `${PLACEMENT}/auctions?category_id=${category}&limit=1`, {
    as: testTenant.operator,
  });
  const auction = await must("GET", `${PLACEMENT}/auctions/${auctions[0].id}`, {
    as: testTenant.operator,
  });
  return Object.fromEntries(auction.candidates.map((one: Row) => [one.product_id, one]));
}

describe("a list without a sort", () => {
  it("shows promoted products first, the highest bid on top, marked, and each product once", async () => {
    const category = await openCategory();
    const [a, b, c, d] = await stockWith(category, 4);
    const low = await promote(a, 0.5);
    const high = await promote(b, 2, { labels: ["TOP"], highlighted: true, pinned: true });
    const found = await list(`category=${category}`);
    expect(ids(found.products)).toEqual([b.id, a.id, d.id, c.id]);
    expect(found.products.map(({ promotion }: Row) => promotion)).toEqual([
      {
        campaign_id: high.id,
        labels: ["TOP"],
        highlighted: true,
        pinned: true,
        position: 1,
        token: expect.stringMatching(/^category\./),
      },
      {
        campaign_id: low.id,
        labels: ["Promoted"],
        highlighted: false,
        pinned: false,
        position: 2,
        token: expect.stringMatching(/^category\./),
      },
      null,
      null,
    ]);
    expect(found.total).toBe(4);
    expect(found.filters.categories[0].count).toBe(4);
  });

  it("promotes nothing when a sort is requested", async () => {
    const category = await openCategory();
    const [a, b] = await stockWith(category, 2);
    await promote(a, 0.5);
    for (const sort of ["sort=created_at", "sort=name&order=desc", "order=asc"]) {
      const { products } = await list(`category=${category}&${sort}`);
      expect(products.map(({ promotion }: Row) => promotion)).toEqual([null, null]);
    }
    const newest = await list(`category=${category}&sort=created_at`);
    expect(ids(newest.products)).toEqual([b.id, a.id]);
  });

  it("continues where the previous page ended", async () => {
    const category = await openCategory({ maxSlots: 10 });
    const all = await stockWith(category, 9);
    for (const [i, bid] of [1, 3, 2].entries()) await promote(all[i], bid);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => list(`category=${category}&limit=4&page=${page}`)),
    );
    // One of four places may be promoted.
    expect(pages.map(promoted)).toEqual([[all[1].id], [], [], []]);
    const rest = [8, 7, 6, 5, 4, 3, 2, 0].map((i) => all[i].id);
    expect(pages.flatMap(({ products }) => ids(products))).toEqual([all[1].id, ...rest]);
    for (const { total } of pages) expect(total).toBe(9);
  });

  it("promotes at most 30 % of a page, and at most the category's slots", async () => {
    const category = await openCategory({ maxSlots: 2 });
    const all = await stockWith(category, 4);
    for (const [i, product] of all.entries()) await promote(product, i + 1);
    for (const [limit, slots] of [
      [3, 0],
      [4, 1],
      [9, 2],
      [100, 2],
    ] as const) {
      expect(promoted(await list(`category=${category}&limit=${limit}`))).toHaveLength(slots);
    }
  });

  it("counts the slots of each category and of the requested one", async () => {
    const hall = await openCategory({ maxSlots: 3 });
    const aisle = await openCategory({ maxSlots: 2 }, hall);
    const other = await openCategory({ maxSlots: 2 }, hall);
    const [a1, a2, a3] = await stockWith(aisle, 3);
    const [b1, b2] = await stockWith(other, 2);
    for (const [product, bid] of [
      [a1, 9],
      [a2, 8],
      [a3, 7],
      [b1, 6],
      [b2, 5],
    ] as const) {
      await promote(product, bid);
    }
    expect(promoted(await list(`category=${hall}`))).toEqual([a1.id, a2.id, b1.id]);
    expect(promoted(await list(`category=${aisle}`))).toEqual([a1.id, a2.id]);
  });

  it("promotes only products that match the search and the filters", async () => {
    const category = await openCategory();
    const word = `zellige${category.slice(0, 8)}`;
    const [lamp] = await stockWith(category, 1, { price: 99 });
    const [tile] = await stockWith(category, 1, { name: `A ${word}`, price: 20 });
    const [better] = await stockWith(category, 1, { name: `${word} ${word}`, price: 10 });
    await promote(lamp, 5);
    await promote(tile, 1);
    const found = await list(`search=${word}`);
    expect(ids(found.products)).toEqual([tile.id, better.id]);
    expect(found.products[0].promotion).toMatchObject({ position: 1 });
    expect(found.products[0].relevance_score).toBeGreaterThan(0);
    expect(promoted(await list(`category=${category}&price_max=50`))).toEqual([tile.id]);
    expect(promoted(await list(`category=${category}&price_max=15`))).toEqual([]);
    expect(promoted(await list(`supplier_id=${lamp.supplier_id}&price_min=90`))).toEqual([lamp.id]);
    const { auctions } = await must(
      "GET",
      `${PLACEMENT}/auctions?placement=search&campaign_id=${found.products[0].promotion.campaign_id}`,
      { as: testTenant.operator },
    );
    expect(auctions).toMatchObject([{ placement: "search", candidate_count: 1, placed_count: 1 }]);
  });

  it("shows suppliers only their own products, promoted or not", async () => {
    const category = await openCategory();
    const [own] = await stockWith(category, 1);
    const foreign = await listProduct(testTenant.operator, { category_id: category });
    await promote(own, 1);
    await promote(foreign, 2);
    const found = await list(`category=${category}`, testTenant.supplier);
    expect(found.products).toMatchObject([{ id: own.id, promotion: { position: 1 } }]);
  });

  it("uses the caller's region", async () => {
    const category = await openCategory();
    const [a, b] = await stockWith(category, 2);
    await promote(a, 1, { regions: ["MA", "DZ"] });
    await promote(b, 0.5);
    expect(promoted(await list(`category=${category}`))).toEqual([b.id]);
    expect(promoted(await list(`category=${category}&region=DE`))).toEqual([b.id]);
    expect(promoted(await list(`category=${category}&region=MA`))).toEqual([a.id, b.id]);
  });
});

describe("a search", () => {
  it("promotes full matches, or partial matches if there are no full ones", async () => {
    const category = await openCategory();
    const name = (name: string) =>
      listProduct(testTenant.supplier, { name, category_id: category, inventory: { quantity: 5 } });
    const [rug, runner] = [await name("Crimson kilim rug"), await name("Crimson kilim runner")];
    await promote(rug, 1);
    await promote(runner, 2);
    expect(promoted(await list("search=crimson kilim rug"))).toEqual([rug.id]);
    expect(promoted(await list("search=crimson kilim carpet"))).toEqual([runner.id, rug.id]);
  });
});

describe("a block of recommendations", () => {
  it("shows promoted products before top sellers or similar products, up to 30 %", async () => {
    const category = await openCategory();
    const all = await stockWith(category, 5);
    const [origin, low, high] = all;
    await promote(origin, 9);
    await promote(low, 1);
    await promote(high, 2);
    const at = (path: string, as = testTenant.customer) =>
      must("GET", `/api/products/${path}`, { as });
    const similar = await at(`${origin.id}/similar?limit=10`);
    expect(similar.products.slice(0, 2)).toMatchObject([
      { id: high.id, promotion: { position: 1 } },
      { id: low.id, promotion: { position: 2 } },
    ]);
    expect(new Set(ids(similar.products)).size).toBe(similar.products.length);
    expect(ids(similar.products)).not.toContain(origin.id);
    expect(similar.relevance_scores).toHaveLength(similar.products.length);
    expect(promoted(await at(`${origin.id}/similar?limit=4`))).toEqual([high.id]);
    const sold = await at(`top-sales?category=${category}&limit=7`);
    expect(sold.products).toMatchObject([
      { id: origin.id, promotion: { position: 1 }, sales_count: 0 },
      { id: high.id, promotion: { position: 2 }, sales_count: 0 },
    ]);
    expect(promoted(await at(`top-sales?category=${category}&limit=3`))).toEqual([]);
    const elsewhere = await at("top-sales?marketplace_id=00000000-0000-4000-8000-000000000000");
    expect(elsewhere.products).toEqual([]);
  });

  it("uses the caller's region", async () => {
    const category = await openCategory();
    const [origin, there] = await stockWith(category, 2);
    await promote(there, 1, { regions: ["MA"] });
    for (const path of [`${origin.id}/similar?limit=4`, `top-sales?category=${category}&limit=4`]) {
      const at = (more: string) =>
        must("GET", `/api/products/${path}${more}`, { as: testTenant.customer });
      expect(promoted(await at(""))).toEqual([]);
      expect(promoted(await at("&region=DE"))).toEqual([]);
      expect(promoted(await at("&region=MA"))).toEqual([there.id]);
    }
  });
});

describe("a place is not given to products", () => {
  it("that cannot be bought, charged or shown, and the auction explains why", async () => {
    const category = await openCategory();
    const all = await stockWith(category, 6);
    const [good, gone, hidden, poor, small] = all;
    const budgets = { dailyBudget: 5 };
    const campaigns = [];
    for (const [i, product] of all.slice(0, 5).entries()) {
      campaigns.push(await promote(product, 5 - i, budgets));
    }
    // Without its own description.
    const [fine] = await stockWith(category, 1, {
      description: "x".repeat(300),
      images: [1, 2, 3].map((n) => ({ url: `https://example.com/${n}.jpg` })),
    });
    await promote(fine, 0.2);
    // It is active, because it never had stock that sold out.
    const [empty] = await stockWith(category, 1, { inventory: { quantity: 0 } });
    await promote(empty, 4.5);
    await must("PATCH", `/api/products/${gone.id}/inventory`, {
      as: testTenant.supplier,
      body: { quantity: 0, operation: "set" },
    });
    await must("PUT", `/api/products/${hidden.id}`, {
      as: testTenant.supplier,
      body: { status: "inactive" },
    });
    await query(
      `insert into public.campaign_statistics (tenant_id, campaign_id, date, spend)
       values ($1, $2, (now() at time zone 'utc')::date, 3.5)
       on conflict (campaign_id, date) do update set spend = 3.5`,
      [testTenant.tenantId, campaigns[3].id],
    );
    await must("PATCH", `${PLACEMENT}/campaigns/${campaigns[4].id}`, {
      as: testTenant.operator,
      body: { status: "paused" },
    });
    expect(promoted(await list(`category=${category}`))).toEqual([good.id, fine.id]);
    let why = await explained(category);
    expect(why[good.id]).toMatchObject({
      eligible: true,
      reason: null,
      position: 1,
      bid_amount: 5,
    });
    expect(why[gone.id]).toMatchObject({ eligible: false, reason: "stock", position: null });
    expect(why[empty.id]).toMatchObject({ eligible: false, reason: "stock", position: null });
    expect(why[hidden.id]).toMatchObject({ eligible: false, reason: "status" });
    expect(why[poor.id]).toMatchObject({ eligible: false, reason: "budget" });
    expect(why[small.id]).toBeUndefined();

    await configure(category, { minQuality: 0.6, minBid: 0.3, maxSlots: 1 });
    expect(promoted(await list(`category=${category}`))).toEqual([]);
    why = await explained(category);
    expect(why[good.id]).toMatchObject({ reason: "quality" });
    expect(why[fine.id]).toMatchObject({ reason: "bid", price: null });
    expect(why[fine.id].quality).toBeGreaterThan(0.6);

    await configure(category, { minQuality: 0, minBid: 0.1, forbidden: true });
    expect(promoted(await list(`category=${category}`))).toEqual([]);
    why = await explained(category);
    expect(new Set(Object.values(why).map(({ reason }) => reason))).toEqual(new Set(["forbidden"]));

    await configure(category, { forbidden: false });
    await list(`category=${category}`);
    why = await explained(category);
    expect(why[fine.id]).toMatchObject({ eligible: true, reason: "outbid", position: null });

    await query(
      "update public.campaigns set start_date = now() - interval '9 days', end_date = now() - interval '1 day' where category_id = $1",
      [category],
    );
    expect(promoted(await list(`category=${category}`))).toEqual([]);
    why = await explained(category);
    expect(why[good.id]).toMatchObject({ eligible: false, reason: "dates" });
  });
});

describe("equal bids", () => {
  it("are ordered by the category's display priority", async () => {
    const category = await openCategory();
    const [better] = await stockWith(category, 1, { description: "x".repeat(300) });
    const [plain] = await stockWith(category, 1);
    await promote(better, 1);
    await promote(plain, 1);
    expect(promoted(await list(`category=${category}`))).toEqual([better.id, plain.id]);
    await configure(category, { displayPriority: "newest" });
    expect(promoted(await list(`category=${category}`))).toEqual([plain.id, better.id]);
  });

  it("take turns when they rotate", async () => {
    const category = await openCategory({ displayPriority: "rotation", rotationMinutes: 1 });
    const all = await stockWith(category, 3);
    for (const product of all) await promote(product, 1);
    // The order in the coming minutes.
    const firsts = await query<{ first: string }>(
      `select (array_agg(c.product_id order by uuid_hash_extended(c.id, minute) & x'fffffffffffff'::bigint desc))[1] as first
       from public.campaigns c
       cross join generate_series(floor(extract(epoch from now()) / 60)::bigint, floor(extract(epoch from now()) / 60)::bigint + 200) as minute
       where c.category_id = $1 group by minute order by minute`,
      [category],
    );
    const turns = firsts.map(({ first }) => first);
    expect(turns.slice(0, 2)).toContain(promoted(await list(`category=${category}`))[0]);
    for (const { id } of all) {
      expect(turns.filter((first) => first === id).length).toBeGreaterThan(201 / 6);
    }
  });
});

describe("the price of a click", () => {
  const price = async (campaign: Row) =>
    (
      await query<{ price: string; explanation: Row }>("select * from private.click_price($1)", [
        campaign.id,
      ])
    )[0];

  const pricedAt = async (campaign: Row) => Number((await price(campaign))?.price);

  it("is the next bid, at least the minimum bid, and never above the own bid", async () => {
    const category = await openCategory({ basePrice: 0.3, minBid: 0.25 });
    const all = [...(await stockWith(category, 3)), ...(await stockWith(category, 2, {}, rival))];
    const first = await promote(all[0], 3);
    const second = await promote(all[3], 2);
    const alsoSecond = await promote(all[1], 2);
    const last = await promote(all[4], 0.4);
    const paid = await promote(all[2], 1, { pricingModel: "fixed" });
    expect(await price(first)).toEqual({
      price: "2.00",
      explanation: { bid_amount: 3, min_bid: 0.25, priced_by: "next_bid" },
    });
    // The first of the two pays the same, and the second one pays the next bid of another supplier.
    const between = [await pricedAt(second), await pricedAt(alsoSecond)];
    expect([
      [2, 0.4],
      [0.3, 2],
    ]).toContainEqual(between);
    expect(await price(last)).toMatchObject({
      price: "0.30",
      explanation: { priced_by: "next_bid" },
    });
    expect(await price(paid)).toEqual({ price: "0", explanation: { priced_by: "fee" } });
    // A campaign that cannot be shown does not count.
    await must("PUT", `/api/products/${all[2].id}`, {
      as: testTenant.supplier,
      body: { status: "inactive" },
    });
    expect(await price(last)).toMatchObject({
      price: "0.25",
      explanation: { priced_by: "min_bid" },
    });
  });

  it("is the next bid of another supplier: nobody outbids themselves", async () => {
    const category = await openCategory({ minBid: 0.1 });
    const own = await stockWith(category, 3);
    const [first, second, third] = [
      await promote(own[0], 2),
      await promote(own[1], 1.5),
      await promote(own[2], 1),
    ];
    const shown = async () => {
      const { slots } = await must("GET", `${PLACEMENT}/slots?categoryId=${category}`, {
        as: testTenant.operator,
      });
      return slots.map(({ campaign_id, price }: Row) => [campaign_id, price]);
    };
    expect(await shown()).toEqual([
      [first.id, 0.1],
      [second.id, 0.1],
      [third.id, 0.1],
    ]);
    const [theirs] = await stockWith(category, 1, {}, rival);
    const other = await promote(theirs, 1.2);
    expect(await shown()).toEqual([
      [first.id, 1.2],
      [second.id, 1.2],
      [other.id, 1],
    ]);
    for (const [campaign, cost] of [
      [first, 1.2],
      [second, 1.2],
      [other, 1],
      [third, 0.1],
    ] as const)
      expect(await pricedAt(campaign)).toBe(cost);
  });

  it("is not lower when the product is promoted above its own category", async () => {
    const hall = await openCategory();
    const aisle = await openCategory({}, hall);
    const shelf = await openCategory({ minBid: 0.5 }, aisle);
    const [theirs] = await stockWith(shelf, 1);
    const [goods, more] = await stockWith(shelf, 2, {}, rival);
    const [elsewhere] = await stockWith(hall, 1);
    await promote(elsewhere, 4.01);
    const below = await promote(theirs, 4);
    const above = await promote(goods, 4.02, { categoryId: hall });
    const between = await promote(more, 0.6, { categoryId: aisle });
    const costs = async () => [
      await pricedAt(above),
      await pricedAt(below),
      await pricedAt(between),
    ];
    expect(await costs()).toEqual([4.01, 0.5, 0.5]);
    await query("update public.campaigns set status = 'paused' where product_id = $1", [
      elsewhere.id,
    ]);
    expect(await costs()).toEqual([4, 0.5, 0.5]);
    const { slots } = await must("GET", `${PLACEMENT}/slots?categoryId=${hall}`, {
      as: testTenant.operator,
    });
    expect(slots.map(({ campaign_id, price }: Row) => [campaign_id, price])).toEqual([
      [above.id, 4],
      [below.id, 0.5],
      [between.id, 0.5],
    ]);

    // A subcategory's minimum also applies to campaigns of its products in categories above.
    await configure(shelf, { minBid: 1 });
    expect(promoted(await list(`category=${hall}`))).toEqual([goods.id, theirs.id]);
    expect((await explained(hall))[more.id]).toMatchObject({ reason: "bid" });
    await configure(shelf, { minBid: 0.5, minQuality: 0.9 });
    await list(`category=${hall}`);
    expect((await explained(hall))[goods.id]).toMatchObject({ reason: "quality" });
    await configure(shelf, { minQuality: 0 });
    await configure(aisle, { forbidden: true });
    await list(`category=${hall}`);
    expect((await explained(hall))[goods.id]).toMatchObject({ reason: "forbidden" });
  });
});

describe("the slots of a category", () => {
  it("are shown with bids and prices to those whom they concern", async () => {
    const category = await openCategory();
    const [own] = await stockWith(category, 1);
    const foreign = await listProduct(testTenant.operator, { name: "Mine", category_id: category });
    const mine = await promote(foreign, 2);
    const theirs = await promote(own, 1);
    const slots = (as: Row, filters = "") =>
      must("GET", `${PLACEMENT}/slots?categoryId=${category}${filters}`, { as });
    expect(await slots(testTenant.operator, "&placement=search")).toEqual({
      category_id: category,
      placement: "search",
      region: null,
      slots: [
        {
          position: 1,
          product_id: foreign.id,
          product_name: "Mine",
          campaign_id: mine.id,
          labels: ["Promoted"],
          highlighted: false,
          pinned: false,
          bid_amount: 2,
          price: 1,
          token: expect.stringMatching(/^search\./),
        },
        {
          position: 2,
          product_id: own.id,
          product_name: "Lamp 1",
          campaign_id: theirs.id,
          labels: ["Promoted"],
          highlighted: false,
          pinned: false,
          bid_amount: 1,
          price: 0.01,
          token: expect.stringMatching(/^search\./),
        },
      ],
    });
    expect((await slots(testTenant.supplier)).slots).toMatchObject([
      { product_id: foreign.id, bid_amount: null, price: null },
      { product_id: own.id, bid_amount: 1, price: 0.01 },
    ]);
    expect((await slots(testTenant.customer)).slots).toMatchObject([
      { bid_amount: null, price: null },
      { bid_amount: null, price: null },
    ]);
    expect((await slots(testTenant.operator, "&limit=4")).slots).toHaveLength(1);
  });

  it("need an existing category and placement", async () => {
    const category = await openCategory();
    const at = (filters: string, as = testTenant.operator) =>
      call("GET", `${PLACEMENT}/slots?${filters}`, { as });
    const wrong = await at(`categoryId=${category}&placement=window`);
    expect(wrong.status).toBe(422);
    expect(wrong.body.error.details.field).toBe("placement");
    expect((await at("")).status).toBe(422);
    const stranger = await register({ tenant_name: "Elsewhere" });
    const foreign = await at(`categoryId=${category}`, stranger);
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.details.field).toBe("categoryId");
    const { error } = await supabaseAs(testTenant.customer).rpc("list_placement_slots", {
      category_id: category,
      placement: "window",
    });
    expect(error?.message).toBe("VALIDATION_ERROR");
  });
});

describe("recorded auctions", () => {
  it("are readable by admins, and by suppliers as their share", async () => {
    const category = await openCategory({ maxSlots: 1 });
    const [a] = await stockWith(category, 1);
    const [b] = await stockWith(category, 1, {}, rival);
    const winner = await promote(a, 3);
    const loser = await promote(b, 1);
    for (let n = 0; n < 3; n += 1) await list(`category=${category}&limit=50`);
    await query("select private.count_auctions()");
    await list(`category=${category}`);
    await must("PATCH", `/api/products/${a.id}/inventory`, {
      as: testTenant.supplier,
      body: { quantity: 0, operation: "set" },
    });
    await list(`category=${category}`);
    await query("select private.count_auctions()");
    await query("select private.count_auctions()");

    const at = `${PLACEMENT}/auctions?category_id=${category}`;
    const all = await must("GET", at, { as: testTenant.operator });
    expect(all).toMatchObject({ total: 5, page: 1, limit: 100 });
    expect(all.auctions[4]).toMatchObject({
      placement: "category",
      category_id: category,
      region: null,
      size: 50,
      candidate_count: 2,
      placed_count: 1,
    });
    const paged = await must("GET", `${at}&limit=2&page=3`, { as: testTenant.operator });
    expect(ids(paged.auctions)).toEqual([all.auctions[4].id]);
    const one = await must("GET", `${PLACEMENT}/auctions/${all.auctions[4].id}`, {
      as: testTenant.operator,
    });
    expect(one.candidates).toMatchObject([
      { campaign_id: winner.id, position: 1, price: 1, bid_amount: 3 },
      { campaign_id: loser.id, position: null, price: null, reason: "outbid" },
    ]);

    const share = await must("GET", `${PLACEMENT}/campaigns/${loser.id}/auctions`, {
      as: rival,
    });
    expect(share.totals).toEqual({
      held: 5,
      won: 1,
      lost_to_bid: 4,
      lost_to_budget: 0,
      lost_to_stock: 0,
      lost_otherwise: 0,
      win_rate: 0.2,
    });
    expect(share.daily).toMatchObject([{ date: new Date().toISOString().slice(0, 10), held: 5 }]);
    const won = await must("GET", `${PLACEMENT}/campaigns/${winner.id}/auctions?to=2020-01-01`, {
      as: testTenant.supplier,
    });
    expect(won).toMatchObject({ totals: { held: 0, win_rate: null }, daily: [] });
    const { data } = await supabaseAs(testTenant.supplier)
      .from("campaign_auctions")
      .select("held, won, lost_to_stock")
      .eq("campaign_id", winner.id);
    expect(data).toEqual([{ held: 5, won: 4, lost_to_stock: 1 }]);
  });

  it("are not readable by others", async () => {
    const category = await openCategory();
    const [a] = await stockWith(category, 1);
    const campaign = await promote(a, 3);
    await list(`category=${category}`);
    const at = `${PLACEMENT}/auctions`;
    const { auctions } = await must("GET", `${at}?category_id=${category}`, {
      as: testTenant.operator,
    });
    for (const as of [testTenant.supplier, testTenant.customer]) {
      expect((await call("GET", at, { as })).status).toBe(403);
      expect((await call("GET", `${at}/${auctions[0].id}`, { as })).status).toBe(403);
    }
    const share = `${PLACEMENT}/campaigns/${campaign.id}/auctions`;
    expect((await call("GET", share, { as: testTenant.customer })).status).toBe(404);
    const stranger = await register({ tenant_name: "Elsewhere" });
    expect((await must("GET", at, { as: stranger })).total).toBe(0);
    expect((await call("GET", `${at}/${auctions[0].id}`, { as: stranger })).status).toBe(404);
    expect((await call("GET", `${at}/guessed`, { as: stranger })).status).toBe(404);
    expect((await call("GET", share, { as: stranger })).status).toBe(404);
  });
});

describe("ranked_products", () => {
  it("has the order of the API for a category, and contains no bids", async () => {
    const category = await openCategory();
    const all = await stockWith(category, 5);
    await promote(all[0], 1);
    await promote(all[2], 2);
    const { products } = await list(`category=${category}`);
    const { data } = await supabaseAs(testTenant.customer)
      .from("ranked_products")
      .select()
      .eq("category_id", category)
      .order("rank")
      .order("id")
      .throwOnError();
    expect(ids(data as Row[])).toEqual(ids(products));
    // A token contains the second in which it was issued.
    const shown = ({ promotion }: Row) => promotion && { ...promotion, token: undefined };
    expect((data as Row[]).map(shown)).toEqual(products.map(shown));
    expect(Object.keys((data as Row[])[0])).not.toContain("bid_amount");
    await query("update public.products set status = 'inactive' where id = $1", [all[2].id]);
    const { data: left } = await supabaseAs(testTenant.operator)
      .from("ranked_products")
      .select("id, rank")
      .eq("category_id", category)
      .order("rank")
      .throwOnError();
    expect(left).toHaveLength(4);
    expect(left?.[0]).toEqual({ id: all[0].id, rank: 1 });
  });
});

describe("marketplaces with several currencies", () => {
  it("have separate auctions, and lists of several show campaigns in the currency of the oldest one", async () => {
    const { operator, supplier, customer, tenantId, marketplace } = await openTestTenant();
    const other = await register({ tenant_id: tenantId, role: "supplier" });
    const yen = await openMarketplace(operator, { currency: "JPY" });
    await must("PUT", `${PLACEMENT}/settings`, { as: operator, body: { auction_log_share: 1 } });
    const category = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Hall" },
    });
    await must("PUT", `${PLACEMENT}/categories/${category.id}`, {
      as: operator,
      body: { prices: [{ currency: "JPY", basePrice: 0, minBid: 1 }] },
    });
    const sold = async (of: Person, name: string, marketplace_id: string, bidAmount: number) => {
      const fields = { name, price: 12, marketplace_id, category_id: category.id };
      const product = await listProduct(of, fields);
      const body = { productId: product.id, categoryId: category.id, duration: 7, bidAmount };
      await must("POST", `${PLACEMENT}/campaigns`, { as: operator, body });
      return product.id as string;
    };
    const euros = await sold(supplier, "Lamp for euros", marketplace.id, 5);
    const few = await sold(other, "Lamp for few euros", marketplace.id, 2);
    const yens = await sold(other, "Lamp for yen", yen.id, 10);
    for (let n = 0; n < 8; n += 1) {
      await listProduct(supplier, { marketplace_id: marketplace.id, category_id: category.id });
    }
    const shown = async (path: string, as = customer) => promoted(await must("GET", path, { as }));
    const here = `category=${category.id}`;
    for (const path of [
      "/api/products",
      "/api/products?search=lamp&limit=10",
      `/api/products?${here}`,
      "/api/products/top-sales",
      `/api/products/top-sales?${here}`,
    ]) {
      expect([path, await shown(path)]).toEqual([path, [euros, few]]);
    }
    const slots = await must("GET", `${PLACEMENT}/slots?categoryId=${category.id}`, {
      as: operator,
    });
    // A bid of 10 yen does not compete with one of 10 euros: the second place costs its minimum.
    expect(slots.slots.map(({ product_id, price }: Row) => [product_id, price])).toEqual([
      [euros, 2],
      [few, 0.01],
    ]);
    const ranked = await supabaseAs(customer)
      .from("ranked_products")
      .select("id, promotion")
      .not("promotion", "is", null)
      .order("rank")
      .throwOnError();
    expect(ids(ranked.data as Row[])).toEqual([euros, few]);
    for (const filter of [`marketplace_id=${yen.id}`, "currency=JPY"]) {
      expect(await shown(`/api/products?${filter}`)).toEqual([yens]);
      expect(await shown(`/api/products?${here}&${filter}`)).toEqual([yens]);
      expect(await shown(`/api/products?search=lamp&${filter}`)).toEqual([yens]);
    }
  });
});
