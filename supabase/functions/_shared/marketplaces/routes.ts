import { createRoute, z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { listQuery, pageFields, readPage } from "../http/page.ts";
import { marketplace, marketplaceChanges, marketplaceStatus, newMarketplace } from "./schema.ts";

export const marketplaces = createRoutes();

const shared = { tags: ["Marketplaces"], middleware: authenticate };

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    summary: "List marketplaces",
    request: {
      query: listQuery(["created_at", "updated_at", "name"]).extend({
        status: marketplaceStatus.optional(),
      }),
    },
    responses: answers(
      200,
      z.object({ marketplaces: z.array(marketplace), ...pageFields }),
      "The marketplaces the caller may see",
    ),
  }),
  async (c) => {
    const { status, ...list } = c.req.valid("query");
    const all = c.get("db").from("marketplaces").select("*", { count: "exact" });
    const { rows, ...page } = await readPage(status ? all.eq("status", status) : all, list);
    return c.json({ marketplaces: z.array(marketplace).parse(rows), ...page }, 200);
  },
);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    summary: "Create a marketplace",
    description: "For admins. It starts as a draft; activate it by changing its status.",
    request: { body: body(newMarketplace) },
    responses: answers(201, marketplace, "The new marketplace"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("marketplaces")
      .insert(c.req.valid("json"))
      .select()
      .single()
      .throwOnError();
    return c.json(marketplace.parse(data), 201, {
      Location: `/functions/v1/marketplaces/${data.id}`,
    });
  },
);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
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
    return c.json(marketplace.parse(data), 200);
  },
);

marketplaces.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    summary: "Change a marketplace",
    description:
      "For admins. Fields that are not sent stay as they are. Errors: INVALID_TRANSITION, when the status cannot go there.",
    request: { params: idParam, body: body(marketplaceChanges) },
    responses: answers(200, marketplace, "The changed marketplace"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("marketplaces")
      .update(c.req.valid("json"))
      .eq("id", id)
      .select()
      .single()
      .throwOnError();
    return c.json(marketplace.parse(data), 200);
  },
);
