import type { PostgrestClient } from "@supabase/postgrest-js";

/** The caller, from the token's claims. The database decides what the caller's role may do. */
export interface Caller {
  id: string;
  token: string;
}

/** The variables that middleware pass to a route. */
export interface Env {
  Variables: {
    requestId: string;
    /** The parsed body, if the request has one. */
    body?: Record<string, unknown>;
    /** Aborted when the request reaches its timeout. */
    signal: AbortSignal;
    caller: Caller;
    /** The database, with the caller's rights. */
    db: PostgrestClient;
  };
}
