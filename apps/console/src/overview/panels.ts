import type { Dashboard, Widget } from "@souk/client";
import type { Period } from "./period";

/** The panels that a dashboard of the console can show. */
export const PANELS = [
  "figures",
  "revenue",
  "orders",
  "top",
  "segments",
  "funnel",
  "cohorts",
] as const;
export type Panel = (typeof PANELS)[number];

export interface PanelProps {
  period: Period;
}

/** The widget of each panel, as the API stores it. The page chooses the period itself. */
const WIDGETS: Record<Panel, Pick<Widget, "type" | "query">> = {
  figures: { type: "metric", query: "/api/analytics/overview?period=30d" },
  revenue: { type: "line", query: "/api/analytics/sales?period=30d&group_by=day" },
  orders: { type: "bar", query: "/api/analytics/sales?period=30d&group_by=day" },
  top: { type: "table", query: "/api/analytics/products/top?period=30d" },
  segments: { type: "table", query: "/api/analytics/customers/segments" },
  funnel: { type: "funnel", query: "/api/analytics/funnel?period=30d" },
  cohorts: { type: "cohort", query: "/api/analytics/cohorts?type=retention" },
};

const pathOf = (query: string) => query.split("?")[0];

/** The panels of a dashboard, in its order. Widgets without a panel are omitted. */
export function panelsOf(dashboard: Dashboard | undefined): readonly Panel[] {
  if (!dashboard) return PANELS;
  const panels = dashboard.widgets.map(
    ({ type, query }) =>
      PANELS.find(
        (panel) => WIDGETS[panel].type === type && pathOf(WIDGETS[panel].query) === pathOf(query),
      ) ?? PANELS.find((panel) => pathOf(WIDGETS[panel].query) === pathOf(query)),
  );
  const known = new Set(panels.filter((panel) => panel !== undefined));
  return known.size > 0 ? [...known] : PANELS;
}

export const widgetOf = (panel: Panel, title: string): Widget => ({ ...WIDGETS[panel], title });
