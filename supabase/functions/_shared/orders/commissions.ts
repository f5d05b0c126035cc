import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage, listQuery, pageFields } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { period, since, until } from "../values/times.ts";
import { commission, commissionTotal } from "./schema.ts";
import { orderStatus, paymentStatus } from "./statuses.ts";

export const commissions = createRoutes();

const listed = z.object({
  commissions: z.array(commission),
  totals: z
    .array(commissionTotal)
    .openapi({ description: "The sums over the whole result, in each currency." }),
  ...pageFields,
});

commissions.openapi(
  createRoute({
    tags: ["Orders"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "commissions.list",
    permission: "commissions.read",
    summary: "List commissions and payouts",
    request: {
      query: listQuery(["created_at"]).extend({
        supplier_id: z.guid().optional(),
        marketplace_id: z.guid().optional(),
        status: orderStatus
          .optional()
          .openapi({ description: "The status of the supplier's part." }),
        part_status: orderStatus.optional().openapi({
          description: "The same as status, by the name that it has in the list of orders.",
        }),
        payment_status: paymentStatus.optional(),
        ...period,
        due_from: since.optional(),
        due_to: until.optional(),
      }),
    },
    responses: answers(
      200,
      listed,
      "The lines the caller may see: all for admins and clients, a supplier's own, none for customers",
    ),
  }),
  async (c) => {
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(await callPage(listed, c.get("db").rpc("list_commissions", query), query), 200);
  },
);
