import {
  createRoute as createOpenApiRoute,
  OpenAPIHono,
  type RouteConfig,
} from "@hono/zod-openapi";
import type { Env } from "./env.ts";
import { ApiError, type FieldError, pathOf, wrongFields } from "./errors.ts";
import { NOT_KNOWN } from "./messages.ts";
import { declareNeeds, type Needs } from "./needs.ts";
import { knownFieldsOnly } from "./unknown_fields.ts";

const ROLES = ["admin", "client", "supplier", "customer"] as const;

/** Further details of an operation for the OpenAPI document. */
interface OperationDetails {
  /** The method of @souk/client that calls it. A second form of a method has the method's name as prefix. */
  operationId: string;
  /**
   * The roles that the operation is for. Other roles are refused or see nothing. This only documents it; the database
   * decides. Left out if no token is needed.
   */
  roles?: "everyone" | readonly (typeof ROLES)[number][];
}

/**
 * Defines an operation: its OpenAPI description and its needs of the middleware. Fields and query parameters that its
 * schemas do not name are refused.
 */
export function createRoute<
  const Path extends string,
  const Route extends Omit<RouteConfig, "path"> & { path: Path } & Needs & OperationDetails,
>(description: Route) {
  const {
    once,
    secretFields,
    streams,
    holdsRichText,
    holdsTemplate,
    anonymous,
    judgesItsTexts,
    roles,
    ...route
  } = description;
  return createOpenApiRoute({
    ...route,
    ...(roles && { "x-roles": roles === "everyone" ? ROLES : roles }),
    ...(once && { parameters: [idempotencyKey] }),
    middleware: [
      declareNeeds({
        once,
        secretFields,
        streams,
        holdsRichText,
        holdsTemplate,
        anonymous,
        judgesItsTexts,
      }),
      ...[route.middleware ?? []].flat(),
      knownFieldsOnly(route),
    ],
  }) as unknown as ReturnType<typeof createOpenApiRoute<Path, Route>>;
}

/** Whether an operation works without a token: its security is empty, or one of its alternatives is `{}`. */
export const isOpen = (security: readonly object[] | undefined): boolean =>
  security?.length === 0 || security?.some((way) => Object.keys(way).length === 0) === true;

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  required: false,
  schema: {
    type: "string" as const,
    minLength: 1,
    maxLength: 255,
    description:
      "Repeated with the same key and body within 24 hours, the request is carried out once. Another body is IDEMPOTENCY_KEY_REUSED; while the first one is still running, CONFLICT.",
  },
};

/** A set of routes. What their schemas refuse becomes an error in the common shape. */
export function createRoutes() {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      // An id in the path that is not a UUID cannot exist.
      if (result.target === "param") throw new ApiError("NOT_FOUND");
      const fields: FieldError[] = result.error.issues.flatMap((issue) =>
        issue.code === "unrecognized_keys"
          ? issue.keys.map((key) => ({
              field: pathOf([...issue.path, key]),
              message: NOT_KNOWN,
            }))
          : [{ field: pathOf(issue.path), message: issue.message }],
      );
      throw wrongFields(fields);
    },
  });
}
