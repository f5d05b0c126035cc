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

/** What the document tells of an operation beside what OpenAPI asks for. */
interface Told {
  /** The method of @souk/client that calls it; another form of the same has its method behind it. */
  operationId: string;
  /**
   * The roles that have a use for it: who else calls it is refused, or shown nothing. The database decides that; this
   * says it. Left out where no token is asked for.
   */
  roles?: "everyone" | readonly (typeof ROLES)[number][];
}

/**
 * Describes an operation: what OpenAPI says of it, and what it needs of what every request passes. Fields and
 * query parameters that its schemas do not name are refused.
 */
export function createRoute<
  const Path extends string,
  const Route extends Omit<RouteConfig, "path"> & { path: Path } & Needs & Told,
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

/** Whether an operation needs no token: it lists no way to sign in, or `{}` among others, which are optional then. */
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

/** A set of routes whose schemas refuse what they do not describe, in the one shape of errors. */
export function createRoutes() {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      // An id in the path that is no UUID names nothing.
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
