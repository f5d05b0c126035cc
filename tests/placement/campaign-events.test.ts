import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { type Bazaar, listProduct, must, openBazaar, type Person, register } from "../souk.js";
import { arrived, listen } from "../webhooks/receiving.js";
import {
  campaignOf,
  click,
  openCategory,
  PLACEMENT,
  promote,
  report,
  runCampaigns,
  type Shown,
} from "./promoting.js";

// What events tell of campaigns: that one was approved, rejected, or has used up its budget.

const NAMES = ["campaign.approved", "campaign.rejected", "campaign.exhausted"];
const CAMPAIGNS = `${PLACEMENT}/campaigns`;

let bazaar: Bazaar;
let category: { id: string };

beforeAll(async () => {
  bazaar = await openBazaar();
  category = await openCategory(bazaar);
});

/** What was told of a campaign, in its sequence. */
async function toldOf({ id }: { id: string }): Promise<Shown[]> {
  const rows = await query<{ payload: Shown }>(
    `select payload from public.events
     where tenant_id = $1 and payload #>> '{data,campaign,id}' = $2 order by created_at`,
    [bazaar.tenantId, id],
  );
  return rows.map(({ payload }) => payload);
}

const namesOf = async (campaign: { id: string }) =>
  (await toldOf(campaign)).map(({ event }) => event);

/** A campaign as a supplier asks for it. */
async function asked(as: Person, wish: object = {}): Promise<Shown> {
  const { id } = await listProduct(as, { category_id: category.id });
  return must("POST", CAMPAIGNS, {
    as,
    body: {
      productId: id,
      categoryId: category.id,
      duration: 7,
      bidAmount: 0.5,
      pricingModel: "cpc",
      ...wish,
    },
  });
}

const review = (campaign: { id: string }, how: string, body = {}) =>
  must("POST", `${CAMPAIGNS}/${campaign.id}/${how}`, { as: bazaar.operator, body });

const change = (campaign: { id: string }, body: object) =>
  must("PATCH", `${CAMPAIGNS}/${campaign.id}`, { as: bazaar.operator, body });

describe("the events of a campaign", () => {
  it("tell how its review ended, with its record, to a webhook that is registered for them", async () => {
    const there = await listen(bazaar.operator, NAMES);
    const [good, bad, withdrawn] = await Promise.all([1, 2, 3].map(() => asked(bazaar.supplier)));
    expect(await namesOf(good)).toEqual([]);
    const approved = await review(good, "approve");
    const rejected = await review(bad, "reject", { note: "Show the pot itself." });
    await change(withdrawn, { status: "cancelled" });
    expect(await toldOf(good)).toMatchObject([
      { event: "campaign.approved", data: { campaign: approved } },
    ]);
    expect(await toldOf(bad)).toMatchObject([
      { event: "campaign.rejected", data: { campaign: rejected } },
    ]);
    expect(rejected).toMatchObject({ status: "rejected", note: "Show the pot itself." });
    expect(await namesOf(withdrawn)).toEqual([]);
    const bodies = (await arrived(there, 2)).map(({ body }) => body);
    expect(new Set(bodies.map(({ event }) => event))).toEqual(new Set(NAMES.slice(0, 2)));
    for (const body of bodies) {
      expect([approved, rejected]).toContainEqual(body.data.campaign);
    }
  });

  it("tell at once of one that needs no review, also of one that starts later", async () => {
    const trusted = await register({ tenant_id: bazaar.tenantId, role: "supplier" });
    const { supplier_id } = await must("GET", "/auth/me", { as: trusted });
    await must("PATCH", `/api/suppliers/${supplier_id}`, {
      as: bazaar.operator,
      body: { verified: true },
    });
    const startDate = new Date(Date.now() + 86_400_000).toISOString();
    for (const [as, wish, status] of [
      [trusted, {}, "active"],
      [trusted, { startDate }, "scheduled"],
      [bazaar.operator, {}, "active"],
    ] as const) {
      const made = await asked(as, wish);
      expect(made.status).toBe(status);
      expect(await toldOf(made)).toMatchObject([
        { event: "campaign.approved", data: { campaign: made } },
      ]);
    }
  });

  it("tell of one that was approved when its time was over, and of nothing that follows a review", async () => {
    const waiting = await asked(bazaar.supplier);
    await query(
      `update public.campaigns set start_date = start_date - interval '8 days', end_date = end_date - interval '8 days'
       where id = $1`,
      [waiting.id],
    );
    const approved = await review(waiting, "approve");
    expect(approved.status).toBe("completed");
    expect(await toldOf(waiting)).toMatchObject([
      { event: "campaign.approved", data: { campaign: approved } },
    ]);

    const running = await promote(bazaar, category);
    for (const status of ["paused", "active", "cancelled"]) await change(running, { status });
    await change(await promote(bazaar, category), { bidAmount: 0.75 });
    expect(await namesOf(running)).toEqual(["campaign.approved"]);
  });

  it("tell of a budget that is used up each time it is", async () => {
    const there = await listen(bazaar.operator, NAMES, { filter: { statuses: ["exhausted"] } });
    const campaign = await promote(bazaar, category, { dailyBudget: 0.5 });
    await report(bazaar.operator, click(campaign, "visitor-1"));
    const exhausted = await campaignOf(bazaar.operator, campaign);
    expect(exhausted.status).toBe("exhausted");
    expect((await toldOf(campaign)).at(-1)).toMatchObject({
      event: "campaign.exhausted",
      data: { campaign: exhausted },
    });
    // Looked at again by the clock it is no news.
    await runCampaigns();
    await change(campaign, { dailyBudget: 1 });
    await report(bazaar.operator, click(campaign, "visitor-2"));
    expect(await namesOf(campaign)).toEqual([
      "campaign.approved",
      "campaign.exhausted",
      "campaign.exhausted",
    ]);
    const bodies = (await arrived(there, 2)).map(({ body }) => body);
    expect(bodies.map(({ data }) => data.campaign.id)).toEqual([campaign.id, campaign.id]);
  });

  it("tell of many that one statement moves, of each once", async () => {
    const campaigns = await Promise.all(
      [1, 2, 3].map(() => promote(bazaar, category, { dailyBudget: 0.5 })),
    );
    const ids = campaigns.map(({ id }) => id);
    await query("update public.campaigns set status = 'exhausted' where id = any ($1)", [ids]);
    for (const campaign of campaigns) {
      expect(await namesOf(campaign)).toEqual(["campaign.approved", "campaign.exhausted"]);
    }
    // They are written together, a microsecond apart.
    const [span] = await query<{ microseconds: string }>(
      `select extract(epoch from max(created_at) - min(created_at)) * 1e6 as microseconds from public.events
       where tenant_id = $1 and name = 'campaign.exhausted' and payload #>> '{data,campaign,id}' = any ($2)`,
      [bazaar.tenantId, ids],
    );
    expect(Number(span?.microseconds)).toBe(2);
  });
});
