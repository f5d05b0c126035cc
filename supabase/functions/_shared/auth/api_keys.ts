import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { apiKey, createdApiKey, newApiKey } from "./schema.ts";

/** Routes below /api-keys: the keys of machines. */
export const apiKeys = createRoutes();

const shared = { tags: ["Authentication"], middleware: authenticate };

const apiKeysPage = pageOf("api_keys", apiKey);

apiKeys.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "apiKeys.list",
    permission: "api_keys.read",
    summary: "List API keys",
    request: { query: listQuery(["created_at"]) },
    responses: answers(200, apiKeysPage, "The tenant's keys; a supplier sees its own"),
  }),
  async (c) => {
    const query = c.get("db").from("api_keys").select("*", { count: "exact" });
    return c.json(await readPage(apiKeysPage, query, c.req.valid("query")), 200);
  },
);

apiKeys.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "apiKeys.create",
    permission: "api_keys.write",
    once: true,
    summary: "Create an API key",
    description:
      "For a machine, which exchanges client_id and client_secret for a session at /auth/token. The secret is shown only now. An API key cannot create keys.",
    errors: { LIMIT_REACHED: "after 100 keys of a tenant" },
    request: { body: body(newApiKey) },
    responses: answers(201, createdApiKey, "The new key, with its secret"),
  }),
  async (c) => {
    const made = createdApiKey.parse(await perform(c, "create_api_key", c.req.valid("json")));
    return c.json(made, 201, { Location: `/functions/v1/api/api-keys/${made.id}` });
  },
);

apiKeys.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "apiKeys.get",
    permission: "api_keys.read",
    summary: "Get an API key",
    request: { params: idParam },
    responses: answers(200, apiKey, "The key, without its secret"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("api_keys")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    return c.json(apiKey.parse(data), 200);
  },
);

apiKeys.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "apiKeys.remove",
    permission: "api_keys.write",
    summary: "Remove an API key",
    description: "Its sessions end at once.",
    request: { params: idParam },
    responses: noContent("The key is removed"),
  }),
  async (c) => {
    await c
      .get("db")
      .rpc("remove_api_key", { api_key_id: c.req.valid("param").id })
      .throwOnError();
    return c.body(null, 204);
  },
);
