import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  hostName,
  marketplace,
  marketplaceChanges,
  marketplaceStatus,
  newMarketplace,
} from "./schema.ts";

export const marketplaces = createRoutes();

const shared = { tags: ["Marketplaces"], middleware: authenticate };

const marketplacesPage = pageOf("marketplaces", marketplace);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "marketplaces.list",
    permission: "marketplaces.read",
    summary: "List marketplaces",
    request: {
      query: listQuery(["created_at", "updated_at", "name"]).extend({
        status: marketplaceStatus.optional(),
        category: z.string().max(100).optional(),
        domain: hostName.optional(),
      }),
    },
    responses: answers(200, marketplacesPage, "The marketplaces the caller may see"),
  }),
  async (c) => {
    const { status, category, domain, ...list } = c.req.valid("query");
    let query = c.get("db").from("marketplaces").select("*", { count: "exact" });
    if (status) query = query.eq("status", status);
    if (category) query = query.eq("category", category);
    if (domain) query = query.eq("domain", domain);
    return c.json(await readPage(marketplacesPage, query, list), 200);
  },
);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "marketplaces.create",
    permission: "marketplaces.write",
    once: true,
    summary: "Create a marketplace",
    description: "It starts as a draft; activate it by changing its status.",
    errors: { CONFLICT: "if the domain is taken" },
    request: { body: body(newMarketplace) },
    responses: answers(201, marketplace, "The new marketplace"),
  }),
  async (c) => {
    const made = marketplace.parse(await perform(c, "create_marketplace", c.req.valid("json")));
    return c.json(made, 201, {
      Location: `/functions/v1/marketplaces/${made.id}`,
      ...tagOf(made),
    });
  },
);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "marketplaces.get",
    permission: "marketplaces.read",
    summary: "Get a marketplace",
    request: { params: idParam },
    responses: answers(200, marketplace, "The marketplace"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("marketplaces")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    const found = marketplace.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "marketplaces.update",
    permission: "marketplaces.write",
    summary: "Change a marketplace",
    description: "Fields that are not sent stay as they are, also those of settings.",
    errors: {
      INVALID_TRANSITION: "if the status cannot change this way",
      CONFLICT:
        "if the marketplace has changed since updated_at, the domain is taken or the currency is in use",
    },
    request: { params: idParam, headers: ifMatch, body: body(marketplaceChanges) },
    responses: answers(200, marketplace, "The changed marketplace"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const { data } = await c
      .get("db")
      .rpc("change_marketplace", { marketplace_id: id, changes })
      .throwOnError();
    const changed = marketplace.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);
