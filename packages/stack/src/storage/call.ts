import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { isDatabaseError, type Queryable, type Settings } from "../db/database.js";
import type { ServiceContext } from "../service.js";
import { type Caller, customPlans, serviceItself, settingsOf } from "./caller.js";
import type { Disk } from "./disk.js";
import { invalidRequest, StorageError } from "./errors.js";
import type { WithLocks } from "./locks.js";

/** The parts that all functions of this service share. */
export interface Storage extends ServiceContext {
  disk: Disk;
  withLocks: WithLocks;
  resumable: Resumable;
}

/** Uploads in parts, by the protocol TUS, that continue where they were interrupted. */
export interface Resumable {
  answer(call: Call): Promise<Answer>;
  /** Removes the uploads that were begun over 24 hours ago. */
  deleteExpired(): Promise<number>;
}

/** One request. */
export interface Call extends Storage {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  caller: Caller;
  /** The answer of `storage.operation()`, for policies. */
  operation: string;
  /** The bucket that the path names; empty if it names none. */
  bucket: string;
  name: string;
  query: URLSearchParams;
}

/** A JSON answer; null when the handler has sent the answer itself. */
export type Answer = { json: unknown } | null;

const settings = (call: Call, who: Caller): Settings =>
  settingsOf(who, call.operation, call.incoming);

/** Runs one statement as the caller. */
export const asCaller = <Row>(call: Call, sql: string, params: readonly (string | null)[]) =>
  call.db.run<Row>(settings(call, call.caller), sql, params);

/** Runs one statement as the service, which no policy restricts. */
export const asStorage = <Row>(call: Call, sql: string, params: readonly (string | null)[]) =>
  call.db.run<Row>(settings(call, serviceItself), sql, params);

/** Reads what no policy restricts and no trigger sees, without the settings of a request. */
export const lookUp = <Row>({ db }: Call, sql: string, params: readonly (string | null)[]) =>
  db.run<Row>(customPlans, sql, params);

/** Runs a transaction as the caller, or as the service. */
export const transaction = <T>(
  call: Call,
  who: "caller" | "storage",
  work: (tx: Queryable) => Promise<T>,
): Promise<T> =>
  call.db.transaction(settings(call, who === "caller" ? call.caller : serviceItself), work);

/** Runs `work` as the caller and rolls it back. Throws the error with which Postgres refuses it. */
export async function probe(call: Call, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  const undone = new Error("rolled back on purpose");
  try {
    await transaction(call, "caller", async (tx) => {
      await work(tx);
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
}

/** Replaces Postgres' error about a second row of the same name by `code`. */
export async function orDuplicate<T>(
  code: "BucketAlreadyExists" | "KeyAlreadyExists",
  work: Promise<T>,
): Promise<T> {
  return await work.catch((error) => {
    throw isDatabaseError(error) && error.code === "23505" ? new StorageError(code) : error;
  });
}

/**
 * Removes bytes that no row refers to. A failure is logged and not thrown, because the row is committed by then: the
 * next start removes those bytes.
 */
export async function discard(
  { disk, log }: Storage,
  versions: readonly (string | null)[],
): Promise<void> {
  await disk.remove(versions).catch((error) => log.error("cannot remove unused bytes", error));
}

/** Largest JSON body, in bytes. */
const JSON_BYTES = 1024 * 1024;

/** Text that Postgres can store. */
export const text = z.string().refine((value) => !value.includes("\0"), "must not contain NUL");

/** Reads a JSON body. Throws InvalidRequest, EntityTooLarge. */
export async function readJson<Schema extends z.ZodType>(
  { incoming }: Call,
  schema: Schema,
): Promise<z.output<Schema>> {
  const isJson = /^application\/json\b/i.test(incoming.headers["content-type"] ?? "");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > JSON_BYTES) {
      throw new StorageError("EntityTooLarge", "Request body is too large", { error: "Error" });
    }
    chunks.push(chunk);
  }
  if (!isJson || size === 0) throw unfit("body must be object");
  let given: unknown;
  try {
    given = JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw unfit("Body is not valid JSON but content-type is set to 'application/json'");
  }
  return parse("body", schema, given);
}

/** Parses `given`. Throws InvalidRequest, which names the first field that does not fit. */
export function parse<Schema extends z.ZodType>(
  where: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const last = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], given);
  if (last !== undefined && Object(holder)[last] === undefined) {
    throw unfit(
      `${[where, ...path.slice(0, -1)].join("/")} must have required property '${String(last)}'`,
    );
  }
  throw unfit(`${[where, ...path].join("/")} ${issue?.message}`);
}

const unfit = (message: string) => {
  const { code } = invalidRequest(message);
  return new StorageError(code, message, { error: "Error" });
};

/** Converts a time as Postgres writes it into ISO 8601. */
export const instant = (written: string | null) =>
  written === null ? null : new Date(written).toISOString();
