import type { PostgrestClient } from "@supabase/postgrest-js";
import type { Database, Json } from "../../../../packages/client/src/database.generated.ts";

type Public = Database["public"];

/**
 * The functions of the database that PostgREST offers. Each argument takes null, and a json argument any value that JSON
 * can hold.
 */
type Functions = {
  [Name in keyof Public["Functions"]]: {
    Args: ArgumentsOf<Public["Functions"][Name]["Args"]>;
    Returns: AnswerOf<Public["Functions"][Name]["Returns"]>;
  };
};

type ArgumentsOf<Args> = {
  [Name in keyof Args]: Json extends Args[Name] ? unknown : Args[Name] | null;
};

// biome-ignore lint/suspicious/noExplicitAny: the schema of a route describes a json answer.
type AnswerOf<Returns> = Json extends Returns ? any : Returns;

/** PostgREST as a caller sees it, with the names and types of the database. */
export type DatabaseClient = PostgrestClient<
  Omit<Database, "public"> & { public: Omit<Public, "Functions"> & { Functions: Functions } }
>;

/** The name of a function that PostgREST offers. */
export type FunctionName = keyof Functions & string;

/** The arguments of a function of the database. */
export type Arguments<Name extends FunctionName> = Functions[Name]["Args"];

/** The caller, from the token's claims. The database decides what the caller's role may do. */
export interface Caller {
  id: string;
  token: string;
  /** Whether the request has the rights of a customer only, whatever the caller's roles. */
  asCustomer?: true;
}

/** A request without a user's token to what everybody may see of one marketplace. */
export interface Visit {
  /** The domain or id of the marketplace, as sent. */
  marketplace: string;
  /** The random id of a visitor who consented, in lower case. */
  visitor?: string;
}

/** The membership of the caller. caller.ts reads and checks it. */
export interface Membership {
  isMember: Promise<boolean>;
  /** Whether the handler may run before the membership is known: a read has no effects. */
  isPending: boolean;
}

/** The subject of a count: a user in a tenant, an IP address, or the e-mail of a login. */
export type Subject =
  | { kind: "user"; user_id: string; tenant_id: string | null }
  | { kind: "address" | "applicant" | "checkout" | "login" | "visitor"; id: string };

/** The variables that middleware pass to a route. */
export interface Env {
  Variables: {
    requestId: string;
    /** The parsed body, if the request has one. */
    body?: Record<string, unknown>;
    /** Aborted when the request reaches its timeout. */
    signal: AbortSignal;
    /** Undefined for a visitor, and where no token is needed. */
    caller: Caller;
    /** Undefined unless the caller is a visitor. */
    visit?: Visit;
    /** Undefined if the request is counted by its IP address, or not at all. */
    membership?: Membership;
    /** Whose requests this one counts with. Undefined if it is not counted here. */
    subject?: Subject;
    /** Counts a request as that many further ones. Undefined if it is not counted here. */
    countMore?: (requests: number) => Promise<void>;
    /** The database, with the caller's rights. */
    db: DatabaseClient;
  };
}
