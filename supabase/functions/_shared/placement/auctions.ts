import { z } from "@hono/zod-openapi";
import { answers, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage, pageFields } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  auction,
  auctionDetails,
  auctionQuery,
  auctionShare,
  shareQuery,
  slotQuery,
  slots,
} from "./auction_schema.ts";
import { blamedAsSent } from "./camel_case.ts";

/** Routes below /top-placement: the promoted slots, and the auctions behind them. */
export const auctions = createRoutes();

const shared = { tags: ["Placement"], middleware: authenticate };

auctions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/slots",
    operationId: "placement.slots",
    permission: "everyone",
    summary: "List the promoted slots of a category",
    description:
      "The slots as an auction would fill them now. All members see the campaigns; bids and prices are for admins, clients and the campaign's supplier.",
    errors: { NOT_FOUND: true },
    request: { query: slotQuery },
    responses: answers(200, slots, "The filled slots, in their order"),
  }),
  async (c) => {
    const { categoryId: category_id, ...input } = c.req.valid("query");
    const asked = c
      .get("db")
      .rpc("list_placement_slots", { category_id, ...input })
      .throwOnError();
    const { data } = await blamedAsSent(asked);
    return c.json(slots.parse(data), 200);
  },
);

const listed = z.object({ auctions: z.array(auction), ...pageFields });

auctions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/auctions",
    operationId: "auctions.list",
    permission: "auctions.read",
    summary: "List auctions",
    description: "The recorded auctions of the last day, a sample of all auctions.",
    request: { query: auctionQuery },
    responses: answers(200, listed, "A page of auctions"),
  }),
  async (c) => {
    const input = c.req.valid("query");
    return c.json(await callPage(listed, c.get("db").rpc("list_auctions", input), input), 200);
  },
);

auctions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/auctions/{id}",
    operationId: "auctions.get",
    permission: "auctions.read",
    summary: "Explain an auction",
    description:
      "Every campaign that took part, with its position and price, or the reason why it won no slot.",
    request: { params: idParam },
    responses: answers(200, auctionDetails, "The auction"),
  }),
  async (c) => {
    const { id: auction_id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("get_auction", { auction_id }).throwOnError();
    return c.json(auctionDetails.parse(data), 200);
  },
);

auctions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/campaigns/{id}/auctions",
    operationId: "campaigns.auctions",
    permission: "campaigns.read",
    summary: "Get the share of auctions that a campaign won",
    description:
      "Also the reasons for the auctions that it lost. Only recorded auctions count, up to five minutes ago. Other campaigns are not revealed.",
    request: { params: idParam, query: shareQuery },
    responses: answers(200, auctionShare, "The sums and each day's counts"),
  }),
  async (c) => {
    const { id: campaign_id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_campaign_auctions", { campaign_id, ...c.req.valid("query") })
      .throwOnError();
    return c.json(auctionShare.parse(data), 200);
  },
);
