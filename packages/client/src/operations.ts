import type { CallOptions, Http } from "./http.js";
import { eachAfter, eachRecord } from "./lists.js";
import type { paths } from "./openapi.generated.js";
import { randomUuid } from "./random-uuid.js";

// Each operation of the OpenAPI document is one method of the client. Its arguments are the ids in the path, in order,
// then the query or body, if there is one, then the options.

type Path = keyof paths;
type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<M extends Method, P extends Path> = NonNullable<paths[P][M]>;

/** The query of a GET: `QueryOf<"/api/orders">`; never if it has none. */
export type QueryOf<P extends Path> =
  Operation<"get", P> extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

/** The JSON body of an operation: `BodyOf<"post", "/api/orders">`; never if it has none. */
export type BodyOf<M extends Method, P extends Path> =
  Operation<M, P> extends { requestBody?: infer Request }
    ? Request extends { content: { "application/json": infer Body } }
      ? Body
      : never
    : never;

/** The JSON response of an operation: `AnswerOf<"get", "/api/orders">`; void if it has no body. */
export type AnswerOf<M extends Method, P extends Path> =
  Operation<M, P> extends { responses: infer Responses }
    ? 204 extends keyof Responses
      ? // biome-ignore lint/suspicious/noConfusingVoidType: this is what promises resolve to.
        void
      : Responses[keyof Responses] extends { content: { "application/json": infer Answer } }
        ? Answer
        : never
    : never;

/** The names of the arrays of records in a list's response. */
type Records<P extends Path> = {
  [Name in keyof AnswerOf<"get", P>]: AnswerOf<"get", P>[Name] extends unknown[] ? Name : never;
}[keyof AnswerOf<"get", P>];

type RecordOf<P extends Path, Name extends keyof AnswerOf<"get", P>> = AnswerOf<
  "get",
  P
>[Name] extends (infer Item)[]
  ? Item
  : never;

type Ids<P extends string> = P extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...Ids<Rest>]
  : [];

type Query<Input> = Record<never, never> extends Input ? [query?: Input] : [query: Input];

type Body<M extends Method, P extends Path> =
  Operation<M, P> extends { requestBody: object } ? [body: BodyOf<M, P>] : [body?: BodyOf<M, P>];

/** The paths where a method has a query or a body, and those where it has neither. */
type Taking<M extends Method> = {
  [P in Path]: [M extends "get" ? QueryOf<P> : BodyOf<M, P>] extends [never] ? never : P;
}[Path];
type TakingNothing<M extends Method> = {
  [P in Exclude<Path, Taking<M>>]: [Operation<M, P>] extends [never] ? never : P;
}[Exclude<Path, Taking<M>>];

/** The last argument of a call that creates or charges. */
export interface CreateOptions extends CallOptions {
  /**
   * A key for an operation that must be done only once. A repetition with the same key and body within a day gets the
   * first response again. By default each call has its own key.
   */
  idempotencyKey?: string;
}

export type Read<P extends Path> = (
  ...args: [...ids: Ids<P>, options?: CallOptions]
) => Promise<AnswerOf<"get", P>>;

export type List<P extends Path> = (
  ...args: [...ids: Ids<P>, ...query: Query<QueryOf<P>>, options?: CallOptions]
) => Promise<AnswerOf<"get", P>>;

export type ListAll<P extends Path, Name extends keyof AnswerOf<"get", P>> = (
  ...args: [...ids: Ids<P>, ...query: Query<Omit<QueryOf<P>, "page">>, options?: CallOptions]
) => AsyncIterable<RecordOf<P, Name>>;

export type All<P extends Path, Name extends keyof AnswerOf<"get", P>> = (
  ...args: [...ids: Ids<P>, ...query: Query<QueryOf<P>>, options?: CallOptions]
) => AsyncIterable<RecordOf<P, Name>>;

export type Create<P extends Path> = (
  ...args: [...ids: Ids<P>, ...body: Body<"post", P>, options?: CreateOptions]
) => Promise<AnswerOf<"post", P>>;

export type Send<M extends Method, P extends Path> = (
  ...args: [...ids: Ids<P>, ...body: Body<M, P>, options?: CallOptions]
) => Promise<AnswerOf<M, P>>;

export type Act<M extends Method, P extends Path> = (
  ...args: [...ids: Ids<P>, options?: CallOptions]
) => Promise<AnswerOf<M, P>>;

type AsSent = (query: object) => object;

/** Creates the client's methods. */
export interface Operations {
  /** GET of one record. */
  read<P extends TakingNothing<"get">>(path: P): Read<P>;
  /** GET with a query. `asSent` converts the given query to the one that is sent. */
  list<P extends Taking<"get">>(path: P, asSent?: AsSent): List<P>;
  /**
   * All records of a list, found under `name` in its responses, unless records leave the list
   * meanwhile.
   */
  listAll<P extends Taking<"get">, Name extends Records<P>>(
    path: P,
    name: Name,
    asSent?: AsSent,
  ): ListAll<P, Name>;
  /** The same for a list with a cursor. */
  all<P extends Taking<"get">, Name extends Records<P>>(path: P, name: Name): All<P, Name>;
  /** POST with an idempotency key: it is done once, however often it is sent. */
  create<P extends Taking<"post">>(path: P): Create<P>;
  /** Any other call with a body. */
  send<M extends "post" | "put" | "patch" | "delete", P extends Taking<M>>(
    method: M,
    path: P,
  ): Send<M, P>;
  /** Any other call without a body. */
  act<M extends "post" | "delete", P extends TakingNothing<M>>(method: M, path: P): Act<M, P>;
}

export function operationsOf(http: Http): Operations {
  function operation(
    method: Method,
    path: string,
    takes?: "query" | "body",
    { once = false, asSent = (query: object) => query } = {},
  ) {
    const names = namesIn(path);
    return async (...args: unknown[]) => {
      const ids = Object.fromEntries(names.map((name, i) => [name, idIn(args[i], name)]));
      const given = args[names.length];
      const content = takes && {
        [takes]: takes === "query" && given ? asSent(given) : given,
      };
      const { idempotencyKey, ...options }: CreateOptions =
        args[names.length + (takes ? 1 : 0)] ?? {};
      return http.call(method, path, {
        params: { path: ids, ...(takes === "query" && content) },
        ...(takes === "body" && content),
        ...options,
        headers: {
          ...(once && { "Idempotency-Key": idempotencyKey ?? randomUuid() }),
          ...options.headers,
        },
      });
    };
  }

  function each(
    records: typeof eachRecord | typeof eachAfter,
    path: string,
    name: string,
    asSent?: AsSent,
  ) {
    const list = operation("get", path, "query", { asSent });
    const ids = namesIn(path).length;
    return (...args: unknown[]) =>
      records(
        name,
        args[ids] ?? {},
        (query: object) => list(...args.slice(0, ids), query, args[ids + 1]) as Promise<never>,
      );
  }

  return {
    read: (path) => operation("get", path),
    list: (path, asSent) => operation("get", path, "query", { asSent }),
    listAll: (path, name, asSent) => each(eachRecord, path, name as string, asSent),
    all: (path, name) => each(eachAfter, path, name as string),
    create: (path) => operation("post", path, "body", { once: true }),
    send: (method, path) => operation(method, path, "body"),
    act: operation,
  } as Operations;
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/** Throws for a missing id, and for `.` and `..`, which would change the path. */
function idIn(value: unknown, name: string): string {
  if (typeof value !== "string" || value === "") throw new TypeError(`${name} is missing`);
  if (value === "." || value === "..") throw new TypeError(`${name} is not an id`);
  return value;
}
