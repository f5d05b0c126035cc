import type { Query, Range } from "./ast.js";
import { RestError } from "./errors.js";
import { type Media, negotiate } from "./media.js";
import { parametersOf, parseQuery } from "./parse.js";
import { contentTypeOf, type Payload, readPayload } from "./payload.js";
import { type Preferences, parsePreferences } from "./preferences.js";
import { requestedRange } from "./range.js";
import {
  type Action,
  actionOf,
  type Resource,
  resourceOf,
  schemaOf,
  type Target,
} from "./request.js";

/** A parsed request, not yet checked against the database schema. */
export interface ApiRequest {
  resource: Resource;
  action: Action;
  schema: string;
  /** The schema was chosen among several, which the response reports. */
  negotiated: boolean;
  /** The name of the table or function; empty at the root. */
  name: string;
  headOnly: boolean;
  query: Query;
  range: Range;
  payload: Payload | null;
  contentType: string | null;
  preferences: Preferences;
  media: Media;
  /** The URL's parameters, in their order. */
  parameters: [string, string][];
}

export interface Reading {
  schemas: readonly string[];
  /** Whether `Prefer: tx=…` is allowed. */
  txOverride: boolean;
}

/** Parses a request with its body. Throws PostgREST's errors for invalid requests. */
export async function readRequest(
  request: Request,
  target: Target,
  options: Reading,
): Promise<ApiRequest> {
  const { method, headers } = request;
  const resource = resourceOf(target.path);
  const { schema, negotiated } = schemaOf(headers, method, options.schemas);
  const action = actionOf(resource, method);
  const preferences = parsePreferences(headers.get("prefer"), options.txOverride);
  const parameters = parametersOf(target.search);
  const query = parseQuery(parameters, action.kind === "call" && action.reads);
  const range = rangeOf(request, query);
  if (action.kind === "upsert" && (range.offset !== 0 || range.limit !== null)) {
    throw new RestError(
      400,
      "PGRST114",
      "limit/offset querystring parameters are not allowed for PUT",
    );
  }
  const contentType = contentTypeOf(headers.get("content-type"));
  const hasBody =
    action.kind === "insert" ||
    action.kind === "upsert" ||
    action.kind === "update" ||
    (action.kind === "call" && !action.reads);
  return {
    resource,
    action,
    schema,
    negotiated,
    name: resource.kind === "root" ? "" : resource.name,
    headOnly: method === "HEAD",
    query,
    range,
    payload: hasBody
      ? readPayload(
          await bodyOf(request, contentType),
          contentType,
          query.columns,
          action.kind === "call",
        )
      : null,
    contentType: hasBody ? contentType : null,
    preferences,
    media: negotiate(headers.get("accept")),
    parameters,
  };
}

/** Returns the root's range, and removes its parameters from the query. */
function rangeOf({ method, headers }: Request, query: Query): Range {
  const ofRoot = (list: Query["limits"]) =>
    list.findLast(({ path }) => path.length === 0)?.value ?? null;
  const limit = ofRoot(query.limits);
  const offset = ofRoot(query.offsets);
  query.limits = query.limits.filter(({ path }) => path.length > 0);
  query.offsets = query.offsets.filter(({ path }) => path.length > 0);
  return requestedRange(method === "GET" ? headers.get("range") : null, limit, offset);
}

/** Encodes bytes as Postgres' text format of bytea. */
async function bodyOf(request: Request, contentType: string): Promise<string> {
  if (contentType !== "application/octet-stream") return request.text();
  return `\\x${Buffer.from(await request.arrayBuffer()).toString("hex")}`;
}
