import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import type { Env, Visit } from "./env.ts";
import { environment } from "./environment.ts";
import { ApiError, wrongFields } from "./errors.ts";
import { needsOf } from "./needs.ts";
import { tokenOf } from "./tokens.ts";

// Visitors: requests with the project's public key and without a user's token. They name the marketplace that they visit.

/** The header that names the marketplace, by its domain or id. */
export const MARKETPLACE = "x-souk-marketplace";
/** The header with the random id that a shop made for a visitor who consented. */
export const VISITOR = "x-souk-visitor";
/** The header with the token of a visitor's checkout. */
export const CHECKOUT = "x-souk-checkout";

/** What a domain or an id may consist of. Others could not be passed on in a header. */
const NAME = /^[!-~]{1,253}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The query parameters of a visitor, for caches whose key is the address. */
export const visitQuery = z.object({
  marketplace: z.string().optional(),
  apikey: z.string().optional(),
});

/** The parameters of operations that visitors may call, for the OpenAPI document. */
export const visitParameters = [
  {
    name: MARKETPLACE,
    in: "header" as const,
    required: false,
    schema: {
      type: "string" as const,
      description:
        "For visitors, who have no token: the domain or id of the marketplace. `?marketplace=` can stand in its place.",
    },
  },
  {
    name: VISITOR,
    in: "header" as const,
    required: false,
    schema: {
      type: "string" as const,
      format: "uuid",
      description: "For visitors who consented: their random id. Lists are promoted with it only.",
    },
  },
];

/** Whether a request is a visitor's: its route is open to visitors, and it has a public key and no token. */
export function isVisit(c: Context<Env>): boolean {
  const key = c.req.header("apikey") ?? c.req.query("apikey") ?? "";
  return (
    needsOf(c).visitors === true &&
    tokenOf(c) === undefined &&
    environment.publicApiKeys.includes(key)
  );
}

/**
 * The marketplace and id of a visitor. Errors: UNAUTHORIZED if no marketplace is named; NOT_FOUND if it is no domain or id;
 * VALIDATION_ERROR if the header and the query name different ones, or the id is no uuid.
 */
export function readVisit(c: Context<Env>): Visit {
  const header = named(c.req.header(MARKETPLACE));
  const query = named(c.req.query("marketplace"));
  if (header && query && header !== query) {
    throw wrongFields([
      {
        field: MARKETPLACE,
        message: "must name the same marketplace as the query, or be left out",
        value: header,
      },
    ]);
  }
  const marketplace = header ?? query;
  if (marketplace && !NAME.test(marketplace)) {
    throw new ApiError("NOT_FOUND", "There is no active marketplace with this id or domain.", [
      { field: MARKETPLACE, value: marketplace },
    ]);
  }
  if (!marketplace) {
    throw new ApiError(
      "UNAUTHORIZED",
      `Send the token of a user, or name the marketplace that you visit: header ${MARKETPLACE}, or ?marketplace=.`,
    );
  }
  const sent = c.req.header(VISITOR)?.trim();
  const visitor = visitorOf(c);
  if (sent && !visitor) {
    throw wrongFields([{ field: VISITOR, message: "must be a random uuid", value: sent }]);
  }
  return { marketplace, ...(visitor && { visitor }) };
}

/** The id of a visitor who consented, in lower case; undefined without one. */
export function visitorOf(c: Context<Env>): string | undefined {
  const sent = c.req.header(VISITOR)?.trim().toLowerCase();
  return sent && UUID.test(sent) ? sent : undefined;
}

const named = (text: string | undefined) =>
  text?.trim().toLowerCase().replace(/\.$/, "") || undefined;

const tagged = etag({
  weak: true,
  // For bodies of this size a hash in the same thread costs less than a task for another one.
  generateDigest: (body) => new Uint8Array(createHash("sha1").update(body).digest()).buffer,
});

/** What a response for a visitor depends on, besides its address. */
const VARY = [MARKETPLACE, VISITOR, "authorization", "accept-language"].join(", ");
/** Seconds for which shared caches may keep such a response, and then show it while they ask again. */
const KEPT = "public, s-maxage=30, stale-while-revalidate=300";

/**
 * Lets shared caches keep what a visitor reads, unless it is promoted for this visitor or the visitor's own. Gives all that
 * shared caches may keep an ETag: a request with the one of an unchanged response is answered with 304.
 */
export const keepForVisitors = createMiddleware<Env>(async (c, next) => {
  await next();
  if (![200, 304].includes(c.res.status) || !["GET", "HEAD"].includes(c.req.method)) return;
  const visit = c.get("visit");
  const directives = c.res.headers.get("Cache-Control") ?? "";
  if (directives.includes("no-store")) return;
  if (!visit) {
    if (directives.startsWith("public")) await tagged(c, async () => {});
    return;
  }
  // A record's updated_at, a strong tag, says nothing about its stock, or its supplier's name.
  if (c.res.headers.get("ETag")?.startsWith('"')) c.res.headers.delete("ETag");
  c.res.headers.set("Vary", VARY);
  c.res.headers.set("Cache-Control", visit.visitor ? "private, no-cache" : KEPT);
  await tagged(c, async () => {});
});
