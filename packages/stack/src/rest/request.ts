import { RestError } from "./errors.js";

/** A request's path, and its query including the question mark. */
export interface Target {
  path: string;
  search: string;
}

export function targetOf({ url }: Request): Target {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const to = url.indexOf("?", from);
  return to < 0
    ? { path: url.slice(from), search: "" }
    : { path: url.slice(from, to), search: url.slice(to) };
}

/** The resource that a path names. */
export type Resource =
  | { kind: "root" }
  | { kind: "table"; name: string }
  | { kind: "routine"; name: string };

/** Parses a path. Throws PGRST125. */
export function resourceOf(pathname: string): Resource {
  const parts = pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  const [first, second] = parts;
  if (parts.length === 0) return { kind: "root" };
  if (parts.length === 1) return { kind: "table", name: first! };
  if (parts.length === 2 && first === "rpc") return { kind: "routine", name: second! };
  throw new RestError(404, "PGRST125", "Invalid path specified in request URL");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export type Action =
  | { kind: "options" | "read" | "insert" | "upsert" | "update" | "delete" }
  | { kind: "call"; reads: boolean };

const onTables = new Map<string, "read" | "insert" | "upsert" | "update" | "delete">([
  ["GET", "read"],
  ["HEAD", "read"],
  ["POST", "insert"],
  ["PUT", "upsert"],
  ["PATCH", "update"],
  ["DELETE", "delete"],
]);

/**
 * Throws PGRST101, PGRST117, and PGRST126 at the root, because the stack serves no OpenAPI
 * description.
 */
export function actionOf(resource: Resource, method: string): Action {
  if (method === "OPTIONS") return { kind: "options" };
  const reads = method === "GET" || method === "HEAD";
  if (resource.kind === "routine") {
    if (reads || method === "POST") return { kind: "call", reads };
    throw new RestError(405, "PGRST101", `Cannot use the ${method} method on RPC`);
  }
  if (resource.kind === "root" && reads)
    throw new RestError(404, "PGRST126", "Root endpoint metadata is disabled");
  const kind = resource.kind === "table" ? onTables.get(method) : undefined;
  if (kind === undefined)
    throw new RestError(405, "PGRST117", `Unsupported HTTP method: ${method}`);
  return { kind };
}

/** Returns the schema chosen by `Accept-Profile` or `Content-Profile`. Throws PGRST106. */
export function schemaOf(
  headers: Headers,
  method: string,
  schemas: readonly string[],
): { schema: string; negotiated: boolean } {
  const changes = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
  const profile = headers.get(changes ? "content-profile" : "accept-profile");
  if (profile === null) return { schema: schemas[0]!, negotiated: schemas.length > 1 };
  if (schemas.includes(profile)) return { schema: profile, negotiated: true };
  throw new RestError(
    406,
    "PGRST106",
    `Invalid schema: ${profile}`,
    null,
    `Only the following schemas are exposed: ${schemas.join(", ")}`,
  );
}

/** Settings through which database functions can read the request. */
export function requestSettings(
  { method, headers: given }: Request,
  { path }: Target,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const cookies: Record<string, string> = {};
  for (const [name, value] of given) {
    if (name !== "cookie") headers[name] = value;
    else {
      for (const part of value.split(";")) {
        const at = part.indexOf("=");
        if (at > 0) cookies[part.slice(0, at).trim()] = part.slice(at + 1).trim();
      }
    }
  }
  return {
    "request.method": method,
    "request.path": path,
    "request.headers": JSON.stringify(headers),
    "request.cookies": JSON.stringify(cookies),
  };
}
