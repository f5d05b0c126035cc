import type { RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Door } from "./door.ts";

/** What is obsolete, and still answers. */
export interface Deprecation {
  /** The day it became obsolete: `2026-11-21`. */
  since: string;
  /** The day it stops to answer, a year later or more; nothing where it stays. */
  sunset?: string;
  /** What to use instead: a sentence. */
  instead: string;
  /** The address that replaces it, below /functions/v1. */
  successor?: string;
}

/** Marks an operation in the document, and has its answers say so too. Goes into `createRoute`. */
export function deprecateRoute<const Route extends RouteConfig>(
  route: Route,
  deprecation: Deprecation,
): Route {
  const announcing = createMiddleware<Door>(async (c, next) => {
    announce(c, deprecation);
    await next();
  });
  return {
    ...route,
    deprecated: true,
    description: [route.description, sentence(deprecation)].filter(Boolean).join(" "),
    middleware: [announcing, ...[route.middleware ?? []].flat()],
  };
}

/** Marks a field, a parameter or one of their values in the document. */
export function deprecate<Schema extends z.ZodType>(
  schema: Schema,
  deprecation: Deprecation,
): Schema {
  return schema.openapi({ deprecated: true, description: sentence(deprecation) });
}

/** Says in the answer's headers that something obsolete was used: RFC 9745, RFC 8594. */
export function announce(c: Context<Door>, { since, sunset, successor }: Deprecation): void {
  c.header("Deprecation", `@${Date.parse(since) / 1000}`);
  if (sunset) c.header("Sunset", new Date(sunset).toUTCString());
  if (successor) c.header("Link", `</functions/v1${successor}>; rel="successor-version"`);
}

function sentence({ since, sunset, instead }: Deprecation): string {
  return `Deprecated since ${since}. ${instead}${sunset ? ` Answers until ${sunset}.` : ""}`;
}
