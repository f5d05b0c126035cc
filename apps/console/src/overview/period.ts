export const PERIODS = [
  "today",
  "7d",
  "30d",
  "90d",
  "1y",
  "last_week",
  "last_month",
  "last_quarter",
] as const;
export type Period = (typeof PERIODS)[number];

/** The length of a step in a plot, by period. */
export const STEP_OF = {
  today: "hour",
  "7d": "day",
  "30d": "day",
  "90d": "week",
  "1y": "month",
  last_week: "day",
  last_month: "day",
  last_quarter: "week",
} as const;
