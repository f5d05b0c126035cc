import type { IncomingMessage } from "node:http";
import type { Database, Settings } from "../db/database.js";
import { type Claims, type Keys, TokenRefused } from "../keys.js";
import { StorageError } from "./errors.js";

/** Whom the policies judge. */
export interface Caller {
  role: string;
  claims: Claims;
  /** Whoever it is, an object or bucket that they make is theirs. */
  owner: string | null;
  /** Whether there was a valid token. */
  authenticated: boolean;
}

const nobody: Caller = {
  role: "anon",
  claims: { role: "anon" },
  owner: null,
  authenticated: false,
};

/** Storage itself, which no policy holds back. */
export const storageItself: Caller = {
  role: "service_role",
  claims: { role: "service_role" },
  owner: null,
  authenticated: true,
};

/** Reads the `Authorization` header. `lenient`: whoever has no valid token is nobody. */
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
    if (lenient) return nobody;
    const isToken = token.split(".").length === 3;
    throw new StorageError("AccessDenied", isToken ? reasonOf(error) : "Invalid Compact JWS");
  }
}

/** In the words of the library that hosted verifies with. */
export const reasonOf = ({ reason, message }: TokenRefused) =>
  reason === "expired" ? '"exp" claim timestamp check failed' : message;

/** What a transaction of the caller's has, for policies to read. */
export function settingsOf(
  { role, claims }: Caller,
  operation: string,
  { method = "", url = "", headers }: IncomingMessage,
): Settings {
  return {
    role,
    search_path: "storage, public, extensions",
    // A plan kept from when there was no object would go on to look at all of them.
    plan_cache_mode: "force_custom_plan",
    "request.jwt.claims": JSON.stringify({ ...claims, role }),
    "request.method": method,
    "request.path": url,
    "request.headers": JSON.stringify(headers),
    "storage.operation": operation,
    "storage.allow_delete_query": "true",
  };
}

/** Knows which roles a token may name: those that were granted to `authenticator`. */
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
