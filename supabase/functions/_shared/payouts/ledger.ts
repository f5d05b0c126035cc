import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callList, listQuery, pageFields } from "../http/page.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import { period } from "../orders/schema.ts";
import { ledgerKind, ledgerLine, ledgerTotal } from "./schema.ts";

export const ledger = createRoutes();

const listed = z.object({
  lines: z.array(ledgerLine),
  totals: z.array(ledgerTotal).openapi({
    description:
      "The sums over the whole result, in each currency: of all lines of a supplier what it is owed.",
  }),
  ...pageFields,
});

ledger.openapi(
  createRoute({
    tags: ["Payouts"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "ledger.list",
    roles: [...readsAll, "supplier"],
    summary: "List what suppliers are owed, line by line",
    request: {
      query: listQuery(["created_at"]).extend({
        supplier_id: z.guid().optional(),
        order_id: z.guid().optional(),
        kind: ledgerKind.optional(),
        currency: z.string().max(3).optional(),
        ...period,
      }),
    },
    responses: answers(200, listed, "All for admins and clients, a supplier's own"),
  }),
  async (c) => {
    const { sort: _, ...wish } = c.req.valid("query");
    return c.json(await callList(c, listed, "list_ledger", wish), 200);
  },
);
