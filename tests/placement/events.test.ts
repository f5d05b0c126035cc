import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob, withinMinute } from "../clock.js";
import { query } from "../database.js";
import { move, moved, placed, takeBack } from "../orders/ordering.js";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import {
  campaignOf,
  chargesOf,
  click,
  impression,
  makeOld,
  openCategory,
  outcomes,
  PLACEMENT,
  promote,
  registerOld,
  report,
  type Shown,
  shownTo,
  statsOf,
} from "./promoting.js";

// Impressions, clicks and sales of promoted products, their charges, and the totals.

let testTenant: TestTenant;
let client: Person;
let rival: Person;
let category: Shown;

beforeAll(async () => {
  testTenant = await openTestTenant();
  [client, rival, category] = await Promise.all([
    registerClient(testTenant.tenantId),
    register({ tenant_id: testTenant.tenantId, role: "supplier" }),
    openCategory(testTenant),
  ]);
  await makeOld(testTenant.customer);
});

const visitor = () => `visitor ${randomUUID()}`;
const campaign = (overrides: object = {}, product: object = {}) =>
  promote(testTenant, category, overrides, product);

async function totalsOf(shown: { id: string }) {
  return (await statsOf(testTenant.operator, shown)).totals;
}

/** The ledger of a campaign, which every total must agree with. */
async function amountsOf(shown: { id: string }): Promise<number[]> {
  return (await chargesOf(testTenant.operator, shown)).map(({ amount }) => amount);
}

function refund(as: Person, shown: { id: string }, body: object) {
  return call("POST", `${PLACEMENT}/campaigns/${shown.id}/refunds`, { as, body });
}

/** Changes the tenant's placement settings for the duration of `work`. */
async function withSettings(settings: object, work: () => Promise<void>) {
  const path = `${PLACEMENT}/settings`;
  const before = await must("GET", path, { as: testTenant.operator });
  await must("PUT", path, { as: testTenant.operator, body: settings });
  await work().finally(() => must("PUT", path, { as: testTenant.operator, body: before }));
}

describe("impressions", () => {
  it("count once per visitor and minute, or once per id", async () => {
    const shown = await campaign();
    const [anna, ben] = [visitor(), visitor()];
    const [one, two] = [randomUUID(), randomUUID()];
    const batch = [
      impression(shown, anna, { placement: "search" }),
      impression(shown, anna),
      impression(shown, ben),
      impression(shown, ben, { id: one }),
      impression(shown, ben, { id: two }),
      impression(shown, anna, { id: one }),
    ];
    expect(await outcomes(client, ...batch)).toEqual([
      "accepted",
      "duplicate",
      "accepted",
      "accepted",
      "accepted",
      "duplicate",
    ]);
    expect(await totalsOf(shown)).toMatchObject({ impressions: 4, clicks: 0, ctr: 0, spend: 0 });
  });

  it("of customers and guests count once a minute, whatever ids they send", async () => {
    const { shown, other, answers, again } = await withinMinute(async () => {
      const [shown, other] = [await campaign(), await campaign()];
      const anna = await register({ tenant_id: testTenant.tenantId });
      const wanted = Array.from({ length: 50 }, () => impression(shown, "", { id: randomUUID() }));
      const batch = await shownTo(anna, ...wanted);
      const another = await shownTo(anna, impression(other, "", { id: randomUUID() }));
      const answers = await outcomes(anna, ...batch, ...another);
      const withoutId = await shownTo(anna, impression(shown, ""));
      return { shown, other, answers, again: await outcomes(anna, ...batch, ...withoutId) };
    });
    expect(answers.filter((status) => status === "accepted")).toHaveLength(2);
    expect(again).toEqual(Array(51).fill("duplicate"));
    expect(await totalsOf(shown)).toMatchObject({ impressions: 1 });
    expect(await totalsOf(other)).toMatchObject({ impressions: 1 });
  });

  it("do not count while the campaign is not running", async () => {
    const shown = await campaign({ startDate: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await outcomes(client, impression(shown, visitor()), click(shown, visitor()))).toEqual([
      "not_charged not_running",
      "not_charged not_running",
    ]);
    expect(await totalsOf(shown)).toMatchObject({ impressions: 0, clicks: 0, spend: 0 });
  });
});

describe("clicks", () => {
  it("of customers and guests happen now: their timestamps are ignored, so nobody can click in every hour of a day at once", async () => {
    const shown = await campaign();
    await query(
      "update public.campaigns set start_date = start_date - interval '12 hours' where id = $1",
      [shown.id],
    );
    const ago = (hours: number) => ({
      occurred_at: new Date(Date.now() - hours * 3_600_000).toISOString(),
    });
    const anna = await registerOld(testTenant.tenantId);
    const batch = await shownTo(anna, ...[0, 2, 4, 6].map((hours) => click(shown, "", ago(hours))));
    expect(await outcomes(anna, ...batch)).toEqual([
      "charged",
      "duplicate",
      "duplicate",
      "duplicate",
    ]);
    expect(await amountsOf(shown)).toEqual([0.5]);
    // The timestamps of a shop's backend, which may send late, are used.
    const ben = visitor();
    expect(await outcomes(client, click(shown, ben, ago(2)), click(shown, ben))).toEqual([
      "charged",
      "charged",
    ]);
  });

  it("are charged once per visitor, campaign and hour, and are in the ledger with their price", async () => {
    const shown = await campaign();
    const anna = visitor();
    const [first, again] = [randomUUID(), randomUUID()];
    const results = await report(
      client,
      click(shown, anna, { id: first, placement: "category" }),
      click(shown, anna),
      click(shown, anna, { id: again }),
      click(shown, visitor()),
    );
    expect(results).toEqual([
      { index: 0, id: first, status: "charged", price: 0.5 },
      { index: 1, status: "duplicate" },
      { index: 2, id: again, status: "not_charged", reason: "already_charged" },
      { index: 3, id: expect.any(String), status: "charged", price: 0.5 },
    ]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 2, spend: 1, roi: -1 });
    const charges = await chargesOf(testTenant.supplier, shown);
    expect(charges.map(({ click_id }) => click_id)).toEqual(
      expect.arrayContaining([first, results[3].id]),
    );
    expect(charges.find(({ click_id }) => click_id === first)).toMatchObject({
      kind: "click",
      amount: 0.5,
      date: new Date().toISOString().slice(0, 10),
      explanation: { placement: "category", priced_by: "own_bid", bid_amount: 0.5 },
    });
  });

  it("cost the price of the auction", async () => {
    const auction = await openCategory(testTenant, 0.1);
    const [high] = [
      await promote(testTenant, auction, { bidAmount: 2 }),
      await promote({ ...testTenant, supplier: rival }, auction, { bidAmount: 0.7 }),
    ];
    const [{ price }] = await report(client, click(high, visitor()));
    expect(price).toBe(0.7);
    expect(await amountsOf(high)).toEqual([0.7]);
  });

  it("have no effect when their batch is repeated", async () => {
    const shown = await campaign();
    const [anna, ben] = [visitor(), visitor()];
    const batch = [
      impression(shown, anna),
      impression(shown, ben, { id: randomUUID() }),
      click(shown, anna),
      click(shown, ben, { id: randomUUID() }),
      click(shown, ben, { id: randomUUID() }),
      { type: "click" },
    ];
    expect(await outcomes(client, ...batch)).toEqual([
      "accepted",
      "accepted",
      "charged",
      "charged",
      "not_charged already_charged",
      "invalid",
    ]);
    const before = [await statsOf(client, shown), await chargesOf(client, shown)];
    expect(await outcomes(client, ...batch)).toEqual([
      ...Array.from({ length: 5 }, () => "duplicate"),
      "invalid",
    ]);
    expect([await statsOf(client, shown), await chargesOf(client, shown)]).toEqual(before);
  });

  it("are recorded once for an Idempotency-Key", async () => {
    const shown = await campaign();
    const send = () =>
      call("POST", `${PLACEMENT}/events`, {
        as: client,
        body: { events: [click(shown, "of a key")] },
        headers: { "idempotency-key": `click ${shown.id}` },
      });
    const first = await send();
    const again = await send();
    expect(first.body.results[0].status).toBe("charged");
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  it("of the supplier's own members are not charged and do not count", async () => {
    const shown = await campaign();
    const clicks = await shownTo(testTenant.supplier, click(shown, visitor()));
    expect(await outcomes(testTenant.supplier, ...clicks)).toEqual(["not_charged own_supplier"]);
    expect(await outcomes(testTenant.supplier, ...clicks)).toEqual(["duplicate"]);
    // Another member of the same supplier, reported by the shop.
    const colleague = await register({ tenant_id: testTenant.tenantId });
    await supabaseAsService()
      .from("members")
      .update({ role: "supplier", supplier_id: shown.supplier_id })
      .eq("user_id", colleague.id)
      .throwOnError();
    expect(await outcomes(client, click(shown, colleague.id.toUpperCase()))).toEqual([
      "not_charged own_supplier",
    ]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 0, spend: 0 });
  });

  it("of rivals and of the operator's members are not charged either", async () => {
    const shown = await campaign();
    for (const seller of [rival, testTenant.operator]) {
      expect(await outcomes(client, click(shown, seller.id))).toEqual([
        "not_charged not_a_customer",
      ]);
    }
    const clicks = await shownTo(rival, click(shown, visitor()));
    expect(await outcomes(rival, ...clicks)).toEqual(["duplicate"]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 0, spend: 0 });
  });

  it("above the day's budget count but cost nothing, and pause the campaign for the day", async () => {
    const shown = await campaign({ dailyBudget: 1.2 });
    expect(
      await outcomes(client, ...Array.from({ length: 3 }, () => click(shown, visitor()))),
    ).toEqual(["charged", "charged", "not_charged budget"]);
    expect(await campaignOf(testTenant.supplier, shown)).toMatchObject({ status: "exhausted" });
    expect(await outcomes(client, click(shown, visitor()))).toEqual(["not_charged budget"]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 4, spend: 1 });
    await must("PATCH", `${PLACEMENT}/campaigns/${shown.id}`, {
      as: testTenant.supplier,
      body: { dailyBudget: 1.5 },
    }).catch(() => undefined);
    // Only clicks within the new budget are charged.
    await must("PATCH", `${PLACEMENT}/campaigns/${shown.id}`, {
      as: testTenant.operator,
      body: { dailyBudget: 1.7 },
    });
    expect(await outcomes(client, click(shown, visitor()), click(shown, visitor()))).toEqual([
      "charged",
      "not_charged budget",
    ]);
    expect(await amountsOf(shown)).toEqual([0.5, 0.5, 0.5]);
  });

  it("leave the day's fee of a hybrid campaign in its budget", async () => {
    const dear = await openCategory(testTenant, 0.5, { basePrice: 2 });
    const shown = await promote(testTenant, dear, { pricingModel: "hybrid", dailyBudget: 3.2 });
    // Simulates a job that has not run since midnight.
    await query(
      `with fee as (delete from public.placement_charges where campaign_id = $1)
      update public.campaign_statistics set spend = 0 where campaign_id = $1`,
      [shown.id],
    );
    expect(
      await outcomes(client, ...Array.from({ length: 3 }, () => click(shown, visitor()))),
    ).toEqual(["charged", "charged", "not_charged budget"]);
    await runJob("run-campaigns");
    // The job may have charged the fee before.
    expect((await amountsOf(shown)).sort()).toEqual([0.5, 0.5, 2]);
    expect(await totalsOf(shown)).toMatchObject({ spend: 3 });
  });

  it("on a campaign with only a fee are accepted", async () => {
    const dear = await openCategory(testTenant, 0.5, { basePrice: 0.25 });
    const shown = await promote(testTenant, dear, { pricingModel: "fixed" });
    expect(await outcomes(client, click(shown, visitor()))).toEqual(["accepted"]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 1, spend: 0.25, roi: -1 });
    expect((await chargesOf(client, shown)).filter(({ kind }) => kind === "click")).toEqual([]);
  });

  it("are judged by the campaign's status at their time, not when they are reported", async () => {
    const moves: [status: string, runs: boolean][] = [
      ["paused", true],
      ["active", false],
      ["cancelled", true],
    ];
    const shown = await campaign();
    // Events at each stage, from before the first move to after the last one.
    const batch: object[] = [];
    const note = async () => {
      await setTimeout(20);
      const moment = { occurred_at: new Date().toISOString() };
      batch.push(click(shown, visitor(), moment), impression(shown, visitor(), moment));
      await setTimeout(20);
    };
    for (const [status] of moves) {
      await note();
      await must("PATCH", `${PLACEMENT}/campaigns/${shown.id}`, {
        as: testTenant.operator,
        body: { status },
      });
    }
    await note();
    expect(await outcomes(client, ...batch)).toEqual(
      [...moves.map(([, runs]) => runs), false].flatMap((runs) =>
        runs ? ["charged", "accepted"] : ["not_charged not_running", "not_charged not_running"],
      ),
    );
    expect(await totalsOf(shown)).toMatchObject({ impressions: 2, clicks: 2, spend: 1 });
  });

  it("from before a pause never exceed the budget of their day either", async () => {
    const shown = await campaign({ dailyBudget: 1.2 });
    await setTimeout(20);
    const moment = { occurred_at: new Date().toISOString() };
    await setTimeout(20);
    await must("PATCH", `${PLACEMENT}/campaigns/${shown.id}`, {
      as: testTenant.operator,
      body: { status: "paused" },
    });
    const batch = Array.from({ length: 3 }, () => click(shown, visitor(), moment));
    expect(await outcomes(client, ...batch)).toEqual(["charged", "charged", "not_charged budget"]);
    expect(await campaignOf(client, shown)).toMatchObject({ status: "paused" });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 3, spend: 1 });
  });

  it("are not charged while the category is forbidden, and neither are the fees of days that begin then", async () => {
    const parent = await openCategory(testTenant);
    const child = await must("POST", "/api/categories", {
      as: testTenant.operator,
      body: { name: "Below", parent_id: parent.id },
    });
    await must("PUT", `${PLACEMENT}/categories/${child.id}`, {
      as: testTenant.operator,
      body: { minBid: 0.5, basePrice: 2 },
    });
    const shown = await promote(testTenant, child, { pricingModel: "hybrid", dailyBudget: 3 });
    const forbid = (forbidden: boolean) =>
      must("PUT", `${PLACEMENT}/categories/${parent.id}`, {
        as: testTenant.operator,
        body: { forbidden },
      });
    const batch: object[] = [];
    const note = async () => {
      await setTimeout(20);
      const moment = { occurred_at: new Date().toISOString() };
      batch.push(click(shown, visitor(), moment), impression(shown, visitor(), moment));
      await setTimeout(20);
    };
    await note();
    await forbid(true);
    await note();
    expect(await outcomes(client, click(shown, visitor()))).toEqual(["not_charged not_running"]);
    await forbid(false);
    await note();
    expect(await outcomes(client, ...batch)).toEqual([
      "charged",
      "accepted",
      "not_charged not_running",
      "not_charged not_running",
      "charged",
      "accepted",
    ]);
    expect(await totalsOf(shown)).toMatchObject({ impressions: 2, clicks: 2, spend: 3 });

    // Simulates a start three days ago, and a ban from the second evening to the third one.
    await query(
      `update public.campaigns set start_date = start_date - interval '3 days', end_date = end_date - interval '3 days'
      where id = $1`,
      [shown.id],
    );
    await query(
      `update private.forbidden_periods
      set since = date_trunc('day', now()) - interval '30 hours', until = date_trunc('day', now()) - interval '6 hours'
      where category_id = $1`,
      [parent.id],
    );
    await runJob("run-campaigns");
    await runJob("run-campaigns");
    const fees = (await chargesOf(client, shown)).filter(({ kind }) => kind === "fee");
    const told_of = fees.toSorted((a, b) => (a.date < b.date ? -1 : 1));
    // The fee of the first day was charged before the move, so its date is today.
    expect(told_of.map(({ amount }) => amount)).toEqual([2, 0, 2]);
    expect(told_of[1].explanation).toMatchObject({ waived: "forbidden" });
    expect(await totalsOf(shown)).toMatchObject({ spend: 5 });
  });

  it("on a paused campaign are not charged", async () => {
    const shown = await campaign();
    await must("PATCH", `${PLACEMENT}/campaigns/${shown.id}`, {
      as: testTenant.operator,
      body: { status: "paused" },
    });
    expect(await outcomes(client, click(shown, visitor()))).toEqual(["not_charged not_running"]);
    expect(await amountsOf(shown)).toEqual([]);
  });

  it("of customers belong to the caller, whichever visitor they name, and return no price", async () => {
    const shown = await campaign();
    const { customer } = testTenant;
    const [first, second] = await report(
      customer,
      ...(await shownTo(customer, click(shown, visitor()), click(shown, visitor()))),
    );
    expect(first).toEqual({ index: 0, id: expect.any(String), status: "charged" });
    expect(second).toEqual({ index: 1, status: "duplicate" });
    expect(await outcomes(client, click(shown, customer.id))).toEqual(["duplicate"]);
    expect(await amountsOf(shown)).toEqual([0.5]);
  });
});

describe("a customer who clicks", () => {
  /** A separate category, and a campaign in it with a budget for ten clicks. */
  async function openHall() {
    const hall = await openCategory(testTenant);
    const shown = await promote(testTenant, hall, { dailyBudget: 5 });
    return { hall, shown };
  }

  /** The promotion that a list shows to a person. */
  async function promotionFor(as: Person, hall: { id: string }, path = "/api/products?category=") {
    const { products } = await must("GET", path + hall.id, { as });
    return products[0].promotion;
  }

  const from = (address: string) => ({ "x-forwarded-for": address });
  async function sent(as: Person, address: string, ...events: unknown[]): Promise<string[]> {
    const answer = await call("POST", `${PLACEMENT}/events`, {
      as,
      body: { events },
      headers: { "cf-connecting-ip": address, ...from(address) },
    });
    return answer.body.results.map(({ status, reason }: Shown) =>
      `${status} ${reason ?? ""}`.trim(),
    );
  }

  it("needs the token of the shown promotion, and no other", async () => {
    const { hall, shown } = await openHall();
    const other = await openHall();
    const [anna, ben] = await Promise.all([1, 2].map(() => registerOld(testTenant.tenantId)));
    if (!anna || !ben) throw new Error("no visitor is registered");
    const [hers, his, elsewhere] = await Promise.all([
      promotionFor(anna, hall),
      promotionFor(ben, hall),
      promotionFor(anna, other.hall),
    ]);
    const [, issued] = hers.token.split(".");
    const old = (Number.parseInt(issued, 16) - 90_000).toString(16);
    for (const token of [
      undefined,
      "",
      "category.1.00000000000000000000000000000000",
      his.token,
      elsewhere.token,
      hers.token.replace("category", "search"),
      hers.token.replace(issued, old),
      `${hers.token.slice(0, -1)}${hers.token.endsWith("0") ? "1" : "0"}`,
    ]) {
      for (const event of [click(shown, "", { token }), impression(shown, "", { token })]) {
        expect([token, await outcomes(anna, event)]).toEqual([token, ["not_charged no_token"]]);
      }
    }
    const good = { token: hers.token };
    expect(await outcomes(anna, click(shown, "", { ...good, placement: "search" }))).toEqual([
      "not_charged no_token",
    ]);
    expect(await totalsOf(shown)).toMatchObject({ impressions: 0, clicks: 0, spend: 0 });
    const both = [
      impression(shown, "", good),
      click(shown, "", { ...good, placement: "category" }),
    ];
    expect(await outcomes(anna, ...both)).toEqual(["accepted", "charged"]);
    expect(await outcomes(anna, ...both)).toEqual(["duplicate", "duplicate"]);
    // In another hour it is still the same click and impression.
    await query(
      `with seen as (update private.placement_visitors set hour = hour - interval '1 hour' where visitor_id = $1)
      update private.placement_clicks set clicked_at = clicked_at - interval '1 hour' where visitor_id = $1`,
      [anna.id],
    );
    expect(await outcomes(anna, ...both)).toEqual(["duplicate", "duplicate"]);
    expect(await totalsOf(shown)).toMatchObject({ impressions: 1, clicks: 1, spend: 0.5 });
    const again = await shownTo(anna, click(shown, ""));
    expect(
      await outcomes(anna, ...again.map((event) => ({ ...event, token: hers.token }))),
    ).toEqual(["duplicate"]);
  });

  it("gets a token from every list", async () => {
    const { hall, shown } = await openHall();
    const { data: ranked } = await supabaseAs(testTenant.customer)
      .from("ranked_products")
      .select("promotion")
      .eq("category_id", hall.id)
      .throwOnError();
    const [neighbour] = [await promote(testTenant, hall)];
    const as = testTenant.customer;
    const lists: Record<string, Shown[]> = {
      category: (await must("GET", `/api/products?category=${hall.id}`, { as })).products,
      search: (await must("GET", `/api/products?category=${hall.id}&search=saffron`, { as }))
        .products,
      similar: (await must("GET", `/api/products/${neighbour.product.id}/similar`, { as }))
        .products,
      top_sales: (await must("GET", `/api/products/top-sales?category=${hall.id}`, { as }))
        .products,
    };
    for (const [placement, products] of Object.entries(lists)) {
      const mine = products.find(({ promotion }) => promotion?.campaign_id === shown.id);
      expect([placement, mine?.promotion.token.split(".")[0]]).toEqual([placement, placement]);
    }
    expect(ranked[0]?.promotion.token).toMatch(/^category\./);
    const { slots } = await must(
      "GET",
      `${PLACEMENT}/slots?categoryId=${hall.id}&placement=search`,
      { as },
    );
    expect(slots[0].token).toMatch(/^search\./);
  });

  it("cannot use up a budget with new accounts, nor with many from one address", async () => {
    const { hall, shown } = await openHall();
    const fresh = await Promise.all(
      Array.from({ length: 5 }, () => register({ tenant_id: testTenant.tenantId })),
    );
    for (const person of fresh) {
      const { token } = await promotionFor(person, hall);
      expect(await sent(person, "192.0.2.1", click(shown, "", { token }))).toEqual([
        "not_charged new_account",
      ]);
    }
    expect(await totalsOf(shown)).toMatchObject({ clicks: 0, spend: 0 });

    const old = await Promise.all(
      Array.from({ length: 8 }, () => registerOld(testTenant.tenantId)),
    );
    const answers = await Promise.all(
      old.map(async (person) => {
        const { token } = await promotionFor(person, hall);
        return sent(person, "192.0.2.1", click(shown, "", { token }));
      }),
    );
    expect(answers.flat().sort()).toEqual([
      ...Array(5).fill("charged"),
      ...Array(3).fill("not_charged flood"),
    ]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 5, spend: 2.5 });
    // Another address is another visitor. An IPv6 network counts as one address.
    const next = await registerOld(testTenant.tenantId);
    const { token } = await promotionFor(next, hall);
    expect(await sent(next, "192.0.2.2", click(shown, "", { token }))).toEqual(["charged"]);
    const kept = await query(
      "select address from private.placement_addresses where campaign_id = $1",
      [shown.id],
    );
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain("192.0.2");
  });

  it("cannot fake another address with a header", async () => {
    await withSettings({ clicks_per_address_and_hour: 1 }, async () => {
      const { hall, shown } = await openHall();
      const [anna, ben, carl] = await Promise.all(
        [1, 2, 3].map(() => registerOld(testTenant.tenantId)),
      );
      const say = async (person: Person | undefined, address: string) => {
        const as = person as Person;
        const { token } = await promotionFor(as, hall);
        const { data } = await supabaseAs(as)
          .rpc("record_placement_events", { events: [click(shown, "", { token })] })
          .setHeader("x-souk-address", address)
          .setHeader("cf-connecting-ip", "192.0.2.9")
          .throwOnError();
        return data.results[0].status;
      };
      const { data } = await supabaseAs(ben).rpc("record_placement_events", {
        events: [click(shown, "")],
      });
      // Without a known address.
      expect(data.results).toMatchObject([{ reason: "no_token" }]);
      expect(await say(anna, "")).toBe("charged");
      expect(await say(ben, `203.0.113.1 ${Math.floor(Date.now() / 1000)} 00`)).toBe("not_charged");
      const [row] = await query<{ signed: string }>(
        "select public.sign_address($1, $2) as signed",
        [anna?.id, "203.0.113.1"],
      );
      expect(await say(carl, row?.signed as string)).toBe("not_charged");
    });
  });

  it("may have a new account if its email was confirmed", async () => {
    const { hall, shown } = await openHall();
    const anna = await register({ tenant_id: testTenant.tenantId });
    await query("update auth.users set confirmation_sent_at = created_at where id = $1", [anna.id]);
    const { token } = await promotionFor(anna, hall);
    expect(await sent(anna, "192.0.2.77", click(shown, "", { token }))).toEqual(["charged"]);
  });
});

describe("floods", () => {
  it("of one visitor are not charged, and charges of that hour are refunded", async () => {
    await withSettings({ clicks_per_visitor_and_hour: 2 }, async () => {
      const shown = [await campaign({ dailyBudget: 0.5 }), await campaign(), await campaign()];
      const [bot, human] = [visitor(), visitor()];
      expect(await outcomes(client, click(shown[1], human))).toEqual(["charged"]);
      expect(await outcomes(client, click(shown[0], bot), click(shown[1], bot))).toEqual([
        "charged",
        "charged",
      ]);
      expect(await campaignOf(client, shown[0])).toMatchObject({ status: "exhausted" });
      expect(await outcomes(client, click(shown[2], bot))).toEqual(["not_charged flood"]);
      expect(await amountsOf(shown[0])).toEqual([0.5, -0.5]);
      expect(await amountsOf(shown[1])).toEqual([0.5, 0.5, -0.5]);
      expect(await amountsOf(shown[2])).toEqual([]);
      expect(await totalsOf(shown[0])).toMatchObject({ clicks: 0, spend: 0, ctr: null });
      expect(await totalsOf(shown[1])).toMatchObject({ clicks: 1, spend: 0.5 });
      expect(await campaignOf(client, shown[0])).toMatchObject({ status: "active" });
      // Later clicks cause no further refund.
      expect(await outcomes(client, click(shown[2], bot, { id: randomUUID() }))).toEqual([
        "not_charged flood",
      ]);
      expect(await amountsOf(shown[1])).toEqual([0.5, 0.5, -0.5]);
    });
  });

  it("are detected within one batch as well, and with different ids", async () => {
    await withSettings({ clicks_per_visitor_and_hour: 3 }, async () => {
      const shown = await campaign();
      const bot = visitor();
      const clicks = Array.from({ length: 4 }, () => click(shown, bot, { id: randomUUID() }));
      expect(await outcomes(client, ...clicks)).toEqual(
        Array.from({ length: 4 }, () => "not_charged flood"),
      );
      expect(await totalsOf(shown)).toMatchObject({ clicks: 0, spend: 0 });
    });
  });
});

describe("refunds by hand", () => {
  it("refund a visitor's clicks, or clicks by their ids, each once", async () => {
    const shown = await campaign();
    const [bot, human] = [visitor(), visitor()];
    const [, mistake] = await report(client, click(shown, bot), click(shown, human));
    const { operator } = testTenant;
    expect((await refund(operator, shown, { visitor_id: bot, note: "A bot" })).body).toEqual({
      campaign_id: shown.id,
      clicks: 1,
      refunded: 1,
      amount: 0.5,
    });
    expect((await refund(operator, shown, { visitor_id: bot })).body).toMatchObject({
      clicks: 0,
      refunded: 0,
      amount: 0,
    });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 1, spend: 0.5 });
    expect((await refund(operator, shown, { click_ids: [mistake.id] })).body).toMatchObject({
      clicks: 1,
      refunded: 1,
    });
    const charges = await chargesOf(testTenant.supplier, shown);
    expect(charges.at(2)).toMatchObject({
      kind: "refund",
      amount: -0.5,
      explanation: { reason: "invalid", note: "A bot" },
    });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 0, spend: 0 });
    // It remains refunded, because the click is known.
    expect(await outcomes(client, click(shown, bot))).toEqual(["duplicate"]);
  });

  it("include only clicks since a given time", async () => {
    const shown = await campaign();
    const bot = visitor();
    await report(client, click(shown, bot));
    const since = new Date(Date.now() + 3_600_000).toISOString();
    expect(
      (await refund(testTenant.operator, shown, { visitor_id: bot, since })).body,
    ).toMatchObject({
      clicks: 0,
      refunded: 0,
    });
    expect(await amountsOf(shown)).toEqual([0.5]);
  });

  it("include only clicks since a given time by their ids too, and never the money without the click", async () => {
    const shown = await campaign();
    const [early, late] = [randomUUID(), randomUUID()];
    await report(
      client,
      click(shown, visitor(), { id: early }),
      click(shown, visitor(), { id: late }),
    );
    await query(
      "update private.placement_clicks set clicked_at = clicked_at - interval '3 days' where id = $1",
      [early],
    );
    await query("update public.placement_charges set date = date - 3 where click_id = $1", [early]);
    await query(
      `insert into public.campaign_statistics (tenant_id, campaign_id, date, clicks, spend)
      select tenant_id, campaign_id, date - 3, 1, 0.5 from public.campaign_statistics where campaign_id = $1`,
      [shown.id],
    );
    await query(
      `update public.campaign_statistics set clicks = 1, spend = 0.5 where campaign_id = $1 and clicks = 2`,
      [shown.id],
    );
    const click_ids = [early, late];
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    expect(
      (await refund(testTenant.operator, shown, { click_ids, since: ago(-1) })).body,
    ).toMatchObject({ clicks: 0, refunded: 0, amount: 0 });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 2, spend: 1 });
    expect(
      (await refund(testTenant.operator, shown, { click_ids, since: ago(24) })).body,
    ).toMatchObject({ clicks: 1, refunded: 1, amount: 0.5 });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 1, spend: 0.5 });
    // This also applies when only the ledger still has the click.
    await query("delete from private.placement_clicks where id = $1", [early]);
    const answers = [];
    for (let i = 0; i < 2; i += 1)
      answers.push((await refund(testTenant.operator, shown, { click_ids })).body);
    expect(answers).toMatchObject([
      { clicks: 1, refunded: 1, amount: 0.5 },
      { clicks: 0, refunded: 0, amount: 0 },
    ]);
    expect(await statsOf(client, shown)).toMatchObject({
      totals: { clicks: 0, spend: 0 },
      daily: [
        { clicks: 0, spend: 0 },
        { clicks: 0, spend: 0 },
      ],
    });
  });

  it("are allowed to admins, for the campaign's own clicks", async () => {
    const [shown, other] = [await campaign(), await campaign()];
    const [{ id }] = await report(client, click(other, visitor()));
    for (const as of [client, testTenant.supplier, testTenant.customer])
      expectRefusal(await refund(as, shown, { visitor_id: "anybody" }), 403, "FORBIDDEN");
    expectRefusal(await refund(testTenant.operator, shown, { click_ids: [id] }), 404, "NOT_FOUND", {
      field: "click_ids",
      value: id,
    });
    expectRefusal(await refund(testTenant.operator, shown, {}), 422, "VALIDATION_ERROR");
    expectRefusal(
      await refund(testTenant.operator, { id: randomUUID() }, { visitor_id: "anybody" }),
      404,
      "NOT_FOUND",
    );
  });
});

describe("a batch", () => {
  it("reports the error of each invalid event, and accepts the others", async () => {
    const shown = await campaign();
    const yesterday = new Date(Date.now() - 25 * 3_600_000).toISOString();
    const bad: [event: unknown, field: string, code?: string][] = [
      [null, ""],
      ["click", ""],
      [{}, ".type"],
      [{ ...click(shown, visitor()), type: "look" }, ".type"],
      [click(shown, visitor(), { id: "mine" }), ".id"],
      [{ type: "click", visitor_id: "a" }, ".campaign_id"],
      [click({ id: "none" }, visitor()), ".campaign_id", "NOT_FOUND"],
      [click({ id: randomUUID() }, visitor()), ".campaign_id", "NOT_FOUND"],
      [{ type: "click", campaign_id: shown.id }, ".visitor_id"],
      [click(shown, ""), ".visitor_id"],
      [click(shown, "v".repeat(201)), ".visitor_id"],
      [{ ...click(shown, ""), visitor_id: 5 }, ".visitor_id"],
      [click(shown, visitor(), { placement: "cellar" }), ".placement"],
      [click(shown, visitor(), { occurred_at: "today" }), ".occurred_at"],
      [click(shown, visitor(), { occurred_at: "2026-02-31T00:00:00Z" }), ".occurred_at"],
      [click(shown, visitor(), { occurred_at: 5 }), ".occurred_at"],
      // Offsets that do not exist.
      ...["+16:00", "+99:99"].map((offset): [unknown, string] => [
        click(shown, visitor(), {
          occurred_at: `${new Date().toISOString().slice(0, 19)}${offset}`,
        }),
        ".occurred_at",
      ]),
      [click(shown, visitor(), { occurred_at: yesterday }), ".occurred_at"],
      [click(shown, visitor(), { occurred_at: "2126-01-01T00:00:00Z" }), ".occurred_at"],
      [click(shown, visitor(), { price: 0 }), ".price"],
      [{ type: "conversion", visitor_id: "a" }, ".order_id"],
      [{ type: "conversion", visitor_id: "a", order_id: "mine" }, ".order_id", "NOT_FOUND"],
      [{ type: "conversion", visitor_id: "a", order_id: randomUUID() }, ".order_id", "NOT_FOUND"],
    ];
    const results = await report(
      client,
      ...bad.flatMap(([event]) => [event, click(shown, visitor())]),
    );
    expect(results).toHaveLength(2 * bad.length);
    const ofTheFuture = bad.findIndex(([event]) => JSON.stringify(event).includes("2126"));
    expect(results[2 * ofTheFuture].error.message).toContain("must not be in the future");
    for (const [i, [event, field, code = "VALIDATION_ERROR"]] of bad.entries()) {
      expect({ event, result: results[2 * i] }).toEqual({
        event,
        result: {
          index: 2 * i,
          status: "invalid",
          error: {
            code,
            message: expect.any(String),
            details: { field: `events[${2 * i}]${field}`, value: expect.toSatisfy(() => true) },
          },
        },
      });
      expect(results[2 * i + 1]).toMatchObject({ index: 2 * i + 1, status: "charged" });
    }
    expect(await totalsOf(shown)).toMatchObject({ clicks: bad.length });
  });

  it("accepts the others when values or names contain text that Postgres cannot store", async () => {
    const shown = await campaign();
    const bad: unknown[] = [
      click(shown, "a\0b"),
      click(shown, "half \ud800"),
      click(shown, visitor(), { occurred_at: "\udc00" }),
      { ...click(shown, visitor()), "a\0b": 1 },
      { ...click(shown, visitor()), "\ud800": 1 },
      { ...click(shown, visitor()), visitor_id: { of: ["a\0b"] } },
      "\0",
    ];
    const body = {
      events: [...bad.flatMap((event) => [event, click(shown, visitor())]), click(shown, "👍🏽")],
    };
    const send = () =>
      must("POST", `${PLACEMENT}/events`, {
        as: client,
        body,
        headers: { "idempotency-key": `unreadable ${shown.id}` },
      });
    const { results } = await send();
    expect(results).toEqual(
      body.events.map((_, index) =>
        index % 2 || index === 2 * bad.length
          ? { index, id: expect.any(String), status: "charged", price: 0.5 }
          : {
              index,
              status: "invalid",
              error: {
                code: "VALIDATION_ERROR",
                message: expect.stringContaining("null character"),
                details: { field: `events[${index}]`, value: null },
              },
            },
      ),
    );
    expect(await send()).toEqual({ results });
    expect(await totalsOf(shown)).toMatchObject({ clicks: bad.length + 1 });
  });

  it("detects a charged click by its id as long as the ledger exists", async () => {
    const shown = await campaign();
    const id = randomUUID();
    expect(await outcomes(client, click(shown, visitor(), { id }))).toEqual(["charged"]);
    await query("delete from private.placement_clicks where id = $1", [id]);
    const batch = [click(shown, visitor(), { id }), click(shown, visitor())];
    expect(await outcomes(client, ...batch)).toEqual(["duplicate", "charged"]);
    expect(await totalsOf(shown)).toMatchObject({ clicks: 2, spend: 1 });
  });

  it("is a list of at most 1000", async () => {
    const post = (body: unknown) => call("POST", `${PLACEMENT}/events`, { as: client, body });
    for (const body of [
      {},
      { events: {} },
      { events: "all" },
      { events: Array.from({ length: 1001 }, () => ({})) },
    ])
      expectRefusal(await post(body), 422, "VALIDATION_ERROR");
    expect(await must("POST", `${PLACEMENT}/events`, { as: client, body: { events: [] } })).toEqual(
      { results: [] },
    );
    const direct = supabaseAs(client);
    for (const events of [{}, Array.from({ length: 1001 }, () => ({}))]) {
      const { error } = await direct.rpc("record_placement_events", { events });
      expect(error).toMatchObject({ message: "VALIDATION_ERROR" });
    }
  });

  it("of a thousand is recorded in one call", async () => {
    const shown = await campaign();
    const events = Array.from({ length: 1000 }, (_, i) =>
      (i % 2 ? click : impression)(shown, `visitor ${i}`, {
        occurred_at: new Date().toISOString(),
      }),
    );
    expect(new Set(await outcomes(client, ...events))).toEqual(new Set(["accepted", "charged"]));
    expect(await totalsOf(shown)).toMatchObject({ impressions: 500, clicks: 500, spend: 250 });
  });

  it("cannot reach a campaign of another tenant", async () => {
    const shown = await campaign();
    const stranger = await register({ tenant_name: "Elsewhere" });
    const [result] = await report(stranger, click(shown, visitor()));
    expect(result).toMatchObject({ status: "invalid", error: { code: "NOT_FOUND" } });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 0 });
    for (const path of ["stats", "charges"])
      expectRefusal(
        await call("GET", `${PLACEMENT}/campaigns/${shown.id}/${path}`, { as: stranger }),
        404,
        "NOT_FOUND",
      );
    expectRefusal(await refund(stranger, shown, { visitor_id: "a" }), 404, "NOT_FOUND");
  });

  it("is accepted through supabase-js as well, but not from anonymous callers", async () => {
    const shown = await campaign();
    const events = [click(shown, visitor())];
    const { data } = await supabaseAs(client).rpc("record_placement_events", { events });
    expect(data.results).toMatchObject([{ status: "charged", price: 0.5 }]);
    const { error } = await supabaseAs().rpc("record_placement_events", { events });
    expect(error).not.toBeNull();
  });
});

describe("sales", () => {
  it("belong to the customer's last click, and are reduced by cancellations and returns", async () => {
    const { customer, operator } = testTenant;
    const shown = await campaign();
    await report(customer, ...(await shownTo(customer, click(shown, ""))));
    const bought = await placed(customer, shown.product, 3);
    const kept = await placed(customer, shown.product, 1);
    expect(await totalsOf(shown)).toEqual({
      impressions: 0,
      clicks: 1,
      ctr: null,
      spend: 0.5,
      sales_count: 2,
      sales_amount: 50,
      conversion_rate: 2,
      roi: 99,
    });
    expect((await move(customer, kept, "cancelled")).status).toBe(200);
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 1, sales_amount: 37.5 });

    await moved(operator, bought, "delivered");
    const [{ id: item_id }] = bought.items;
    expect((await takeBack(operator, bought, [{ item_id, quantity: 1 }])).status).toBe(201);
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 1, sales_amount: 25 });
    await moved(operator, bought, "returned");
    expect(await totalsOf(shown)).toMatchObject({
      sales_count: 0,
      sales_amount: 0,
      conversion_rate: 0,
      roi: -1,
    });
  });

  it("are reported for visitors that the shop knows, once", async () => {
    const shown = await campaign();
    const anna = visitor();
    await report(client, click(shown, anna));
    const order = await placed(testTenant.customer, shown.product, 2);
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 0 });
    const sale = { type: "conversion", order_id: order.id, visitor_id: anna };
    expect(await report(client, { ...sale, visitor_id: visitor() }, sale, sale)).toEqual([
      { index: 0, status: "accepted", sales: 0 },
      { index: 1, status: "accepted", sales: 1 },
      { index: 2, status: "duplicate", sales: 0 },
    ]);
    expect(await report(client, sale)).toEqual([{ index: 0, status: "duplicate", sales: 0 }]);
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 1, sales_amount: 25 });
    await moved(testTenant.operator, order, "cancelled");
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 0, sales_amount: 0 });
  });

  it("that were cancelled before the report do not count", async () => {
    const shown = await campaign();
    const anna = visitor();
    await report(client, click(shown, anna));
    const order = await placed(testTenant.customer, shown.product);
    await moved(testTenant.operator, order, "cancelled");
    const sale = { type: "conversion", order_id: order.id, visitor_id: anna };
    expect(await outcomes(client, sale)).toEqual(["accepted"]);
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 0, sales_amount: 0 });
  });

  it("belong to no click that is older than 7 days, later than the order, or invalid", async () => {
    const { customer, operator } = testTenant;
    const shown = await campaign();
    const [old, late, bad] = [visitor(), visitor(), visitor()];
    await report(client, click(shown, old), click(shown, bad));
    await query(
      "update private.placement_clicks set clicked_at = now() - interval '8 days' where visitor_id = $1",
      [old],
    );
    await refund(operator, shown, { visitor_id: bad });
    const order = await placed(customer, shown.product);
    await report(client, click(shown, late));
    const sales = [old, late, bad].map((visitor_id) => ({
      type: "conversion",
      order_id: order.id,
      visitor_id,
    }));
    expect(await report(client, ...sales)).toMatchObject([
      { sales: 0 },
      { sales: 0 },
      { sales: 0 },
    ]);
    expect(await totalsOf(shown)).toMatchObject({ sales_count: 0 });
  });

  it("of one product count for the last of two campaigns", async () => {
    const parent = await openCategory(testTenant);
    const child = await must("POST", "/api/categories", {
      as: testTenant.operator,
      body: { name: "Below", parent_id: parent.id },
    });
    await must("PUT", `${PLACEMENT}/categories/${child.id}`, {
      as: testTenant.operator,
      body: { minBid: 0.5 },
    });
    const below = await promote(testTenant, child);
    const above = await must("POST", `${PLACEMENT}/campaigns`, {
      as: testTenant.operator,
      body: {
        productId: below.product.id,
        categoryId: parent.id,
        duration: 7,
        bidAmount: 0.5,
        pricingModel: "cpc",
      },
    });
    const buyer = await registerOld(testTenant.tenantId);
    for (const one of [above, below]) {
      await report(buyer, ...(await shownTo(buyer, click(one, ""))));
    }
    await placed(buyer, below.product);
    expect(await totalsOf(above)).toMatchObject({ clicks: 1, sales_count: 0 });
    expect(await totalsOf(below)).toMatchObject({ clicks: 1, sales_count: 1 });
  });

  describe("of a click that became invalid", () => {
    /** Two campaigns for one product, each clicked by a visitor, and an order that counts for the second. */
    async function sold() {
      const [parent, own] = [await openCategory(testTenant), await campaign()];
      const child = await must("POST", "/api/categories", {
        as: testTenant.operator,
        body: { name: "Below", parent_id: parent.id },
      });
      const second = await promote(testTenant, child);
      const first = await must("POST", `${PLACEMENT}/campaigns`, {
        as: testTenant.operator,
        body: {
          productId: second.product.id,
          categoryId: parent.id,
          duration: 7,
          bidAmount: 0.5,
          pricingModel: "cpc",
        },
      });
      const anna = visitor();
      const [early] = await report(client, click(first, anna));
      const [late] = await report(client, click(second, anna));
      expect([early.status, late.status]).toEqual(["charged", "charged"]);
      const order = await placed(testTenant.customer, second.product, 2);
      const sale = { type: "conversion", order_id: order.id, visitor_id: anna };
      expect(await report(client, sale)).toMatchObject([{ sales: 1 }]);
      const sales = async () => {
        const totals = await Promise.all([totalsOf(first), totalsOf(second)]);
        return totals.map(({ sales_count, sales_amount }) => [sales_count, sales_amount]);
      };
      expect(await sales()).toEqual([
        [0, 0],
        [1, 25],
      ]);
      return { first, second, own, anna, early, late, order, sale, sales };
    }
    const none = [0, 0];

    it("belong to the previous valid click, or to none", async () => {
      const { first, second, anna, late, sale, sales } = await sold();
      await refund(testTenant.operator, second, { click_ids: [late.id] });
      expect(await sales()).toEqual([[1, 25], none]);
      await refund(testTenant.operator, first, { visitor_id: anna });
      expect(await sales()).toEqual([none, none]);
      // A visitor who is reported later as the buyer may have clicked.
      expect(await report(client, sale)).toEqual([{ index: 0, status: "accepted", sales: 0 }]);
      const [left] = await query(
        "select count(*)::integer as sales from private.placement_sales where order_id = $1",
        [sale.order_id],
      );
      expect(left).toEqual({ sales: 0 });
    });

    it("are reduced by cancellations in whichever campaign they belong to", async () => {
      const { second, late, order, sales } = await sold();
      await refund(testTenant.operator, second, { click_ids: [late.id] });
      expect(await sales()).toEqual([[1, 25], none]);
      await moved(testTenant.operator, order, "cancelled");
      expect(await sales()).toEqual([none, none]);
    });

    it("are transferred with the remaining amount after a cancellation or return", async () => {
      const { second, late, order, sales } = await sold();
      await moved(testTenant.operator, order, "delivered");
      const [{ id: item_id }] = order.items;
      await takeBack(testTenant.operator, order, [{ item_id, quantity: 1 }]);
      expect(await sales()).toEqual([none, [1, 12.5]]);
      await refund(testTenant.operator, second, { click_ids: [late.id] });
      expect(await sales()).toEqual([[1, 12.5], none]);
      await moved(testTenant.operator, order, "returned");
      expect(await sales()).toEqual([none, none]);
    });

    it("belong to nobody when the visitor's clicks become a flood", async () => {
      await withSettings({ clicks_per_visitor_and_hour: 2 }, async () => {
        const { own, anna, sales } = await sold();
        expect(await outcomes(client, click(own, anna))).toEqual(["not_charged flood"]);
        expect(await sales()).toEqual([none, none]);
      });
    });

    it("belong to a click of another hour when one hour's clicks become a flood", async () => {
      await withSettings({ clicks_per_visitor_and_hour: 2 }, async () => {
        const { first, own, anna, early, sales } = await sold();
        await query(
          "update private.placement_clicks set clicked_at = clicked_at - interval '2 hours' where id = $1",
          [early.id],
        );
        expect(await outcomes(client, click(own, anna))).toEqual(["not_charged flood"]);
        expect(await sales()).toEqual([[1, 25], none]);
        expect(await totalsOf(first)).toMatchObject({ clicks: 1, spend: 0.5 });
      });
    });
  });

  it("are reported by customers for their own orders, and not by suppliers", async () => {
    const shown = await campaign();
    const order = await placed(testTenant.customer, shown.product);
    const sale = { type: "conversion", order_id: order.id };
    const buyer = await register({ tenant_id: testTenant.tenantId });
    expect(await report(testTenant.customer, sale)).toMatchObject([
      { status: "accepted", sales: 0 },
    ]);
    expect(await report(buyer, sale)).toMatchObject([
      { status: "invalid", error: { code: "NOT_FOUND" } },
    ]);
    expect(await report(testTenant.supplier, sale)).toMatchObject([
      { status: "invalid", error: { code: "FORBIDDEN" } },
    ]);
  });
});

describe("statistics and charges", () => {
  it("are shown for days, including the first and last", async () => {
    const shown = await campaign();
    await report(client, impression(shown, visitor()), click(shown, visitor()));
    const today = new Date().toISOString().slice(0, 10);
    const stats = await statsOf(testTenant.supplier, shown, `?from=${today}&to=${today}`);
    expect(stats).toEqual({
      campaign_id: shown.id,
      currency: "EUR",
      totals: {
        impressions: 1,
        clicks: 1,
        ctr: 1,
        spend: 0.5,
        sales_count: 0,
        sales_amount: 0,
        conversion_rate: 0,
        roi: -1,
      },
      daily: [
        {
          id: expect.any(String),
          campaign_id: shown.id,
          date: today,
          impressions: 1,
          clicks: 1,
          spend: 0.5,
          sales_count: 0,
          sales_amount: 0,
        },
      ],
    });
    expect(await statsOf(client, shown, "?to=2020-01-01")).toMatchObject({
      totals: { impressions: 0, clicks: 0, ctr: null, spend: 0, conversion_rate: null, roi: null },
      daily: [],
    });
    expectRefusal(
      await call("GET", `${PLACEMENT}/campaigns/${shown.id}/stats?from=soon`, { as: client }),
      422,
      "VALIDATION_ERROR",
      { field: "from" },
    );
  });

  it("are listed by page and kind", async () => {
    const shown = await campaign();
    await report(client, ...Array.from({ length: 3 }, () => click(shown, visitor())));
    const list = (filters: string) =>
      must("GET", `${PLACEMENT}/campaigns/${shown.id}/charges?${filters}`, {
        as: testTenant.supplier,
      });
    const first = await list("limit=2");
    const second = await list("limit=2&page=2");
    expect([first.total, first.page, first.limit]).toEqual([3, 1, 2]);
    expect(
      new Set([...first.charges, ...second.charges].map(({ click_id }: Shown) => click_id)).size,
    ).toBe(3);
    expect(await list("kind=refund")).toMatchObject({ charges: [], total: 0 });
    expect(await list("to=2020-01-01")).toMatchObject({ charges: [], total: 0 });
  });

  it("are readable by admins, clients, and the campaign's supplier, and writable by nobody", async () => {
    const shown = await campaign();
    await report(client, click(shown, visitor()));
    const get = (as: Person, what: string) =>
      call("GET", `${PLACEMENT}/campaigns/${shown.id}/${what}`, { as });
    for (const as of [testTenant.operator, client, testTenant.supplier]) {
      expect((await get(as, "stats")).body.totals.clicks).toBe(1);
      expect((await get(as, "charges")).body.total).toBe(1);
    }
    expectRefusal(await get(rival, "stats"), 404, "NOT_FOUND");
    expectRefusal(await get(rival, "charges"), 404, "NOT_FOUND");
    expectRefusal(await get(testTenant.customer, "stats"), 403, "FORBIDDEN");
    expectRefusal(await get(testTenant.customer, "charges"), 404, "NOT_FOUND");
    expectRefusal(await get(client, "../none/stats"), 404, "NOT_FOUND");

    for (const table of ["campaign_statistics", "placement_charges"]) {
      const rows = async (as: Person) => {
        const { data } = await supabaseAs(as).from(table).select().eq("campaign_id", shown.id);
        return data?.length;
      };
      expect(
        await Promise.all([testTenant.operator, client, testTenant.supplier].map(rows)),
      ).toEqual([1, 1, 1]);
      expect(await Promise.all([rival, testTenant.customer].map(rows))).toEqual([0, 0]);
      for (const db of [supabaseAs(testTenant.operator), supabaseAsService()]) {
        const { error } = await db.from(table).delete().eq("campaign_id", shown.id);
        expect(error).toMatchObject({ code: "42501" });
      }
    }
  });

  it("are summed up in a report for admins", async () => {
    const own = await openTestTenant();
    const hall = await openCategory(own, 0.5, { maxSlots: 4 });
    const [one, two] = [await promote(own, hall), await promote(own, hall)];
    await report(
      own.operator,
      ...[1, 2, 3, 4].map((n) => impression(one, `visitor ${n}`)),
      click(one, "visitor 1"),
      click(two, "visitor 2"),
    );
    await makeOld(own.customer);
    await report(own.customer, ...(await shownTo(own.customer, click(one, ""))));
    await placed(own.customer, one.product, 2);
    const path = `${PLACEMENT}/report`;
    const today = new Date().toISOString().slice(0, 10);
    const counted = {
      impressions: 4,
      clicks: 3,
      sales_count: 1,
      sales_amount: 25,
    };
    const sums = { ...counted, ctr: 0.75, spend: 1.5, conversion_rate: 1 / 3, roi: 23.5 / 1.5 };
    expect(await must("GET", path, { as: own.operator })).toEqual({
      from: expect.any(String),
      to: today,
      totals: [
        {
          currency: "EUR",
          revenue: 1.5,
          campaigns: 2,
          cost_per_click: 0.5,
          cost_per_campaign: 0.75,
          ...sums,
        },
      ],
      categories: [
        {
          category_id: hall.id,
          name: "Lamps",
          currency: "EUR",
          revenue: 1.5,
          impressions: 4,
          clicks: 3,
          active_campaigns: 2,
          contenders: 2,
          max_slots: 4,
          competition: 0.5,
        },
      ],
      suppliers: [
        {
          supplier_id: one.supplier_id,
          name: expect.any(String),
          currency: "EUR",
          campaigns: 2,
          ...sums,
        },
      ],
      daily: [{ date: today, currency: "EUR", revenue: 1.5, ...counted }],
    });
    expect(await must("GET", `${path}?to=2020-01-31`, { as: own.operator })).toMatchObject({
      from: "2020-01-02",
      to: "2020-01-31",
      totals: [],
      suppliers: [],
      daily: [],
      categories: [{ active_campaigns: 2, revenue: 0 }],
    });
    for (const as of [own.supplier, own.customer])
      expectRefusal(await call("GET", path, { as }), 403, "FORBIDDEN");
  });
});

describe("temporary records", () => {
  it("are deleted when they are no longer needed", async () => {
    const shown = await campaign();
    const [old, recent] = [visitor(), visitor()];
    await report(
      client,
      ...[old, recent].flatMap((who) => [impression(shown, who), click(shown, who)]),
    );
    const age = [
      "update private.placement_clicks set clicked_at = clicked_at - interval '40 days' where visitor_id = $1",
      "update private.placement_visitors set hour = hour - interval '40 days' where visitor_id = $1",
    ];
    for (const status of ["paused", "active"])
      await must("PATCH", `${PLACEMENT}/campaigns/${shown.id}`, {
        as: testTenant.operator,
        body: { status },
      });
    await query(
      "update private.campaign_statuses set until = until - interval '3 days' where campaign_id = $1 and status = 'active'",
      [shown.id],
    );
    for (const sql of age) await query(sql, [old]);
    await runJob("forget-placement-events");
    const [left] = await query(
      `select
        array(select visitor_id from private.placement_clicks where visitor_id = any ($1)) as clicks,
        array(select visitor_id from private.placement_visitors where visitor_id = any ($1)) as visitors,
        array(select status::text from private.campaign_statuses where campaign_id = $2) as statuses`,
      [[old, recent], shown.id],
    );
    expect(left).toEqual({ clicks: [recent], visitors: [recent], statuses: ["paused"] });
    expect(await totalsOf(shown)).toMatchObject({ clicks: 2, spend: 1 });
  });
});
