import { z } from "@hono/zod-openapi";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { commissionRate, newCommissionRate } from "./schema.ts";

export const commissionRates = createRoutes();

const shared = { tags: ["Orders"], middleware: authenticate };

const commissionRatesPage = pageOf("commission_rates", commissionRate);

commissionRates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "commissionRates.list",
    permission: "commission_rates.read",
    summary: "List rates of commission",
    request: {
      query: listQuery(["created_at"]).extend({
        supplier_id: z.guid().optional(),
        category_id: z.guid().optional(),
      }),
    },
    responses: answers(
      200,
      commissionRatesPage,
      "The rates of suppliers and of categories; a supplier sees its own and those of categories",
    ),
  }),
  async (c) => {
    const { supplier_id, category_id, ...list } = c.req.valid("query");
    let wanted = c.get("db").from("commission_rates").select("*", { count: "exact" });
    if (supplier_id) wanted = wanted.eq("supplier_id", supplier_id);
    if (category_id) wanted = wanted.eq("category_id", category_id);
    return c.json(await readPage(commissionRatesPage, wanted, list), 200);
  },
);

commissionRates.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/",
    operationId: "commissionRates.set",
    permission: "commission_rates.write",
    summary: "Set the rate of a supplier, or of a category",
    description:
      "Applies to future orders. The rate of an item is the supplier's, else the one of its category or the nearest category above it, else the marketplace's.",
    request: { body: body(newCommissionRate) },
    responses: answers(200, commissionRate, "The rate"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("set_commission_rate", c.req.valid("json"))
      .throwOnError();
    return c.json(commissionRate.parse(data), 200);
  },
);

commissionRates.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "commissionRates.remove",
    permission: "commission_rates.write",
    summary: "Remove a rate of commission",
    request: { params: idParam },
    responses: noContent("It is removed"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const rate = c.get("db").from("commission_rates").delete().eq("id", id);
    await rate.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
