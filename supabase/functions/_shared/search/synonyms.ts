import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { newSearchSynonyms, searchSynonyms } from "./synonym_schema.ts";

export const synonyms = createRoutes();

const shared = { tags: ["Search"], middleware: authenticate };

const synonymsPage = pageOf("synonyms", searchSynonyms);

synonyms.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "synonyms.list",
    permission: "everyone",
    summary: "List synonyms",
    request: { query: listQuery(["created_at", "updated_at"]) },
    responses: answers(200, synonymsPage, "The tenant's groups of synonyms"),
  }),
  async (c) => {
    const all = c.get("db").from("search_synonyms").select("*", { count: "exact" });
    return c.json(await readPage(synonymsPage, all, c.req.valid("query")), 200);
  },
);

synonyms.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "synonyms.create",
    permission: "synonyms.write",
    once: true,
    summary: "Make terms synonyms",
    description: "A search for one of the terms then finds the products of all of them.",
    request: { body: body(newSearchSynonyms) },
    responses: answers(201, searchSynonyms, "The new group"),
  }),
  async (c) => {
    const made = await perform(c, "create_search_synonyms", c.req.valid("json"));
    return c.json(searchSynonyms.parse(made), 201, {
      Location: `/functions/v1/api/search/synonyms/${made.id}`,
    });
  },
);

synonyms.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "synonyms.get",
    permission: "everyone",
    summary: "Get a group of synonyms",
    request: { params: idParam },
    responses: answers(200, searchSynonyms, "The group"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const found = c.get("db").from("search_synonyms").select().eq("id", id);
    const { data } = await found.single().throwOnError();
    return c.json(searchSynonyms.parse(data), 200);
  },
);

synonyms.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "synonyms.update",
    permission: "synonyms.write",
    summary: "Change a group of synonyms",
    description: "The terms are sent as a whole.",
    request: { params: idParam, body: body(newSearchSynonyms) },
    responses: answers(200, searchSynonyms, "The changed group"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changed = c.get("db").from("search_synonyms").update(c.req.valid("json")).eq("id", id);
    const { data } = await changed.select().single().throwOnError();
    return c.json(searchSynonyms.parse(data), 200);
  },
);

synonyms.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "synonyms.remove",
    permission: "synonyms.write",
    summary: "Delete a group of synonyms",
    description: "A search for one of its terms no longer finds the products of the others.",
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const removed = c.get("db").from("search_synonyms").delete().eq("id", id);
    await removed.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
