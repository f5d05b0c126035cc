import type { IncomingMessage } from "node:http";
import type { Database, Settings } from "../db/database.js";
import { type Claims, type Keys, TokenRefused } from "../keys.js";
import { StorageError } from "./errors.js";

/** The user or key of a request, as policies see it. */
export interface Caller {
  role: string;
  claims: Claims;
  /** The `owner_id` of buckets and objects that this caller creates. */
  owner: string | null;
  /** Whether the request has a valid token. */
  authenticated: boolean;
}

const anonymous: Caller = {
  role: "anon",
  claims: { role: "anon" },
  owner: null,
  authenticated: false,
};

/** The service itself, which no policy restricts. */
export const serviceItself: Caller = {
  role: "service_role",
  claims: { role: "service_role" },
  owner: null,
  authenticated: true,
};

/** Reads the `Authorization` header. With `lenient`, a request without a valid token is one of `anon`. */
export async function readCaller(
  keys: Keys,
  { headers }: IncomingMessage,
  lenient: boolean,
): Promise<Caller> {
  const token = (headers.authorization ?? "").replace(/^Bearer\s+/i, "");
  try {
    const claims = await keys.verify(token);
    const role = claims.role ?? "anon";
    return { role, claims, owner: claims.sub ?? null, authenticated: true };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    if (lenient) return anonymous;
    const isToken = token.split(".").length === 3;
    throw new StorageError("AccessDenied", isToken ? reasonOf(error) : "Invalid Compact JWS");
  }
}

/** The reason in the words of the library that hosted Storage verifies with. */
export const reasonOf = ({ reason, message }: TokenRefused) =>
  reason === "expired" ? '"exp" claim timestamp check failed' : message;

/**
 * Avoids generic plans: one made while a table was empty would scan the whole table from then on.
 */
export const customPlans: Settings = { plan_cache_mode: "force_custom_plan" };

/** The settings of the caller's transactions, which policies read. */
export function settingsOf(
  { role, claims }: Caller,
  operation: string,
  { method = "", url = "", headers }: IncomingMessage,
): Settings {
  return {
    role,
    search_path: "storage, public, extensions",
    ...customPlans,
    "request.jwt.claims": JSON.stringify({ ...claims, role }),
    "request.method": method,
    "request.path": url,
    "request.headers": JSON.stringify(headers),
    "storage.operation": operation,
    "storage.allow_delete_query": "true",
  };
}

/** Checks that a token names a role that is granted to `authenticator`. Throws DatabaseError, AccessDenied. */
export function createRoleCheck(db: Database): (role: string) => Promise<void> {
  const granted = new Set<string>();
  return async (role) => {
    if (granted.has(role)) return;
    const [row] = await db.query<{ granted: boolean }>(
      `select pg_has_role('authenticator', oid, 'member') as granted
       from pg_roles where rolname = $1`,
      [role],
    );
    if (!row) throw new StorageError("DatabaseError", "database error, code: 22023");
    if (!row.granted) {
      throw new StorageError("AccessDenied", `permission denied to set role "${role}"`);
    }
    granted.add(role);
  };
}
