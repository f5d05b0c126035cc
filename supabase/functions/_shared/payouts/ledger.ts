import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage, pageFields } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { adjustment, ledgerBalance, ledgerLine, ledgerQuery, newAdjustment } from "./schema.ts";

/** Routes below /ledger: what the operator owes each supplier, line by line. */
export const ledger = createRoutes();

/** Routes below /suppliers: adjustments of the ledger. */
export const adjustments = createRoutes();

const shared = { tags: ["Payouts"], middleware: authenticate };

const listed = z.object({
  lines: z.array(ledgerLine),
  balances: z.array(ledgerBalance).openapi({
    description:
      "What each supplier is owed now, in each currency. Of the filters, only supplier_id and currency apply to them.",
  }),
  ...pageFields,
});

ledger.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "ledger.list",
    permission: "ledger.read",
    summary: "List the ledger of suppliers",
    request: { query: ledgerQuery },
    responses: answers(
      200,
      listed,
      "The lines the caller may see: all for admins and clients, a supplier's own, none for customers",
    ),
  }),
  async (c) => {
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(await callPage(listed, c.get("db").rpc("list_ledger", query), query), 200);
  },
);

adjustments.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/adjustments",
    operationId: "adjustments.create",
    permission: "adjustments.write",
    once: true,
    summary: "Adjust what a supplier is owed",
    description: "Writes a line that is due at once. It stays; another adjustment takes it back.",
    errors: { NOT_FOUND: "also for an unknown order" },
    request: { params: idParam, body: body(newAdjustment) },
    responses: answers(201, adjustment, "The new adjustment"),
  }),
  async (c) => {
    const { id: supplier_id } = c.req.valid("param");
    const args = { supplier_id, ...c.req.valid("json") };
    const made = adjustment.parse(await perform(c, "create_adjustment", args));
    return c.json(made, 201, {
      Location: `/functions/v1/api/ledger?supplier_id=${supplier_id}&kind=adjustment`,
    });
  },
);
