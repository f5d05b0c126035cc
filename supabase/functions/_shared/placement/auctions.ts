import { z } from "@hono/zod-openapi";
import { answers, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callList, pageFields } from "../http/page.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
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

/** Below /top-placement: who is shown first, and why. */
export const auctions = createRoutes();

const shared = { tags: ["Placement"], middleware: authenticate };

auctions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/slots",
    operationId: "placement.slots",
    roles: "everyone",
    summary: "Look at the first places of a category",
    description:
      "As they would be now. Everybody sees who has them; bids and prices are for admins, clients, and the supplier whose campaign it is. Errors: NOT_FOUND, VALIDATION_ERROR.",
    request: { query: slotQuery },
    responses: answers(200, slots, "The places that are taken, the first one first"),
  }),
  async (c) => {
    const { categoryId: category_id, ...wish } = c.req.valid("query");
    const answer = c
      .get("db")
      .rpc("list_placement_slots", { category_id, ...wish })
      .throwOnError();
    const { data } = await blamedAsSent(answer);
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
    roles: readsAll,
    summary: "List auctions",
    description:
      "For admins and clients: those of the last day that were kept, which are a share of all. Errors: FORBIDDEN for suppliers and customers.",
    request: { query: auctionQuery },
    responses: answers(200, listed, "A page of auctions"),
  }),
  async (c) => {
    const wish = c.req.valid("query");
    return c.json(await callList(c, listed, "list_auctions", wish), 200);
  },
);

auctions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/auctions/{id}",
    operationId: "auctions.get",
    roles: readsAll,
    summary: "Explain an auction",
    description:
      "For admins and clients: every campaign that stood in it, its position and price, or the reason why it took no place. Errors: NOT_FOUND; FORBIDDEN for suppliers and customers.",
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
    roles: [...readsAll, "supplier"],
    summary: "See what share of its auctions a campaign won",
    description:
      "And what it lost the others to; of the share of all auctions that is kept, up to the last five minutes. Nothing tells of other campaigns. Errors: NOT_FOUND.",
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
