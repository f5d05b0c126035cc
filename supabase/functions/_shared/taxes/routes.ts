import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { newTaxRate, taxRate, taxRateChanges, taxRateQuery } from "./schema.ts";

/** Routes below /tax-rates: the rates of tax by country, region and category. */
export const taxRates = createRoutes();

const shared = { tags: ["Taxes"], middleware: authenticate };

const taxRatesPage = pageOf("tax_rates", taxRate);

taxRates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "taxRates.list",
    permission: "tax_rates.read",
    summary: "List tax rates",
    request: { query: taxRateQuery },
    responses: answers(200, taxRatesPage, "The tenant's rates"),
  }),
  async (c) => {
    const { country, category_id, ...list } = c.req.valid("query");
    let wanted = c.get("db").from("tax_rates").select("*", { count: "exact" });
    if (country) wanted = wanted.eq("country", country);
    if (category_id) wanted = wanted.eq("category_id", category_id);
    return c.json(await readPage(taxRatesPage, wanted, list), 200);
  },
);

taxRates.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "taxRates.create",
    permission: "tax_rates.write",
    once: true,
    summary: "Create a tax rate",
    description:
      "The most specific rate applies in place of the others: that of the region before that of its country, then that of the nearest category.",
    errors: {
      CONFLICT: "if another rate of the country, region and category is valid on one of its days",
      LIMIT_REACHED: "after 1000 rates of a tenant",
    },
    request: { body: body(newTaxRate) },
    responses: answers(201, taxRate, "The new rate"),
  }),
  async (c) => {
    const made = taxRate.parse(await perform(c, "create_tax_rate", c.req.valid("json")));
    return c.json(made, 201, {
      Location: `/functions/v1/api/tax-rates/${made.id}`,
      ...tagOf(made),
    });
  },
);

taxRates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "taxRates.get",
    permission: "tax_rates.read",
    summary: "Get a tax rate",
    request: { params: idParam },
    responses: answers(200, taxRate, "The rate"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const rate = c.get("db").from("tax_rates").select().eq("id", id);
    const { data } = await rate.single().throwOnError();
    const found = taxRate.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

taxRates.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "taxRates.update",
    permission: "tax_rates.write",
    summary: "Change a tax rate",
    description:
      "Fields that are not sent stay as they are. null removes the region, the category or a bound.",
    errors: {
      CONFLICT:
        "if the rate has changed since updated_at, or another rate of the country, region and category is valid on one of its days",
    },
    request: { params: idParam, headers: ifMatch, body: body(taxRateChanges) },
    responses: answers(200, taxRate, "The changed rate"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const { data } = await c
      .get("db")
      .rpc("update_tax_rate", { tax_rate_id: id, changes })
      .throwOnError();
    const changed = taxRate.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);

taxRates.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "taxRates.remove",
    permission: "tax_rates.write",
    summary: "Delete a tax rate",
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const rate = c.get("db").from("tax_rates").delete().eq("id", id);
    await rate.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
