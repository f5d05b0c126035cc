import { createRoutes } from "../http/routes.ts";
import { auctions } from "./auctions.ts";
import { campaigns } from "./campaigns.ts";
import { placementCategories, placementSettingsRoutes } from "./categories.ts";
import { placementEventRoutes } from "./events.ts";
import { placementReports } from "./reports.ts";
import { statistics } from "./statistics.ts";

/** All routes below /api/v1/top-placement. */
export const placement = createRoutes();

placement.route("/", auctions);
placement.route("/campaigns", campaigns);
placement.route("/campaigns", statistics);
placement.route("/events", placementEventRoutes);
placement.route("/report", placementReports);
placement.route("/categories", placementCategories);
placement.route("/settings", placementSettingsRoutes);
