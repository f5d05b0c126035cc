import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { pathOf } from "../values/field_path.ts";
import type { Env } from "./env.ts";
import { type FieldError, wrongFields } from "./errors.ts";
import { NOT_KNOWN } from "./messages.ts";
import type { Needs } from "./needs.ts";
import { visitQuery } from "./visits.ts";

/** The platform's gateway also accepts the project's key as this query parameter. */
const PLATFORM_PARAMETERS = z.object({ apikey: z.string().optional() });

/**
 * Middleware of a route that refuses query parameters and body fields that its schemas do not name, so that no caller
 * believes that an ignored field was applied. A PUT accepts a record as it was read, so the fields of its response are
 * known, too.
 */
export function knownFieldsOnly(route: RouteConfig, { visitors }: Needs) {
  const asked: unknown[] = [visitors ? visitQuery : PLATFORM_PARAMETERS, route.request?.query];
  const query = asked.filter(isSchema);
  const taken = jsonSchema(route.request?.body);
  const answered = route.method === "put" ? jsonSchema(route.responses[200]) : undefined;
  const body = [taken ?? z.object({}), answered].filter(isSchema);
  return createMiddleware<Env>(async (c, next) => {
    const unknown = [...unknownTo(query, c.req.query()), ...unknownTo(body, c.get("body"))];
    if (unknown.length > 0) {
      throw wrongFields(
        unknown.map((path): FieldError => ({ field: pathOf(path), message: NOT_KNOWN })),
      );
    }
    await next();
  });
}

const isSchema = (schema: unknown): schema is z.ZodType => schema instanceof z.ZodType;

function jsonSchema(part: object | undefined): z.ZodType | undefined {
  const { content } = (part ?? {}) as { content?: Record<string, { schema?: unknown }> };
  const schema = content?.["application/json"]?.schema;
  return isSchema(schema) ? schema : undefined;
}

type Path = readonly PropertyKey[];

/** The paths of the fields that none of the schemas knows. */
function unknownTo(schemas: readonly z.ZodType[], value: unknown, path: Path = []): Path[] {
  const [first, ...others] = schemas.map((schema) => unknownFields(schema, value, path));
  return (first ?? []).filter((field) => others.every((unknown) => unknown.some(same(field))));
}

const same = (path: Path) => (other: Path) => pathOf(path) === pathOf(other);

/** The paths of the fields that a schema would drop from a value, including those that it refuses. */
function unknownFields(schema: z.ZodType, value: unknown, path: Path): Path[] {
  if (typeof value !== "object" || value === null) return [];
  if (schema instanceof z.ZodPipe) {
    // A schema behind a transform does not describe the sent value.
    return schema.in instanceof z.ZodTransform
      ? []
      : unknownFields(schema.in as z.ZodType, value, path);
  }
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return unknownFields(schema.unwrap() as z.ZodType, value, path);
  }
  if (schema instanceof z.ZodUnion) return unknownTo(schema.options as z.ZodType[], value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const element = schema.element as z.ZodType;
    return value.flatMap((each, i) => unknownFields(element, each, [...path, i]));
  }
  if (!(schema instanceof z.ZodObject) || Array.isArray(value)) return [];
  const { catchall } = schema.def;
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever);
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (known) return unknownFields(known as z.ZodType, inner, [...path, name]);
    return isOpen ? [] : [[...path, name]];
  });
}
