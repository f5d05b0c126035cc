import { answers } from "../http/answers.ts";
import { databaseAsService } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { requireSecretKey } from "../http/worker.ts";
import { health } from "./schema.ts";

export const healthRoutes = createRoutes();

/**
 * Shows operators of the project which jobs of the database fail or are late. It requires a secret key, so it is not in
 * the document of the API, which is for members. Errors: UNAUTHORIZED.
 */
healthRoutes.openapi(
  createRoute({
    hide: true,
    anonymous: true,
    security: [],
    method: "get",
    path: "/",
    operationId: "health",
    responses: answers(200, health, "The state of the jobs"),
  }),
  async (c) => {
    requireSecretKey(c);
    const { data } = await databaseAsService(c.get("signal")).rpc("health").throwOnError();
    return c.json(health.parse(data), 200);
  },
);
