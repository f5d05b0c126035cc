import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  listProduct,
  marketplaceFields,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

const ROOT = "/api/v1/top-placement";
const CAMPAIGNS = `${ROOT}/campaigns`;
const DAY = 86_400_000;

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

let testTenant: TestTenant;
let rival: Person;
let machine: Person;
let stranger: TestTenant;

beforeAll(async () => {
  [testTenant, stranger] = await Promise.all([openTestTenant(), openTestTenant()]);
  const { tenantId } = testTenant;
  [rival, machine] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    registerClient(tenantId),
  ]);
  await verify(testTenant.supplier, true);
  await verify(rival, true);
});

const supplierOf = async (person: Person) =>
  (await must("GET", "/auth/me", { as: person })).supplier_id;

async function verify(person: Person, verified: boolean) {
  const id = await supplierOf(person);
  await must("PATCH", `/api/suppliers/${id}`, { as: testTenant.operator, body: { verified } });
}

/** A separate category, so that tests do not compete. */
async function category(config: object = {}, overrides: object = {}): Promise<Record_> {
  const body = { name: `Hall ${randomUUID()}`, ...overrides };
  const made = await must("POST", "/api/categories", { as: testTenant.operator, body });
  if (Object.keys(config).length > 0) await configure(made.id, config);
  return made;
}

const configure = (id: string, config: object) =>
  must("PUT", `${ROOT}/categories/${id}`, { as: testTenant.operator, body: config });

const product = (
  place: Record_,
  as = testTenant.supplier,
  overrides: object = {},
): Promise<Record_> => listProduct(as, { category_id: place.id, ...overrides });

function campaignFields(goods: Record_, place: Record_, overrides: object = {}) {
  return { productId: goods.id, categoryId: place.id, duration: 7, bidAmount: 0.5, ...overrides };
}

/** A campaign for a separate product. */
async function campaign(
  place: Record_,
  overrides: object = {},
  as = testTenant.supplier,
): Promise<Record_> {
  const body = campaignFields(await product(place, as), place, overrides);
  return must("POST", CAMPAIGNS, { as, body });
}

const read = (id: string, as = testTenant.operator): Promise<Record_> =>
  must("GET", `${CAMPAIGNS}/${id}`, { as });

const patch = (id: string, body: object, as = testTenant.supplier) =>
  call("PATCH", `${CAMPAIGNS}/${id}`, { as, body });

const refusal = (code: string, field?: string) => ({
  error: { code, details: field === undefined ? {} : { field } },
});

const clock = () => runJob("run-campaigns");

/**
 * Simulates that days pass for one campaign: moves all of its times back. It uses one transaction, so that the job,
 * which runs each minute, sees all of it or nothing. Days are unique, so they move via another century.
 */
async function pass(id: string, days: number) {
  const shift = (table: string, by: number) =>
    `update public.${table} set date = date + ${by} where campaign_id = '${id}';`;
  await query(
    `update public.campaigns set start_date = start_date - ${days} * interval '24 hours',
       end_date = end_date - ${days} * interval '24 hours' where id = '${id}';
     ${["placement_charges", "campaign_statistics"]
       .map((table) => shift(table, -10_000) + shift(table, 10_000 - Math.floor(days)))
       .join("")}`,
  );
}

const feesOf = (id: string) =>
  query<{ date: string; amount: string }>(
    `select date::text, amount::text from public.placement_charges
     where campaign_id = $1 and kind = 'fee' order by date`,
    [id],
  );

const cents = (fees: { amount: string }[]) =>
  fees.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);

describe("promoting a product", () => {
  it("returns the whole record, which starts immediately", async () => {
    const hall = await category();
    const goods = await product(hall);
    const before = Date.now();
    const made = await call("POST", CAMPAIGNS, {
      as: testTenant.supplier,
      body: campaignFields(goods, hall, { dailyBudget: 10, maxBid: 2.25, regions: ["DE", "FR"] }),
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/functions/v1${CAMPAIGNS}/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: testTenant.tenantId,
      supplier_id: goods.supplier_id,
      marketplace_id: testTenant.marketplace.id,
      currency: "EUR",
      product_id: goods.id,
      category_id: hall.id,
      pricing_model: "auction",
      start_date: expect.any(String),
      end_date: expect.any(String),
      daily_budget: 10,
      bid_amount: 0.5,
      max_bid: 2.25,
      fee: 0,
      regions: ["DE", "FR"],
      labels: ["Promoted"],
      highlighted: false,
      pinned: false,
      status: "active",
      note: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const [start, end] = [Date.parse(made.body.start_date), Date.parse(made.body.end_date)];
    expect(Math.abs(start - before)).toBeLessThan(60_000);
    expect(end - start).toBe(7 * DAY);
    expect(await read(made.body.id, testTenant.supplier)).toEqual(made.body);
  });

  it("is possible through supabase-js, for a category above the product's, and once for an Idempotency-Key", async () => {
    const hall = await category();
    const aisle = await category({}, { parent_id: hall.id });
    const goods = await product(aisle);
    const { data } = await supabaseAs(testTenant.supplier)
      .rpc("create_campaign", {
        product_id: goods.id,
        category_id: hall.id,
        duration: 30,
        bid_amount: 1,
        pricing_model: "cpc",
        labels: ["TOP", "Advertisement", "TOP"],
        highlighted: true,
        pinned: true,
      })
      .throwOnError();
    expect(data).toMatchObject({
      category_id: hall.id,
      pricing_model: "cpc",
      labels: ["Advertisement", "TOP"],
      highlighted: true,
      pinned: true,
      status: "active",
    });

    const once = {
      as: testTenant.supplier,
      body: campaignFields(goods, aisle),
      headers: { "idempotency-key": randomUUID() },
    };
    const [first, again] = [
      await call("POST", CAMPAIGNS, once),
      await call("POST", CAMPAIGNS, once),
    ];
    expect(first.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  const yesterday = () => new Date(Date.now() - DAY).toISOString();
  const inTwoYears = () => new Date(Date.now() + 730 * DAY).toISOString();

  it.each<[string, object, string]>([
    ["no time", { duration: 0 }, "duration"],
    ["half a day", { duration: 1.5 }, "duration"],
    ["more than a year", { duration: 366 }, "duration"],
    ["less than the minimum bid", { bidAmount: 0.49 }, "bidAmount"],
    ["a bid with fractions of a cent", { bidAmount: 0.505 }, "bidAmount"],
    ["a budget with fractions of a cent", { dailyBudget: 10.001 }, "dailyBudget"],
    ["a limit with fractions of a cent", { maxBid: 1.001 }, "maxBid"],
    ["a text", { bidAmount: "1" }, "bidAmount"],
    ["nothing", { bidAmount: undefined }, "bidAmount"],
    ["a negative bid", { bidAmount: -1 }, "bidAmount"],
    ["a bid above the maximum", { bidAmount: 1e10 }, "bidAmount"],
    ["a budget that pays for no click", { dailyBudget: 0.4 }, "dailyBudget"],
    ["a limit below the bid", { maxBid: 0.4 }, "maxBid"],
    ["a limit without an auction", { pricingModel: "cpc", maxBid: 2 }, "maxBid"],
    ["yesterday", { startDate: yesterday() }, "startDate"],
    ["in two years", { startDate: inTwoYears() }, "startDate"],
    ["some day", { startDate: "soon" }, "startDate"],
    ["an unknown pricing model", { pricingModel: "barter" }, "pricingModel"],
    ["a fee for ten days", { pricingModel: "hybrid", duration: 10, bidAmount: 9 }, "duration"],
    ["less than the price of a day", { pricingModel: "fixed", bidAmount: 2.99 }, "bidAmount"],
    [
      "a budget of less than a day and a click",
      { pricingModel: "hybrid", dailyBudget: 3.4 },
      "dailyBudget",
    ],
    ["an unknown label", { labels: ["Best"] }, "labels[0]"],
    ["an empty region", { regions: [""] }, "regions[0]"],
    ["a repeated region", { regions: ["DE", "DE"] }, "regions"],
    ["an unknown field", { bid_amount: 1 }, "bid_amount"],
  ])("refuses %s", async (_, input, field) => {
    hallOfRefusals ??= category({ minBid: 0.5, basePrice: 3 }).then(async (hall) => ({
      hall,
      goods: await product(hall),
    }));
    const { hall, goods } = await hallOfRefusals;
    const refused = await call("POST", CAMPAIGNS, {
      as: testTenant.supplier,
      body: campaignFields(goods, hall, input),
    });
    expect(refused).toMatchObject({ status: 422, body: refusal("VALIDATION_ERROR", field) });
  });
  let hallOfRefusals: Promise<{ hall: Record_; goods: Record_ }> | undefined;

  it("refuses unsuitable products and categories, and names them", async () => {
    const [hall, other] = await Promise.all([category(), category()]);
    const attempt = async (goods: Record_, place: Record_, as = testTenant.supplier) => {
      const { status, body } = await call("POST", CAMPAIGNS, {
        as,
        body: campaignFields(goods, place),
      });
      return [status, body.error?.code, body.error?.details.field];
    };
    const goods = await product(hall);
    const draft = await product(hall, testTenant.supplier, { status: "draft" });
    expect(await attempt(draft, hall)).toEqual([422, "VALIDATION_ERROR", "productId"]);
    expect(await attempt(goods, other)).toEqual([422, "VALIDATION_ERROR", "categoryId"]);
    const below = await category({}, { parent_id: hall.id });
    expect(await attempt(goods, below)).toEqual([422, "VALIDATION_ERROR", "categoryId"]);

    // Records of others are not found, in the same tenant or another one.
    const theirs = await product(hall, rival);
    const foreign = await listProduct(stranger.supplier);
    const nowhere = { id: randomUUID() };
    for (const of of [theirs, foreign, nowhere])
      expect(await attempt(of, hall)).toEqual([404, "NOT_FOUND", "productId"]);
    for (const at of [
      nowhere,
      await must("POST", "/api/categories", { as: stranger.operator, body: { name: "Theirs" } }),
    ])
      expect(await attempt(goods, at)).toEqual([404, "NOT_FOUND", "categoryId"]);

    await configure(hall.id, { forbidden: true });
    const inside = await product(below);
    expect(await attempt(goods, hall)).toEqual([422, "VALIDATION_ERROR", "categoryId"]);
    expect(await attempt(inside, below)).toEqual([422, "VALIDATION_ERROR", "categoryId"]);
  });

  it("needs products with the quality that the category requires", async () => {
    const hall = await category({ minQuality: 0.5 });
    const goods = await product(hall);
    const body = campaignFields(goods, hall);
    const poor = await call("POST", CAMPAIGNS, { as: testTenant.supplier, body });
    expect(poor).toMatchObject({ status: 422, body: refusal("VALIDATION_ERROR", "productId") });
    await must("PUT", `/api/products/${goods.id}`, {
      as: testTenant.supplier,
      body: {
        description: "Picked by hand. ".repeat(20),
        images: [{ url: "https://example.com/a.jpg" }],
        attributes: [{ name: "brand", value: "Sahara" }],
      },
    });
    await must("POST", CAMPAIGNS, { as: testTenant.supplier, body });
  });

  it("accepts one campaign at a time for a product in a category", async () => {
    const hall = await category();
    const aisle = await category({}, { parent_id: hall.id });
    const goods = await product(aisle);
    const promote = (place: Record_, overrides: object = {}) =>
      call("POST", CAMPAIGNS, {
        as: testTenant.supplier,
        body: campaignFields(goods, place, overrides),
      });
    const { body: first } = await promote(aisle);
    expect(await promote(aisle)).toMatchObject({
      status: 409,
      body: refusal("CONFLICT", "productId"),
    });
    // In another category, or directly after it.
    expect((await promote(hall)).status).toBe(201);
    const then = await promote(aisle, { startDate: first.end_date });
    expect(then).toMatchObject({ status: 201, body: { status: "scheduled" } });
    // An ended campaign does not prevent a new one.
    expect((await patch(first.id, { status: "cancelled" })).status).toBe(200);
    expect((await promote(aisle, { duration: 6 })).status).toBe(201);
    // Concurrent requests create only one.
    const apart = await product(aisle);
    const both = await Promise.all(
      [1, 2].map(() =>
        call("POST", CAMPAIGNS, { as: testTenant.supplier, body: campaignFields(apart, aisle) }),
      ),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it("is never free: a fee needs a base price", async () => {
    const hall = await category({ minBid: 0.5 });
    const aisle = await category({}, { parent_id: hall.id });
    const goods = await product(aisle);
    const promote = (pricingModel: string, place = hall, as = testTenant.supplier) =>
      call("POST", CAMPAIGNS, {
        as,
        body: campaignFields(goods, place, { pricingModel, bidAmount: 2 }),
      });
    for (const pricingModel of ["fixed", "hybrid"])
      for (const as of [testTenant.supplier, testTenant.operator]) {
        const refused = await promote(pricingModel, hall, as);
        expect(refused).toMatchObject({
          status: 422,
          body: refusal("VALIDATION_ERROR", "pricingModel"),
        });
        expect(refused.body.error.message).toContain("no base price");
      }
    const { error } = await supabaseAs(testTenant.supplier).rpc("create_campaign", {
      product_id: goods.id,
      category_id: aisle.id,
      duration: 90,
      bid_amount: 0,
      pricing_model: "fixed",
    });
    expect(error).toMatchObject({ message: "VALIDATION_ERROR" });

    await configure(hall.id, { basePrice: 1 });
    const made = await promote("fixed");
    expect(made).toMatchObject({ status: 201, body: { fee: 7, bid_amount: 1 } });
    expect((await promote("fixed", aisle)).status).toBe(422);
    // A running campaign keeps its booked price.
    await configure(hall.id, { basePrice: 0 });
    expect((await patch(made.body.id, { status: "paused" })).status).toBe(200);
    expect((await patch(made.body.id, { status: "active" })).body).toMatchObject({
      status: "active",
      fee: 7,
      bid_amount: 1,
    });
  });

  it("above a product's category costs at least as much as in it", async () => {
    const hall = await category({ minBid: 0.1, basePrice: 1 });
    const aisle = await category({ minBid: 0.5, basePrice: 3 }, { parent_id: hall.id });
    const shelf = await category({}, { parent_id: aisle.id });
    const goods = await product(shelf);
    const promote = (overrides: object) =>
      call("POST", CAMPAIGNS, {
        as: testTenant.supplier,
        body: campaignFields(goods, hall, overrides),
      });
    const refused = await promote({ bidAmount: 0.49 });
    expect(refused).toMatchObject({ status: 422, body: refusal("VALIDATION_ERROR", "bidAmount") });
    const fixed = await promote({ pricingModel: "fixed", bidAmount: 2 });
    expect(fixed).toMatchObject({ status: 422, body: refusal("VALIDATION_ERROR", "bidAmount") });
    await configure(aisle.id, { minQuality: 0.9 });
    expect((await promote({})).body).toMatchObject(refusal("VALIDATION_ERROR", "productId"));
    await configure(aisle.id, { minQuality: 0, forbidden: true });
    expect((await promote({})).body).toMatchObject(refusal("VALIDATION_ERROR", "categoryId"));
    await configure(aisle.id, { forbidden: false });
    const { body: made } = await promote({ bidAmount: 0.5 });
    expect(await patch(made.id, { bidAmount: 0.4 })).toMatchObject({
      status: 422,
      body: refusal("VALIDATION_ERROR", "bidAmount"),
    });
    // Prices of a subcategory do not apply to products that are not in it.
    const large = await product(hall);
    const body = campaignFields(large, hall, { bidAmount: 0.1 });
    expect((await call("POST", CAMPAIGNS, { as: testTenant.supplier, body })).status).toBe(201);
    await patch(made.id, { status: "cancelled" });
    expect((await promote({ pricingModel: "fixed", bidAmount: 9 })).body).toMatchObject({
      fee: 21,
      bid_amount: 3,
    });
  });

  it("costs the price of its model", async () => {
    const hall = await category({ basePrice: 2.5, minBid: 0.2 });
    const fixed = await campaign(hall, { pricingModel: "fixed", bidAmount: 9, dailyBudget: 100 });
    // It pays at most the price of a day, whatever is offered, and needs no budget.
    expect(fixed).toMatchObject({ fee: 17.5, bid_amount: 2.5, daily_budget: null });
    const hybrid = await campaign(hall, { pricingModel: "hybrid", duration: 30, dailyBudget: 3 });
    expect(hybrid).toMatchObject({ fee: 75, bid_amount: 0.5, daily_budget: 3 });
    for (const pricingModel of ["cpc", "auction"])
      expect(await campaign(hall, { pricingModel, duration: 11 })).toMatchObject({ fee: 0 });

    await configure(hall.id, { auctionEnabled: false });
    const goods = await product(hall);
    for (const [pricingModel, status] of [
      ["auction", 422],
      ["hybrid", 422],
      ["fixed", 201],
    ] as const) {
      const body = campaignFields(goods, hall, { pricingModel, bidAmount: 3 });
      expect((await call("POST", CAMPAIGNS, { as: testTenant.supplier, body })).status).toBe(
        status,
      );
    }
  });
});

describe("a review", () => {
  let newcomer: Person;
  beforeAll(async () => {
    newcomer = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
  });
  const review = (id: string, how: "approve" | "reject", body?: object, as = testTenant.operator) =>
    call("POST", `${CAMPAIGNS}/${id}/${how}`, { as, body });

  it("is needed for a campaign of an unverified supplier, but not of the operator", async () => {
    const hall = await category({ basePrice: 1 });
    const waiting = await campaign(hall, { pricingModel: "hybrid" }, newcomer);
    expect(waiting).toMatchObject({ status: "pending_review", fee: 7 });
    await clock();
    expect(await feesOf(waiting.id)).toEqual([]);
    for (const status of ["active", "paused"])
      expect(await patch(waiting.id, { status }, newcomer)).toMatchObject({
        status: 422,
        body: refusal("INVALID_TRANSITION", "status"),
      });
    for (const as of [newcomer, machine, testTenant.customer])
      expect((await review(waiting.id, "approve", undefined, as)).status).toBe(403);

    expect(await review(waiting.id, "approve")).toMatchObject({
      status: 200,
      body: { status: "active", fee: 7 },
    });
    expect(await feesOf(waiting.id)).toMatchObject([{ amount: "1.00" }]);
    for (const how of ["approve", "reject"] as const)
      expect(await review(waiting.id, how)).toMatchObject({
        status: 422,
        body: refusal("INVALID_TRANSITION"),
      });
    const own = await campaign(hall, {}, testTenant.operator);
    expect(own).toMatchObject({ status: "active", supplier_id: null });
  });

  it("can reject with a note, and then nothing can change", async () => {
    const hall = await category();
    const { id, product_id } = await campaign(hall, {}, newcomer);
    const rejected = await review(id, "reject", { note: "The picture is not yours." });
    expect(rejected).toMatchObject({
      status: 200,
      body: { status: "rejected", note: "The picture is not yours." },
    });
    for (const change of [{ status: "cancelled" }, { bidAmount: 2 }])
      expect(await patch(id, change, newcomer)).toMatchObject({
        status: 422,
        body: refusal("INVALID_TRANSITION"),
      });
    // The product may be proposed again.
    const body = campaignFields({ id: product_id }, hall);
    const again = await must("POST", CAMPAIGNS, { as: newcomer, body });
    expect((await review(again.id, "reject")).body).toMatchObject({ note: null });
  });

  it("after the start date starts the campaign immediately for the remaining days", async () => {
    const hall = await category({ basePrice: 1.01 });
    const pricing = { pricingModel: "fixed", bidAmount: 2 };
    const late = await campaign(hall, pricing, newcomer);
    await pass(late.id, 2.5);
    const { body: approved } = await review(late.id, "approve");
    expect(approved).toMatchObject({ status: "active", fee: 5.05 });
    expect(Date.parse(approved.start_date)).toBeGreaterThan(Date.now() - 60_000);
    expect(await feesOf(late.id)).toMatchObject([{ amount: "1.01" }]);

    const soon = new Date(Date.now() + DAY).toISOString();
    const early = await campaign(hall, { ...pricing, startDate: soon }, newcomer);
    expect((await review(early.id, "approve")).body).toMatchObject({
      status: "scheduled",
      fee: 7.07,
    });

    const over = await campaign(hall, pricing, newcomer);
    await pass(over.id, 8);
    expect((await review(over.id, "approve")).body).toMatchObject({ status: "completed", fee: 0 });
    expect(await feesOf(over.id)).toEqual([]);
  });
});

describe("changing a campaign", () => {
  it("pauses, resumes and cancels it, and makes no other move", async () => {
    const hall = await category();
    const { id } = await campaign(hall);
    const moves: [string, number, string][] = [
      ["active", 422, "active"],
      ["paused", 200, "paused"],
      ["paused", 422, "paused"],
      ["active", 200, "active"],
      ["paused", 200, "paused"],
      ["cancelled", 200, "cancelled"],
      ["active", 422, "cancelled"],
      ["paused", 422, "cancelled"],
      ["cancelled", 422, "cancelled"],
    ];
    for (const [status, answered, then] of moves) {
      const answer = await patch(id, { status });
      expect([status, answer.status]).toEqual([status, answered]);
      if (answered === 422) expect(answer.body.error.code).toBe("INVALID_TRANSITION");
      expect((await read(id)).status).toBe(then);
    }
    for (const status of ["completed", "rejected", "exhausted", "pending_review", "scheduled", 1])
      expect(await patch(id, { status })).toMatchObject({
        status: 422,
        body: refusal("VALIDATION_ERROR", "status"),
      });

    const startDate = new Date(Date.now() + DAY).toISOString();
    const later = await campaign(hall, { startDate });
    expect(later.status).toBe("scheduled");
    expect((await patch(later.id, { status: "active" })).status).toBe(422);
    expect((await patch(later.id, { status: "paused" })).body.status).toBe("paused");
    expect((await patch(later.id, { status: "active" })).body.status).toBe("scheduled");
  });

  it("allows no other moves in the database either", async () => {
    const hall = await category();
    const { id } = await campaign(hall);
    const { error } = await supabaseAsService()
      .from("campaigns")
      .update({ status: "pending_review" })
      .eq("id", id);
    expect(error?.message).toBe("INVALID_TRANSITION");
  });

  it("raises and lowers bids and budgets, within the rules for new campaigns", async () => {
    const hall = await category({ minBid: 0.2, basePrice: 1 });
    const auction = await campaign(hall, { dailyBudget: 5, maxBid: 2 });
    const changes = { bidAmount: 0.3, maxBid: 1.5, dailyBudget: 4 };
    expect((await patch(auction.id, changes)).body).toMatchObject({
      bid_amount: 0.3,
      max_bid: 1.5,
      daily_budget: 4,
    });
    const open = await patch(auction.id, { maxBid: null, dailyBudget: null });
    expect(open.body).toMatchObject({ bid_amount: 0.3, max_bid: null, daily_budget: null });
    await must("PATCH", `${CAMPAIGNS}/${auction.id}`, {
      as: testTenant.supplier,
      body: { dailyBudget: 1, maxBid: 0.9 },
    });
    for (const [body, field] of [
      [{ bidAmount: 0.19 }, "bidAmount"],
      [{ bidAmount: 0.205 }, "bidAmount"],
      [{ bidAmount: 0.95 }, "bidAmount"],
      [{ maxBid: 0.29 }, "maxBid"],
      [{ dailyBudget: 0.29 }, "dailyBudget"],
      [{ bidAmount: null }, "bidAmount"],
      [{ duration: 9 }, "duration"],
    ] as const)
      expect(await patch(auction.id, body)).toMatchObject({
        status: 422,
        body: refusal("VALIDATION_ERROR", field),
      });

    const hybrid = await campaign(hall, { pricingModel: "hybrid", dailyBudget: 3 });
    for (const body of [{ dailyBudget: 1.49 }, { maxBid: 1 }])
      expect((await patch(hybrid.id, body)).status).toBe(422);
    expect((await patch(hybrid.id, { bidAmount: 2.01 })).status).toBe(422);
    expect((await patch(hybrid.id, { bidAmount: 2 })).body).toMatchObject({ bid_amount: 2 });
    const fixed = await campaign(hall, { pricingModel: "fixed", bidAmount: 1 });
    expect((await patch(fixed.id, { bidAmount: 0.99 })).status).toBe(422);
    expect((await patch(fixed.id, { bidAmount: 5 })).body).toMatchObject({ bid_amount: 1 });
  });

  it("is allowed to its creator and admins", async () => {
    const hall = await category();
    const { id } = await campaign(hall);
    for (const [as, status] of [
      [rival, 404],
      [stranger.operator, 404],
      [stranger.supplier, 404],
      [machine, 403],
      [testTenant.customer, 403],
    ] as const) {
      expect((await patch(id, { bidAmount: 1 }, as)).status).toBe(status);
      const { error } = await supabaseAs(as).rpc("change_campaign", {
        campaign_id: id,
        changes: { bid_amount: 1 },
      });
      expect(error?.code).toBe(`PT${status}`);
    }
    for (const unknown of [randomUUID(), "nothing"])
      expect((await patch(unknown, { bidAmount: 1 })).status).toBe(404);
    expect((await patch(id, { bidAmount: 1 }, testTenant.operator)).status).toBe(200);
  });

  it("is not possible through the table, which is read-only", async () => {
    const hall = await category();
    const { id, ...made } = await campaign(hall);
    for (const as of [testTenant.supplier, testTenant.operator]) {
      const table = supabaseAs(as).from("campaigns");
      const tries = [
        table.insert(made),
        table.update({ bid_amount: 99 }).eq("id", id),
        table.update({ status: "paused" }).eq("id", id),
        table.delete().eq("id", id),
      ];
      for (const { error } of await Promise.all(tries)) expect(error?.code).toBe("42501");
    }
    expect(await read(id)).toMatchObject({ bid_amount: 0.5, status: "active" });
  });
});

describe("an automatic bid", () => {
  const bidsOf = async (...made: Record_[]) =>
    Promise.all(made.map(async ({ id }) => (await read(id)).bid_amount));

  it("stays just above the bids that it can beat, up to its limit, and never falls", async () => {
    const hall = await category();
    const ours = await campaign(hall, { bidAmount: 1, maxBid: 3 });
    expect(ours.bid_amount).toBe(1);
    const plain = await campaign(hall, { bidAmount: 1.5 }, rival);
    expect(await bidsOf(ours, plain)).toEqual([1.51, 1.5]);
    // The other bid is out of reach, so this one rises no further than necessary.
    expect((await patch(plain.id, { bidAmount: 3 }, rival)).status).toBe(200);
    expect(await bidsOf(ours, plain)).toEqual([1.51, 3]);
    await patch(plain.id, { bidAmount: 2.99 }, rival);
    expect(await bidsOf(ours, plain)).toEqual([3, 2.99]);
    await patch(plain.id, { bidAmount: 0.01 }, rival);
    await patch(plain.id, { status: "cancelled" }, rival);
    expect(await bidsOf(ours)).toEqual([3]);
  });

  it("outbids another automatic bid when that has reached its limit", async () => {
    const hall = await category();
    const [low, high] = [
      await campaign(hall, { bidAmount: 1, maxBid: 3 }),
      await campaign(hall, { bidAmount: 1, maxBid: 5 }, rival),
    ];
    expect(await bidsOf(low, high)).toEqual([3, 3.01]);
    await patch(low.id, { maxBid: 4 });
    expect(await bidsOf(low, high)).toEqual([4, 4.01]);
    // With the same limit the older campaign keeps its place, and nobody pays more than their limit.
    await patch(low.id, { maxBid: 5 });
    expect(await bidsOf(low, high)).toEqual([5, 4.99]);
  });

  it("does not rise against the same supplier, another region, a paused campaign, or above its budget", async () => {
    const hall = await category();
    const ours = await campaign(hall, { bidAmount: 1, maxBid: 9, regions: ["DE"], dailyBudget: 2 });
    await campaign(hall, { bidAmount: 1.5 });
    await campaign(hall, { bidAmount: 1.5, regions: ["FR"] }, rival);
    const later = new Date(Date.now() + DAY).toISOString();
    const waiting = await campaign(hall, { bidAmount: 1.5, startDate: later }, rival);
    expect(await bidsOf(ours)).toEqual([1]);
    await pass(waiting.id, 1);
    await clock();
    expect(await bidsOf(ours)).toEqual([1.51]);
    await campaign(hall, { bidAmount: 2.5 }, rival);
    expect(await bidsOf(ours)).toEqual([1.51]);
    await campaign(hall, { bidAmount: 1.99 }, rival);
    expect(await bidsOf(ours)).toEqual([2]);
  });

  it("follows the minimum bid up to its limit", async () => {
    const hall = await category({ minBid: 0.1 });
    const aisle = await category({ minBid: 0.1 }, { parent_id: hall.id });
    const able = await campaign(aisle, { maxBid: 2 });
    const unable = await campaign(aisle, { maxBid: 0.9 });
    const poor = await campaign(aisle, { maxBid: 2, dailyBudget: 0.9 });
    const plain = await campaign(aisle, { pricingModel: "cpc" });
    const resting = await campaign(aisle, { maxBid: 2 });
    await patch(resting.id, { status: "paused" });
    const goods = await product(aisle);
    const above = await must("POST", CAMPAIGNS, {
      as: testTenant.supplier,
      body: campaignFields(goods, hall, { maxBid: 2 }),
    });
    await configure(aisle.id, { minBid: 1 });
    expect(await bidsOf(able, unable, poor, plain, resting, above)).toEqual([
      1, 0.5, 0.5, 0.5, 0.5, 1,
    ]);
    await patch(resting.id, { status: "active" });
    await patch(unable.id, { maxBid: 1 });
    expect(await bidsOf(resting, unable)).toEqual([1, 1]);
    // It does not fall with the minimum.
    await configure(aisle.id, { minBid: 0.1 });
    expect(await bidsOf(able, above)).toEqual([1, 1]);
    // The automatic bid with the higher limit remains above the other.
    const other = await campaign(aisle, { bidAmount: 0.1, maxBid: 1.5 }, rival);
    expect(await bidsOf(other)).toEqual([1.5]);
    expect((await read(able.id)).bid_amount).toBe(1.51);
  });

  it("rises only against campaigns that can win a place, and only if it can win one itself", async () => {
    const hall = await category();
    const sells = async (overrides: object) => {
      const made = await campaign(hall, overrides, rival);
      return { id: made.id, product: made.product_id };
    };
    const stock = (id: string, quantity: number) =>
      must("PATCH", `/api/products/${id}/inventory`, {
        as: rival,
        body: { quantity, operation: "set" },
      });
    const sold = await sells({ bidAmount: 8 });
    await stock(sold.product, 0);
    const hidden = await sells({ bidAmount: 7 });
    await must("PUT", `/api/products/${hidden.product}`, {
      as: rival,
      body: { status: "inactive" },
    });
    await sells({ bidAmount: 1, regions: ["DE"] });
    const ours = await campaign(hall, { bidAmount: 0.5, maxBid: 10 });
    expect(ours.bid_amount).toBe(1.01);

    // A campaign that cannot be shown is not raised by others either.
    await must("PATCH", `/api/products/${ours.product_id}/inventory`, {
      as: testTenant.supplier,
      body: { quantity: 0, operation: "set" },
    });
    await sells({ bidAmount: 3 });
    expect(await bidsOf(ours)).toEqual([1.01]);
    // When it can be shown again, it is raised on the next change.
    await must("PATCH", `/api/products/${ours.product_id}/inventory`, {
      as: testTenant.supplier,
      body: { quantity: 5, operation: "set" },
    });
    await patch(ours.id, { dailyBudget: 100 });
    expect(await bidsOf(ours)).toEqual([3.01]);
    await stock(sold.product, 5);
    await patch(ours.id, { dailyBudget: 90 });
    expect(await bidsOf(ours)).toEqual([8.01]);
  });

  it.runIf(process.env.DATABASE_URL)(
    "counts campaigns that started after its request",
    async () => {
      const hall = await category();
      const goods = await product(hall);
      const db = new pg.Client({ connectionString: ownStack.db_url as string });
      await db.connect();
      onTestFinished(() => db.end());
      // now() does not change until this transaction ends.
      await db.query("begin");
      const theirs = await campaign(hall, { bidAmount: 0.5, maxBid: 3.3 }, rival);
      const claims = { sub: testTenant.supplier.id, tenant_id: testTenant.tenantId };
      await db.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(claims)]);
      const { rows } = await db.query(
        "select public.create_campaign($1, $2, duration => 7, bid_amount => 0.5, max_bid => 2.4) as ours",
        [goods.id, hall.id],
      );
      await db.query("commit");
      expect(await bidsOf(rows[0].ours, theirs)).toEqual([2.4, 2.41]);
    },
  );

  it("settles among many concurrent campaigns", async () => {
    const hall = await category();
    const limits = [1.1, 1.9, 2.4, 3.3];
    const made = await Promise.all(
      limits.map((maxBid, i) =>
        campaign(hall, { bidAmount: 0.5, maxBid }, i % 2 ? rival : testTenant.supplier),
      ),
    );
    const bids = await bidsOf(...made);
    for (const [i, bid] of bids.entries()) expect(bid).toBeLessThanOrEqual(limits[i] as number);
    // The two highest limits belong to different suppliers.
    expect(bids.slice(2)).toEqual([2.4, 2.41]);
  });
});

describe("a fee", () => {
  it.each([
    1, 7, 30, 90,
  ])("is charged day by day, exact to the cent over %i days", async (duration) => {
    const hall = await category({ basePrice: 3.33 });
    const made = await campaign(hall, { pricingModel: "fixed", duration, bidAmount: 4 });
    expect(await feesOf(made.id)).toMatchObject([{ amount: "3.33" }]);
    await clock();
    expect(await feesOf(made.id)).toHaveLength(1);
    if (duration > 7) {
      // Simulates a job that did not run for three days.
      await pass(made.id, 3);
      await Promise.all([clock(), clock()]);
      expect(await feesOf(made.id)).toHaveLength(4);
    }
    await pass(made.id, duration);
    await clock();
    const fees = await feesOf(made.id);
    expect(fees).toHaveLength(duration);
    expect(cents(fees)).toBe(Math.round(made.fee * 100));
    expect((await read(made.id)).status).toBe("completed");
  });

  it("that does not divide evenly by its days is charged completely", async () => {
    const hall = await category({ basePrice: 1 });
    const { id } = await campaign(hall, { pricingModel: "hybrid", duration: 7 });
    await query("update public.campaigns set fee = 10 where id = $1", [id]);
    await query("delete from public.placement_charges where campaign_id = $1", [id]);
    await pass(id, 6);
    await clock();
    const fees = await feesOf(id);
    expect(fees).toHaveLength(7);
    expect(cents(fees)).toBe(1000);
  });

  it("covers the booked time: a pause does not stop it, the end does", async () => {
    const hall = await category({ basePrice: 1 });
    const { id } = await campaign(hall, { pricingModel: "fixed", bidAmount: 1 });
    await patch(id, { status: "paused" });
    await pass(id, 2);
    await clock();
    expect(await feesOf(id)).toHaveLength(3);
    await patch(id, { status: "cancelled" });
    await pass(id, 2);
    await clock();
    expect(await feesOf(id)).toHaveLength(3);
  });
});

describe("the job", () => {
  it("starts and ends campaigns", async () => {
    const hall = await category({ basePrice: 1 });
    const startDate = new Date(Date.now() + DAY).toISOString();
    const made = await campaign(hall, { pricingModel: "fixed", bidAmount: 1, startDate });
    expect([made.status, await feesOf(made.id)]).toEqual(["scheduled", []]);
    const [running, resting] = [await campaign(hall), await campaign(hall)];
    await patch(resting.id, { status: "paused" });
    await pass(made.id, 1);
    await Promise.all([clock(), clock()]);
    expect((await read(made.id)).status).toBe("active");
    expect(await feesOf(made.id)).toHaveLength(1);
    for (const { id } of [running, resting]) await pass(id, 7);
    // After its end it cannot change, even before the job has run.
    expect(await patch(resting.id, { status: "active" })).toMatchObject({
      status: 422,
      body: refusal("INVALID_TRANSITION"),
    });
    await clock();
    for (const { id } of [running, resting]) expect((await read(id)).status).toBe("completed");
  });

  it("reactivates a campaign with a used-up budget on the next day; a higher budget does so immediately", async () => {
    const hall = await category();
    const spend = async (id: string, amount: number) =>
      query(
        `select private.charge_campaign($1, 'click', $2, gen_random_uuid(), '{"why": "a test"}')`,
        [id, amount],
      );
    const { id } = await campaign(hall, { bidAmount: 1, dailyBudget: 2 });
    await spend(id, 1);
    expect((await read(id)).status).toBe("active");
    await spend(id, 0.5);
    expect((await read(id)).status).toBe("exhausted");
    expect(await patch(id, { status: "active" })).toMatchObject({
      status: 422,
      body: refusal("INVALID_TRANSITION", "status"),
    });
    await clock();
    expect((await read(id)).status).toBe("exhausted");
    expect((await patch(id, { dailyBudget: 2.5 })).body.status).toBe("active");
    await spend(id, 1);
    expect((await read(id)).status).toBe("exhausted");
    expect((await patch(id, { dailyBudget: null })).body.status).toBe("active");
    expect((await patch(id, { dailyBudget: 2 })).body.status).toBe("exhausted");
    await pass(id, 1);
    await clock();
    expect((await read(id)).status).toBe("active");
  });

  it("runs all other campaigns when one fails", async () => {
    const hall = await category({ basePrice: 1 });
    const startDate = new Date(Date.now() + DAY).toISOString();
    const overrides = { pricingModel: "fixed", bidAmount: 1, startDate };
    const [broken, sound] = [await campaign(hall, overrides), await campaign(hall, overrides)];
    for (const { id } of [broken, sound]) await pass(id, 1);
    await query(
      `alter table public.placement_charges add constraint a_test check (campaign_id <> '${broken.id}')`,
    );
    try {
      await clock();
      expect((await read(sound.id)).status).toBe("active");
      expect(await feesOf(sound.id)).toHaveLength(1);
      expect(await feesOf(broken.id)).toEqual([]);
    } finally {
      await query("alter table public.placement_charges drop constraint a_test");
    }
    // The missed day is charged later.
    await clock();
    expect(await feesOf(broken.id)).toHaveLength(1);
  });
});

describe("records that campaigns refer to", () => {
  it("cannot be deleted", async () => {
    const hall = await category({ basePrice: 1 });
    const { id, product_id } = await campaign(hall, { pricingModel: "fixed", bidAmount: 1 });
    const remove = (path: string, as: Person) => call("DELETE", path, { as });
    expect((await remove(`/api/products/${product_id}`, testTenant.supplier)).status).toBe(204);
    expect(await read(id)).toMatchObject({ status: "cancelled", product_id });
    expect(await feesOf(id)).toHaveLength(1);
    // The category only contains a discontinued product, which does not prevent the deletion.
    expect((await remove(`/api/categories/${hall.id}`, testTenant.operator)).status).toBe(204);
    expect(await read(id)).toMatchObject({ category_id: null });

    const aisle = await category();
    const moved = await campaign(aisle);
    await must("PUT", `/api/products/${moved.product_id}`, {
      as: testTenant.supplier,
      body: { category_id: null },
    });
    expect((await remove(`/api/categories/${aisle.id}`, testTenant.operator)).status).toBe(409);
  });
});

describe("access to campaigns", () => {
  it("is to all for admins and clients, to their own for suppliers, and to none for others", async () => {
    const hall = await category();
    const ours = await campaign(hall);
    const theirs = await campaign(hall, {}, rival);
    const listed = async (as: Person, filter = "") =>
      (await must("GET", `${CAMPAIGNS}?category_id=${hall.id}${filter}`, { as })).campaigns.map(
        ({ id }: Record_) => id,
      );
    const both = [ours.id, theirs.id].toSorted();
    for (const [as, seen] of [
      [testTenant.operator, both],
      [machine, both],
      [testTenant.supplier, [ours.id]],
      [rival, [theirs.id]],
      [testTenant.customer, []],
      [stranger.operator, []],
    ] as const) {
      expect((await listed(as)).toSorted()).toEqual(seen);
      const { data } = await supabaseAs(as)
        .from("campaigns")
        .select("id")
        .eq("category_id", hall.id);
      expect(data?.map(({ id }) => id).toSorted()).toEqual(seen);
      const one = await call("GET", `${CAMPAIGNS}/${ours.id}`, { as });
      expect(one.status).toBe((seen as string[]).includes(ours.id) ? 200 : 404);
    }
    expect((await call("GET", CAMPAIGNS)).status).toBe(401);
    const { error } = await supabaseAs().from("campaigns").select();
    expect(error?.code).toBe("42501");

    expect(await listed(testTenant.operator, `&product_id=${ours.product_id}`)).toEqual([ours.id]);
    expect(await listed(testTenant.operator, `&supplier_id=${theirs.supplier_id}`)).toEqual([
      theirs.id,
    ]);
    await patch(ours.id, { status: "paused" });
    expect(await listed(testTenant.operator, "&status=paused")).toEqual([ours.id]);
    await patch(theirs.id, { bidAmount: 2 }, rival);
    expect(await listed(testTenant.operator, "&sort=bid_amount&order=asc")).toEqual([
      ours.id,
      theirs.id,
    ]);
    const page = await must("GET", `${CAMPAIGNS}?category_id=${hall.id}&limit=1&page=2`, {
      as: machine,
    });
    expect(page).toMatchObject({ total: 2, page: 2, limit: 1, campaigns: [{ id: ours.id }] });
    for (const query of ["?status=none", "?sort=note", "?category_id=1"])
      expect((await call("GET", CAMPAIGNS + query, { as: machine })).status).toBe(422);
  });

  it("and their creation is allowed to suppliers and admins", async () => {
    const hall = await category();
    const goods = await product(hall);
    for (const [as, status] of [
      [machine, 403],
      [testTenant.customer, 403],
      [stranger.operator, 404],
      [testTenant.operator, 201],
    ] as const)
      expect(
        (await call("POST", CAMPAIGNS, { as, body: campaignFields(goods, hall) })).status,
      ).toBe(status);
  });
});

const inYen = (minBid: number, basePrice = 0) => ({ currency: "JPY", basePrice, minBid });

describe("the configuration of a category", () => {
  const address = (id: string) => `${ROOT}/categories/${id}`;
  const DEFAULTS = {
    basePrice: 0,
    maxSlots: 3,
    auctionEnabled: true,
    minBid: 0.01,
    forbidden: false,
    rotationMinutes: 60,
    displayPriority: "quality",
    minQuality: 0,
    prices: [{ currency: "EUR", basePrice: 0, minBid: 0.01 }],
  };

  it("has defaults until an admin changes it, field by field", async () => {
    const { id, name } = await category();
    const as = testTenant.operator;
    expect(await must("GET", address(id), { as })).toEqual({ categoryId: id, name, ...DEFAULTS });
    const changed = { basePrice: 2.5, maxSlots: 10, auctionEnabled: false, minBid: 0.2 };
    const prices = [{ currency: "EUR", basePrice: 2.5, minBid: 0.2 }];
    const first = { categoryId: id, name, ...DEFAULTS, ...changed, prices };
    expect(await must("PUT", address(id), { as, body: changed })).toEqual(first);
    const rest = {
      categoryId: id,
      name: "Spices",
      forbidden: true,
      rotationMinutes: 15,
      displayPriority: "rotation",
      minQuality: 0.3,
    };
    const whole = { ...first, ...rest };
    expect(await must("PUT", address(id), { as, body: rest })).toEqual(whole);
    expect(await must("GET", address(id), { as })).toEqual(whole);
    // Its name is that of the category.
    expect(await must("GET", `/api/categories/${id}`, { as })).toMatchObject({ name: "Spices" });
    // A configuration may be sent back unchanged.
    expect(await must("PUT", address(id), { as, body: whole })).toEqual(whole);
  });

  it.each<[object, string]>([
    [{ basePrice: -1 }, "basePrice"],
    [{ basePrice: 1.001 }, "basePrice"],
    [{ minBid: 0 }, "minBid"],
    [{ minBid: 0.015 }, "minBid"],
    [{ maxSlots: 0 }, "maxSlots"],
    [{ maxSlots: 2.5 }, "maxSlots"],
    [{ rotationMinutes: 0 }, "rotationMinutes"],
    [{ displayPriority: "price" }, "displayPriority"],
    [{ minQuality: 1.1 }, "minQuality"],
    [{ auctionEnabled: "yes" }, "auctionEnabled"],
    [{ categoryId: randomUUID() }, "categoryId"],
    [{ prices: { JPY: 1 } }, "prices"],
    [{ prices: [{ currency: "JPY", basePrice: 1 }] }, "prices[0].minBid"],
    [{ prices: [{ currency: "JPY", basePrice: 1.001, minBid: 1 }] }, "prices[0].basePrice"],
    [{ prices: [inYen(1), { ...inYen(2), currency: "XXJ" }] }, "prices[1].currency"],
    [{ prices: [inYen(1), inYen(2)] }, "prices[1].currency"],
    [{ minBid: 1, prices: [{ currency: "EUR", basePrice: 0, minBid: 2 }] }, "minBid"],
    [{ base_price: 1 }, "base_price"],
  ])("refuses %j", async (body, field) => {
    hall ??= category();
    const { id } = await hall;
    const refused = await call("PUT", address(id), { as: testTenant.operator, body });
    expect(refused).toMatchObject({ status: 422, body: refusal("VALIDATION_ERROR", field) });
  });
  let hall: Promise<Record_> | undefined;

  it("can be set by admins, and is not visible to customers", async () => {
    const { id } = await category({ minBid: 0.3 });
    for (const [as, reading, writing] of [
      [testTenant.supplier, 200, 403],
      [machine, 200, 403],
      [testTenant.customer, 403, 403],
      [stranger.operator, 404, 404],
      [undefined, 401, 401],
    ] as const) {
      expect((await call("GET", address(id), { as })).status).toBe(reading);
      expect((await call("PUT", address(id), { as, body: { minBid: 9 } })).status).toBe(writing);
      const { error } = await supabaseAs(as)
        .from("placement_categories")
        .update({ min_bid: 9 })
        .eq("category_id", id);
      expect(error?.code).toBe("42501");
    }
    expect(await must("GET", address(id), { as: testTenant.operator })).toMatchObject({
      minBid: 0.3,
    });
    expect((await call("GET", address("none"), { as: testTenant.operator })).status).toBe(404);
    const { data } = await supabaseAs(testTenant.customer).from("placement_categories").select();
    expect(data).toEqual([]);
  });

  it("and the general settings can be set by admins", async () => {
    const { operator } = stranger;
    const address = `${ROOT}/settings`;
    const defaults = {
      auction_log_share: 0.1,
      clicks_per_visitor_and_hour: 20,
      clicks_per_address_and_hour: 5,
      click_account_age_minutes: 10,
    };
    expect(await must("GET", address, { as: operator })).toEqual(defaults);
    const put = (body: object, as: Person = operator) => call("PUT", address, { as, body });
    expect((await put({ auction_log_share: 1 })).body).toEqual({
      ...defaults,
      auction_log_share: 1,
    });
    const changes = {
      clicks_per_visitor_and_hour: 6,
      clicks_per_address_and_hour: 7,
      click_account_age_minutes: 0,
    };
    expect((await put(changes)).body).toEqual({ auction_log_share: 1, ...changes });
    for (const body of [{ auction_log_share: 2 }, { clicks_per_visitor_and_hour: 0 }, { more: 1 }])
      expect((await put(body)).status).toBe(422);
    for (const as of [stranger.supplier, stranger.customer]) {
      expect((await call("GET", address, { as })).status).toBe(403);
      expect((await put({ auction_log_share: 0 }, as)).status).toBe(403);
    }
    expect(await must("GET", address, { as: machine })).toEqual(defaults);
  });
});

describe("prices in several currencies", () => {
  it("are stored per currency, and a currency without prices has no campaigns", async () => {
    const shop = await openTestTenant();
    const as = shop.operator;
    const market = await openMarketplace(as, { currency: "JPY" });
    const hall = await must("POST", "/api/categories", { as, body: { name: "Hall" } });
    const address = `${ROOT}/categories/${hall.id}`;
    const euro = { currency: "EUR", basePrice: 2, minBid: 0.5 };
    await must("PUT", address, { as, body: { basePrice: 2, minBid: 0.5 } });
    expect((await must("GET", address, { as })).prices).toEqual([euro]);
    const sell = (marketplace_id: string) =>
      listProduct(shop.supplier, { marketplace_id, category_id: hall.id, price: 900 });
    const [ours, theirs] = [await sell(shop.marketplace.id), await sell(market.id)];
    const promote = (goods: Record_, overrides: object) =>
      call("POST", CAMPAIGNS, { as, body: campaignFields(goods, hall, overrides) });
    expect(await promote(theirs, { bidAmount: 60 })).toMatchObject({
      status: 422,
      body: refusal("VALIDATION_ERROR", "categoryId"),
    });

    const set = await must("PUT", address, { as, body: { prices: [inYen(50, 300)] } });
    expect(set).toMatchObject({ basePrice: 2, minBid: 0.5, prices: [euro, inYen(50, 300)] });
    // Prices may be sent back unchanged.
    expect(await must("PUT", address, { as, body: set })).toEqual(set);
    const dearer = await must("PUT", address, { as, body: { ...set, basePrice: 3 } });
    expect(dearer.prices[0]).toEqual({ ...euro, basePrice: 3 });
    for (const [goods, input, field] of [
      [theirs, { bidAmount: 49 }, "bidAmount"],
      [theirs, { bidAmount: 299, pricingModel: "fixed", duration: 1 }, "bidAmount"],
      [ours, { bidAmount: 0.49 }, "bidAmount"],
    ] as const)
      expect(await promote(goods, input)).toMatchObject({
        status: 422,
        body: refusal("VALIDATION_ERROR", field),
      });
    const dear = await promote(theirs, { bidAmount: 50 });
    expect(dear).toMatchObject({ status: 201, body: { currency: "JPY", bid_amount: 50 } });
    expect(await promote(ours, { bidAmount: 60 })).toMatchObject({ status: 201 });
    await promote(await sell(shop.marketplace.id), { bidAmount: 0.7 });
    for (const [order, amounts] of [
      ["asc", [0.7, 60, 50]],
      ["desc", [60, 0.7, 50]],
    ] as const) {
      const list = await must("GET", `${CAMPAIGNS}?sort=bid_amount&order=${order}`, { as });
      expect(list.campaigns.map((one: Record_) => one.bid_amount)).toEqual(amounts);
    }

    // When the prices of a currency are removed, no bid in it can change or win any more.
    const one = { as, body: { prices: [{ ...euro, minBid: 0.6 }] } };
    expect(await must("PUT", address, one)).toMatchObject({
      minBid: 0.6,
      prices: [{ minBid: 0.6 }],
    });
    const rise = { as, body: { bidAmount: 70 } };
    expect(await call("PATCH", `${CAMPAIGNS}/${dear.body.id}`, rise)).toMatchObject({
      status: 422,
      body: refusal("VALIDATION_ERROR", "bidAmount"),
    });
    const slots = `${ROOT}/slots?categoryId=${hall.id}&limit=20`;
    const shown = (await must("GET", slots, { as })).slots;
    expect(shown.map((slot: Record_) => slot.product_id)).not.toContain(theirs.id);
  });
});

describe("a currency without decimals", () => {
  it("has whole bids, budgets and prices, and automatic bids rise by 1", async () => {
    const shop = await openTestTenant();
    const as = shop.operator;
    const market = await openMarketplace(as, { currency: "JPY" });
    const hall = await must("POST", "/api/categories", { as, body: { name: "Hall" } });
    const address = `${ROOT}/categories/${hall.id}`;
    const refused = (field: string) => ({
      status: 422,
      body: refusal("VALIDATION_ERROR", field),
    });
    for (const [prices, field] of [
      [inYen(1.5), "minBid"],
      [inYen(0.5), "minBid"],
      [inYen(1, 300.5), "basePrice"],
    ] as const) {
      const set = await call("PUT", address, { as, body: { prices: [prices] } });
      expect(set).toMatchObject(refused(`prices[0].${field}`));
    }
    await must("PUT", address, { as, body: { prices: [inYen(1)] } });
    const promote = async (seller: Person, input: object) => {
      const goods = { marketplace_id: market.id, category_id: hall.id, price: 900 };
      const product = await listProduct(seller, goods);
      return call("POST", CAMPAIGNS, { as, body: campaignFields(product, hall, input) });
    };
    for (const [input, field] of [
      [{ bidAmount: 1.5 }, "bidAmount"],
      [{ bidAmount: 1, maxBid: 2.5 }, "maxBid"],
      [{ bidAmount: 1, dailyBudget: 100.01 }, "dailyBudget"],
    ] as const) {
      expect(await promote(shop.supplier, input)).toMatchObject(refused(field));
    }
    const ours = (await promote(shop.supplier, { bidAmount: 2, maxBid: 100, dailyBudget: 500 }))
      .body;
    for (const field of ["bidAmount", "maxBid", "dailyBudget"]) {
      const change = { as, body: { [field]: 50.5 } };
      expect(await call("PATCH", `${CAMPAIGNS}/${ours.id}`, change)).toMatchObject(refused(field));
    }
    expect((await promote(as, { bidAmount: 40 })).status).toBe(201);
    expect(await must("GET", `${CAMPAIGNS}/${ours.id}`, { as })).toMatchObject({ bid_amount: 41 });
  });

  it("of the oldest marketplace bounds a category's own prices", async () => {
    const as = await register({ tenant_name: "Bazaar" });
    await openMarketplace(as, { currency: "JPY" });
    const hall = await must("POST", "/api/categories", { as, body: { name: "Hall" } });
    const address = `${ROOT}/categories/${hall.id}`;
    const defaults = await must("GET", address, { as });
    expect(defaults).toMatchObject({ minBid: 1, prices: [inYen(1)] });
    expect(await must("PUT", address, { as, body: defaults })).toEqual(defaults);
    for (const [field, value] of [
      ["minBid", 0.5],
      ["minBid", 2.5],
      ["basePrice", 0.5],
    ] as const) {
      expect(await call("PUT", address, { as, body: { [field]: value } })).toMatchObject({
        status: 422,
        body: refusal("VALIDATION_ERROR", field),
      });
    }
  });
});

describe("a rival", () => {
  it("never competes on another marketplace, whatever its currency", async () => {
    const yen = await must("POST", "/api/marketplaces", {
      as: stranger.operator,
      body: marketplaceFields({ currency: "JPY" }),
    });
    const as = stranger.operator;
    await must("PUT", `/api/marketplaces/${yen.id}`, { as, body: { status: "active" } });
    const hall = await must("POST", "/api/categories", { as, body: { name: "Both" } });
    await must("PUT", `${ROOT}/categories/${hall.id}`, { as, body: { prices: [inYen(1)] } });
    const sold = async (seller: Person, marketplace: Record_, overrides: object) => {
      const goods = await listProduct(seller, {
        category_id: hall.id,
        marketplace_id: marketplace.id,
        price: 10,
      });
      return must("POST", CAMPAIGNS, { as, body: campaignFields(goods, hall, overrides) });
    };
    const ours = await sold(as, stranger.marketplace, { bidAmount: 1, maxBid: 100 });
    await sold(stranger.supplier, yen, { bidAmount: 50 });
    const bid = async () => (await must("GET", `${CAMPAIGNS}/${ours.id}`, { as })).bid_amount;
    expect(await bid()).toBe(1);
    const other = await must("POST", "/api/marketplaces", { as, body: marketplaceFields() });
    await must("PUT", `/api/marketplaces/${other.id}`, { as, body: { status: "active" } });
    await sold(stranger.supplier, other, { bidAmount: 40 });
    await call("PATCH", `${CAMPAIGNS}/${ours.id}`, { as, body: { dailyBudget: 90 } });
    expect(await bid()).toBe(1);
    await sold(stranger.supplier, stranger.marketplace, { bidAmount: 40 });
    expect(await bid()).toBe(40.01);
  });
});
