export const PERIODS = ["today", "7d", "30d", "90d", "1y"] as const;
export type Period = (typeof PERIODS)[number];

/** How long a step of a plot is. */
export const STEP_OF = {
  today: "hour",
  "7d": "day",
  "30d": "day",
  "90d": "week",
  "1y": "month",
} as const;
