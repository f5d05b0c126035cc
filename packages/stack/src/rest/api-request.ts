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

/** All that a request says, read but not yet held against the database. */
export interface ApiRequest {
  resource: Resource;
  action: Action;
  schema: string;
  /** The schema was chosen among several, which the answer tells. */
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
  /** The URL's parameters as they came. */
  parameters: [string, string][];
}

export interface Reading {
  schemas: readonly string[];
  /** `Prefer: tx=…` is obeyed. */
  txOverride: boolean;
}

/** Reads a request, body included. Throws whatever of it PostgREST refuses by itself. */
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

/** The root's range; the parameters that name it are taken out of the query. */
function rangeOf({ method, headers }: Request, query: Query): Range {
  const ofRoot = (list: Query["limits"]) =>
    list.findLast(({ path }) => path.length === 0)?.value ?? null;
  const limit = ofRoot(query.limits);
  const offset = ofRoot(query.offsets);
  query.limits = query.limits.filter(({ path }) => path.length > 0);
  query.offsets = query.offsets.filter(({ path }) => path.length > 0);
  return requestedRange(method === "GET" ? headers.get("range") : null, limit, offset);
}

/** Bytes are written the way Postgres reads them as text. */
async function bodyOf(request: Request, contentType: string): Promise<string> {
  if (contentType !== "application/octet-stream") return request.text();
  return `\\x${Buffer.from(await request.arrayBuffer()).toString("hex")}`;
}
