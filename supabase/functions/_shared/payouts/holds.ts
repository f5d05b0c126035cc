import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { newPayoutHold, payoutHold, payoutHoldQuery } from "./schema.ts";

/** Routes below /payout-holds: what payouts leave out although it is due. */
export const payoutHolds = createRoutes();

const shared = { tags: ["Payouts"], middleware: authenticate };

const holdsPage = pageOf("payout_holds", payoutHold);

payoutHolds.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "payoutHolds.list",
    permission: "payout_holds.read",
    summary: "List holds of payouts",
    request: { query: payoutHoldQuery },
    responses: answers(
      200,
      holdsPage,
      "All holds for admins and clients, a supplier's own; none for customers",
    ),
  }),
  async (c) => {
    const { supplier_id, order_id, ...list } = c.req.valid("query");
    let wanted = c.get("db").from("payout_holds").select("*", { count: "exact" });
    if (supplier_id) wanted = wanted.eq("supplier_id", supplier_id);
    if (order_id) wanted = wanted.eq("order_id", order_id);
    return c.json(await readPage(holdsPage, wanted, list), 200);
  },
);

payoutHolds.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "payoutHolds.create",
    permission: "payout_holds.write",
    once: true,
    summary: "Hold the payouts of a supplier",
    description: "Payouts leave out what is held until the hold is removed. Made payouts stay.",
    errors: {
      CONFLICT: "if there is one of this supplier and order",
      NOT_FOUND: "for an unknown supplier or order",
      LIMIT_REACHED: "after 10,000 holds of a tenant",
    },
    request: { body: body(newPayoutHold) },
    responses: answers(201, payoutHold, "The new hold"),
  }),
  async (c) => {
    const made = payoutHold.parse(await perform(c, "create_payout_hold", c.req.valid("json")));
    return c.json(made, 201, {
      Location: `/functions/v1/api/payout-holds?supplier_id=${made.supplier_id}`,
    });
  },
);

payoutHolds.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "payoutHolds.remove",
    permission: "payout_holds.write",
    summary: "Remove a hold",
    request: { params: idParam },
    responses: noContent("It is removed"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const hold = c.get("db").from("payout_holds").delete().eq("id", id);
    await hold.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
