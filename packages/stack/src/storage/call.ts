import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { isDatabaseError, type Queryable, type Settings } from "../db/database.js";
import type { ServiceContext } from "../service.js";
import { type Caller, settingsOf, storageItself } from "./caller.js";
import type { Disk } from "./disk.js";
import { invalidRequest, StorageError } from "./errors.js";
import type { InTurn } from "./turns.js";

/** What every part of this service is given. */
export interface Storage extends ServiceContext {
  disk: Disk;
  inTurn: InTurn;
  resumable: Resumable;
}

/** Uploads in parts, by the protocol TUS, that go on where they were cut off. */
export interface Resumable {
  answer(call: Call): Promise<Answer>;
  /** Removes what nobody goes on with. */
  deleteExpired(): Promise<number>;
}

/** One request. */
export interface Call extends Storage {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  caller: Caller;
  /** What policies read by `storage.operation()`. */
  operation: string;
  /** Of the path; empty where it names none. */
  bucket: string;
  name: string;
  query: URLSearchParams;
}

/** A JSON answer; a handler that has answered by itself gives null. */
export type Answer = { status?: number; json: unknown } | null;

const settings = (call: Call, who: Caller): Settings =>
  settingsOf(who, call.operation, call.incoming);

/** One statement as the caller. */
export const asCaller = <Row>(call: Call, sql: string, params: readonly (string | null)[]) =>
  call.db.run<Row>(settings(call, call.caller), sql, params);

/** One statement that no policy judges. */
export const asStorage = <Row>(call: Call, sql: string, params: readonly (string | null)[]) =>
  call.db.run<Row>(settings(call, storageItself), sql, params);

/** A transaction as the caller, or as Storage itself. */
export const transaction = <T>(
  call: Call,
  who: "caller" | "storage",
  work: (tx: Queryable) => Promise<T>,
): Promise<T> =>
  call.db.transaction(settings(call, who === "caller" ? call.caller : storageItself), work);

/** Whether the caller may do `work`, which is undone. Throws what Postgres refuses it with. */
export async function probe(call: Call, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  const undone = new Error("undone on purpose");
  try {
    await transaction(call, "caller", async (tx) => {
      await work(tx);
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
}

/** Throws `code` in the place of Postgres' refusal of a second row under the same name. */
export async function orDuplicate<T>(
  code: "BucketAlreadyExists" | "KeyAlreadyExists",
  work: Promise<T>,
): Promise<T> {
  return await work.catch((error) => {
    throw isDatabaseError(error) && error.code === "23505" ? new StorageError(code) : error;
  });
}

const JSON_BYTES = 1024 * 1024;

/** Text that Postgres can hold. */
export const text = z.string().refine((value) => !value.includes("\0"), "must not hold a NUL");

/** Reads a JSON body. `optional`: none is an empty object. Throws InvalidRequest, EntityTooLarge. */
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

/** Throws InvalidRequest, which names the first thing that does not fit. */
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

/** A moment as Postgres writes it, as JSON has it. */
export const instant = (written: string | null) =>
  written === null ? null : new Date(written).toISOString();
