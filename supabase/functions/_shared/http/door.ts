import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { PostgrestClient } from "@supabase/postgrest-js";
import { ApiError, type FieldError, pathOf, wrongFields } from "./errors.ts";
import { knownFieldsOnly } from "./unknown_fields.ts";

/** Who calls, by the claims of the token. What the role may do, the database decides. */
export interface Caller {
  id: string;
  token: string;
}

/** What the pipeline leaves for the routes behind it. */
export interface Door {
  Variables: {
    requestId: string;
    /** The parsed body of a request that has one. */
    body?: Record<string, unknown>;
    /** Aborted when the request has taken too long. */
    signal: AbortSignal;
    caller: Caller;
    /** The database as the caller sees it. */
    db: PostgrestClient;
  };
}

/** A set of routes whose schemas refuse what they do not describe, in the one shape of errors. */
export function createRoutes() {
  const routes = new OpenAPIHono<Door>({
    defaultHook: (result) => {
      if (result.success) return;
      // An id in the path that is no UUID names nothing.
      if (result.target === "param") throw new ApiError("NOT_FOUND");
      const fields: FieldError[] = result.error.issues.flatMap((issue) =>
        issue.code === "unrecognized_keys"
          ? issue.keys.map((key) => ({
              field: pathOf([...issue.path, key]),
              message: "is not known here",
            }))
          : [{ field: pathOf(issue.path), message: issue.message }],
      );
      throw wrongFields(fields);
    },
  });
  const add = routes.openapi;
  routes.openapi = ((route: RouteConfig, ...rest: [never]) =>
    add(
      { ...route, middleware: [route.middleware ?? [], knownFieldsOnly(route)].flat() },
      ...rest,
    )) as typeof add;
  return routes;
}
