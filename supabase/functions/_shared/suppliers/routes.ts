import { z } from "@hono/zod-openapi";
import { answers, body, flag, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { newSupplier, supplier, supplierChanges, supplierParam } from "./schema.ts";

export const suppliers = createRoutes();

const shared = { tags: ["Suppliers"], middleware: authenticate };

const isId = (word: string): boolean => z.guid().safeParse(word).success;

const suppliersPage = pageOf("suppliers", supplier);

suppliers.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "suppliers.list",
    visitors: true,
    permission: "everyone",
    summary: "List suppliers",
    request: {
      query: listQuery(["created_at", "name"]).extend({
        verified: flag.optional(),
      }),
    },
    responses: answers(
      200,
      suppliersPage,
      "The organisations that sell on the tenant's marketplaces",
    ),
  }),
  async (c) => {
    const { verified, ...list } = c.req.valid("query");
    const all = c.get("db").from("suppliers").select("*", { count: "exact" });
    const wanted = verified === undefined ? all : all.eq("verified", verified);
    return c.json(await readPage(suppliersPage, wanted, list), 200);
  },
);

suppliers.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "suppliers.create",
    permission: "suppliers.create",
    once: true,
    summary: "Create a supplier",
    description: "Members join it by an invitation or a change of their role.",
    request: { body: body(newSupplier) },
    responses: answers(201, supplier, "The new supplier"),
  }),
  async (c) => {
    const made = supplier.parse(await perform(c, "create_supplier", c.req.valid("json")));
    return c.json(made, 201, {
      Location: `/functions/v1/api/suppliers/${made.id}`,
      ...tagOf(made),
    });
  },
);

suppliers.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "suppliers.get",
    visitors: true,
    permission: "everyone",
    summary: "Get a supplier",
    description: "By its id or its slug.",
    request: { params: supplierParam },
    responses: answers(200, supplier, "The supplier"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("suppliers")
      .select()
      .eq(isId(id) ? "id" : "slug", id)
      .single()
      .throwOnError();
    const found = supplier.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

suppliers.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "suppliers.update",
    permission: "suppliers.write",
    summary: "Change or verify a supplier",
    description:
      "A supplier changes its own name, slug, description and legal identity, and pauses itself.",
    errors: { CONFLICT: "if the supplier has changed since updated_at, or the slug is taken" },
    request: { params: idParam, headers: ifMatch, body: body(supplierChanges) },
    responses: answers(200, supplier, "The changed supplier"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const { data } = await c
      .get("db")
      .rpc("update_supplier", { supplier_id: id, changes })
      .throwOnError();
    const changed = supplier.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);
