import type { ApiRequest } from "./api-request.js";
import { isHeader, notSatisfiable, notSingular, RestError, tooMuchEmbedded } from "./errors.js";
import type { Planned } from "./plan.js";
import { preferencesApplied } from "./preferences.js";
import { contentRange, rangeStatus } from "./range.js";
import { EMBED_BYTES, type Outcome } from "./statement.js";

/**
 * Whether a request's outcome must be checked before the commit. Other statements are sent together
 * with their commit, in one round trip.
 */
export function mustBeChecked(
  { media, action, preferences }: ApiRequest,
  planned: Planned,
): boolean {
  return (
    preferences.tx === "rollback" ||
    planned.explain !== null ||
    (!planned.readOnly &&
      (media.kind === "object" ||
        action.kind === "upsert" ||
        (preferences.handling === "strict" && preferences.maxAffected !== null)))
  );
}

/** Throws the errors that undo the request: PGRST115, 116, 124. */
export function checkOutcome(
  { media, action, preferences }: ApiRequest,
  { rows, body }: Outcome,
): void {
  if (body === null) throw tooMuchEmbedded(EMBED_BYTES);
  if (action.kind === "upsert" && rows !== 1) {
    throw new RestError(
      400,
      "PGRST115",
      "Payload values do not match URL in primary key column(s)",
    );
  }
  if (media.kind === "object" && rows !== 1) throw notSingular(rows);
  const { maxAffected, handling } = preferences;
  const limited = action.kind === "update" || action.kind === "delete" || action.kind === "call";
  if (limited && handling === "strict" && maxAffected !== null && rows > maxAffected) {
    throw new RestError(
      400,
      "PGRST124",
      "Query result exceeds max-affected preference constraint",
      `The query affects ${rows} rows`,
    );
  }
}

/** The total number of rows: counted, estimated by the planner, or both. */
export function totalOf(
  { preferences: { count } }: ApiRequest,
  { total }: Outcome,
  expected: number | null,
  maxRows: number,
): number | null {
  if (count === "planned") return expected;
  if (count !== "estimated" || total === null || expected === null) return total;
  return total > maxRows ? Math.max(total, expected) : total;
}

/** Writes the response. `total` is the number of all rows of the query; null if not requested. */
export function answer(
  apiRequest: ApiRequest,
  planned: Planned,
  outcome: Outcome,
  total: number | null,
): Response {
  const { action, preferences, media } = apiRequest;
  const kind = action.kind;
  const counted = preferences.count === "exact" || preferences.count === "estimated";
  const represented = preferences.return === "representation";
  const headers: Record<string, string> = preferencesApplied(preferences, {
    resolution: planned.resolves,
    missing: kind === "insert" || kind === "update",
    return: kind !== "read" && kind !== "call",
    maxAffected: kind === "update" || kind === "delete" || kind === "call",
  });
  let status = 200;
  let body: string | null = null;
  const write = (text: string) => {
    body = text;
    headers["Content-Type"] = media.contentType;
    if (apiRequest.negotiated) headers["Content-Profile"] = apiRequest.schema;
  };

  if (kind === "read" || kind === "call") {
    const first = apiRequest.range.offset;
    const last = first + outcome.rows - 1;
    status = rangeStatus(first, last, total);
    headers["Content-Range"] = contentRange(first, last, total);
    if (kind === "read") headers["Content-Location"] = locationOf(apiRequest);
    if (planned.shape === "void") status = 204;
    else if (status === 416) {
      const many = `An offset of ${first} was requested, but there are only ${total} rows.`;
      write(notSatisfiable(many).body);
    } else write(outcome.body ?? "");
  } else {
    const changed = counted ? outcome.rows : null;
    if (kind === "insert") {
      headers["Content-Range"] = contentRange(1, 0, changed);
      status = planned.upserts && (outcome.inserted ?? 0) <= 0 ? 200 : 201;
      if (outcome.key)
        headers.Location = `/${encodeURIComponent(apiRequest.name)}?${keyQuery(outcome.key)}`;
    } else if (kind === "upsert") {
      status = !represented ? 204 : (outcome.inserted ?? 0) > 0 ? 201 : 200;
    } else {
      const last = kind === "update" ? outcome.rows - 1 : 0;
      headers["Content-Range"] = contentRange(kind === "update" ? 0 : 1, last, changed);
      status = represented ? 200 : 204;
    }
    if (represented) write(outcome.body ?? "");
  }

  status = ownStatus(outcome.status) ?? status;
  const empty = apiRequest.headOnly || status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : body, {
    status,
    headers: outcome.headers === null ? headers : withOwn(headers, ownHeaders(outcome.headers)),
  });
}

/** The path that was read, with its parameters sorted by name. */
function locationOf({ name, parameters }: ApiRequest): string {
  const sorted = parameters.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const query = sorted.map(([key, value]) => `${encode(key)}=${encode(value)}`).join("&");
  return `/${encodeURIComponent(name)}${query === "" ? "" : `?${query}`}`;
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Headers set by the database replace ours; it may set several with the same name. */
function withOwn(ours: Record<string, string>, own: [string, string][]): Headers {
  const headers = new Headers(ours);
  for (const [name] of own) headers.delete(name);
  for (const [name, value] of own) headers.append(name, value);
  return headers;
}

const keyQuery = (key: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(key).map(([name, value]) => [
      name,
      value === null
        ? "is.null"
        : `eq.${typeof value === "object" ? JSON.stringify(value) : value}`,
    ]),
  ).toString();

/** The status that the database set in `response.status`. Throws PGRST112. */
function ownStatus(text: string | null): number | null {
  if (text === null) return null;
  const status = Number(text);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new RestError(500, "PGRST112", "response.status guc must be a valid status code");
}

/**
 * Headers that the database set in `response.headers`: a JSON array of objects with one header
 * each. Throws PGRST111.
 */
function ownHeaders(text: string | null): [string, string][] {
  if (text === null) return [];
  const refuse = () =>
    new RestError(
      500,
      "PGRST111",
      "response.headers guc must be a JSON array composed of objects with a single key and a string value",
    );
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw refuse();
  }
  if (!Array.isArray(list)) throw refuse();
  return list.map((each) => {
    const entries = typeof each === "object" && each !== null ? Object.entries(each) : [];
    const [entry] = entries;
    if (!entry || entries.length !== 1 || !isHeader(entry[0], entry[1])) throw refuse();
    return entry as [string, string];
  });
}
