import type { CampaignStatus, PricingModel } from "@souk/client";
import type { Tone } from "../components/badge";

export const CAMPAIGN_TONES: Record<CampaignStatus, Tone> = {
  pending_review: "warn",
  scheduled: "info",
  active: "good",
  paused: "neutral",
  exhausted: "warn",
  completed: "neutral",
  rejected: "bad",
  cancelled: "neutral",
};

export const CAMPAIGN_STATUSES = Object.keys(CAMPAIGN_TONES) as CampaignStatus[];

export const PRICING_MODELS = [
  "auction",
  "cpc",
  "fixed",
  "hybrid",
] as const satisfies readonly PricingModel[];

/** The actions of a seller that change a campaign. */
export type CampaignMove = "pause" | "resume" | "end" | "edit";

/** The possible actions in each status. The review of a campaign is not one of them. */
export const MOVES: Record<CampaignStatus, readonly CampaignMove[]> = {
  pending_review: ["edit", "end"],
  scheduled: ["edit", "pause", "end"],
  active: ["edit", "pause", "end"],
  paused: ["edit", "resume", "end"],
  exhausted: ["edit", "pause", "end"],
  completed: [],
  rejected: [],
  cancelled: [],
};
