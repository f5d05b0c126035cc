import type { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import { requestId } from "hono/request-id";
import type { Env } from "./env.ts";
import { ApiError, answerError } from "./errors.ts";
import { keepTag } from "./if_match.ts";
import { limitLargeAnswers } from "./large_answers.ts";
import { jsonBody, keepableTexts, sizeLimit, timeLimit } from "./limits.ts";
import { sentParameters } from "./query.ts";
import { rateLimit } from "./rate.ts";
import { createRoutes, isOpen } from "./routes.ts";
import { shareReads } from "./share_reads.ts";
import { keepForVisitors } from "./visits.ts";

/** Logs one line per request. It holds no body, no token and no query. */
const requestLine = createMiddleware<Env>(async (c, next) => {
  const started = performance.now();
  await next();
  console.log(
    JSON.stringify({
      request_id: c.get("requestId"),
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Math.round(performance.now() - started),
    }),
  );
});

/**
 * The app of one edge function: the middleware of every request, in order, then the routes, each mounted at its path
 * below the function's name.
 */
export function createApp(mounts: Record<string, OpenAPIHono<Env>>): OpenAPIHono<Env> {
  const app = createRoutes();
  /** Paths that need no token. */
  const open = new Set<string>();
  app.onError(answerError);
  app.notFound((c) => answerError(new ApiError("NOT_FOUND"), c));
  app.use(
    requestId({ limitLength: 128 }),
    cors({
      origin: "*",
      allowHeaders: [
        "authorization",
        "apikey",
        "content-type",
        "x-client-info",
        "x-request-id",
        "idempotency-key",
        "if-match",
        "if-none-match",
        "x-souk-checkout",
        "x-souk-marketplace",
        "x-souk-promotion",
        "x-souk-tenant",
        "x-souk-visitor",
      ],
      exposeHeaders: [
        "etag",
        "location",
        "x-request-id",
        "idempotency-replayed",
        "ratelimit-limit",
        "ratelimit-remaining",
        "ratelimit-reset",
        "retry-after",
        "deprecation",
      ],
      maxAge: 86_400,
    }),
    requestLine,
    keepTag,
    keepForVisitors,
    rateLimit(open),
    shareReads,
    sentParameters,
    timeLimit,
    limitLargeAnswers,
    sizeLimit,
    jsonBody,
    keepableTexts,
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) =>
        answerError(
          new ApiError("METHOD_NOT_ALLOWED", undefined, [], { Allow: methods.join(", ") }),
          c,
        ),
    }),
  );
  for (const [path, routes] of Object.entries(mounts)) app.route(path, routes);
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type === "route" && isOpen(definition.route.security)) {
      open.add(definition.route.path);
    }
  }
  return app;
}
