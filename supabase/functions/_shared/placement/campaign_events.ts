import type { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { campaign } from "./schema.ts";

type Campaign = z.infer<typeof campaign>;

/** A week's campaign of the product, in a status. */
function promoted(status: Campaign["status"], note: string | null = null): { campaign: Campaign } {
  return {
    campaign: {
      id: sample.id("8"),
      tenant_id: sample.tenant_id,
      supplier_id: sample.supplier_id,
      marketplace_id: sample.marketplace_id,
      product_id: sample.product_id,
      category_id: sample.id("9"),
      pricing_model: "cpc",
      start_date: sample.PLACED,
      end_date: "2026-01-08T12:00:00.000000+00:00",
      daily_budget: 10,
      bid_amount: 0.5,
      max_bid: null,
      fee: 0,
      regions: null,
      labels: ["Promoted"],
      highlighted: false,
      pinned: false,
      status,
      note,
      created_at: sample.PLACED,
      updated_at: sample.MOVED,
    },
  };
}

const aCampaign = { campaign };

/** What happens to campaigns. */
export const campaignEvents = {
  ...defineEvent("campaign.approved", {
    description: "A campaign may run: an admin approved it, or it was made and needs no review.",
    carried: aCampaign,
    sample: promoted("active"),
  }),
  ...defineEvent("campaign.rejected", {
    description: "An admin rejected a campaign.",
    carried: aCampaign,
    sample: promoted("rejected", "Show the pot itself, please."),
  }),
  ...defineEvent("campaign.exhausted", {
    description: "A campaign has used up its budget of the day, each time it does.",
    carried: aCampaign,
    sample: promoted("exhausted"),
  }),
};
