import {
  createRoute as createOpenApiRoute,
  OpenAPIHono,
  type RouteConfig,
} from "@hono/zod-openapi";
import { pathOf } from "../values/field_path.ts";
import type { Env } from "./env.ts";
import { ERRORS, type ErrorCode } from "./error_codes.ts";
import { ApiError, type FieldError, wrongFields } from "./errors.ts";
import { NOT_KNOWN } from "./messages.ts";
import { declareNeeds, type Needs } from "./needs.ts";
import { type Needed, ROLES, rolesWith } from "./roles.ts";
import { knownFieldsOnly } from "./unknown_fields.ts";
import { visitParameters } from "./visits.ts";

/** Further details of an operation for the OpenAPI document. */
interface OperationDetails {
  /** The method of @souk/client that calls it. A second form of a method has the method's name as prefix. */
  operationId: string;
  /**
   * What the caller needs. Others are refused or see nothing. This only documents it; the database decides. Left out if
   * no token is needed.
   */
  permission?: Needed;
  /**
   * The errors that callers have to expect, each with its condition, or `true` if the code says it all. Left out are
   * those that follow from the rest of the declaration: FORBIDDEN for other roles, NOT_FOUND for an id in the path,
   * VALIDATION_ERROR for a field.
   */
  errors?: Partial<Record<ErrorCode, string | true>>;
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
    visitors,
    beginsVisits,
    judgesItsTexts,
    permission,
    errors,
    ...route
  } = description;
  return createOpenApiRoute({
    ...route,
    description: descriptionOf(description),
    ...(permission && {
      ...(permission !== "everyone" && { "x-permission": permission }),
      "x-roles": rolesWith(permission),
    }),
    ...((once || visitors) && {
      parameters: [...(once ? [idempotencyKey] : []), ...(visitors ? visitParameters : [])],
    }),
    ...(visitors && { security: [{ token: [] }, { publicKey: [] }] }),
    middleware: [
      declareNeeds({
        once,
        secretFields,
        streams,
        holdsRichText,
        holdsTemplate,
        anonymous,
        visitors,
        beginsVisits,
        judgesItsTexts,
        operationId: route.operationId,
      }),
      ...[route.middleware ?? []].flat(),
      knownFieldsOnly(route, { visitors }),
    ],
  }) as unknown as ReturnType<typeof createOpenApiRoute<Path, Route>>;
}

/** The whole description of an operation: the roles that it is for, its text, and its errors. */
function descriptionOf({
  permission,
  description,
  path,
  errors,
}: OperationDetails & { path: string; description?: string }): string | undefined {
  const roles = rolesWith(permission ?? "everyone");
  const all: OperationDetails["errors"] = {
    ...errors,
    ...(path.includes("{") && { NOT_FOUND: errors?.NOT_FOUND ?? true }),
  };
  const expected = Object.entries(all).map(([code, condition]) => {
    const named = `${code} (${ERRORS[code as ErrorCode].status})`;
    return condition === true ? named : `${named} ${condition}`;
  });
  const sentences = [
    roles.length < ROLES.length && `For ${inWords(roles.map((role) => `${role}s`))}.`,
    description,
    expected.length > 0 && `Errors: ${expected.join("; ")}.`,
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(" ") : undefined;
}

const inWords = (names: readonly string[]) =>
  [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");

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
