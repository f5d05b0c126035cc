import { createRoutes } from "../http/routes.ts";
import { customerRoutes } from "./customers.ts";
import { dashboards } from "./dashboards.ts";
import { definitionRoutes } from "./definitions.ts";
import { storefrontEventRoutes } from "./events.ts";
import { funnelRoutes } from "./funnel.ts";
import { salesRoutes } from "./sales.ts";

/** All routes below /api/analytics. */
export const analytics = createRoutes();

analytics.route("/events", storefrontEventRoutes);
analytics.route("/funnel", funnelRoutes);
analytics.route("/", salesRoutes);
analytics.route("/", customerRoutes);
analytics.route("/dashboards", dashboards);
analytics.route("/definitions", definitionRoutes);
