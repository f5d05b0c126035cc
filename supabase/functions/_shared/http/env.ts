import type { PostgrestClient } from "@supabase/postgrest-js";

/** Who calls, by the claims of the token. What the role may do, the database decides. */
export interface Caller {
  id: string;
  token: string;
}

/** What every request carries from one middleware to the next, and to its route. */
export interface Env {
  Variables: {
    requestId: string;
    /** The parsed body of a request that has one. */
    body?: Record<string, unknown>;
    /** Aborted when the request has taken too long. */
    signal: AbortSignal;
    caller: Caller;
    /** The database as the caller sees it. */
    db: PostgrestClient;
  };
}
