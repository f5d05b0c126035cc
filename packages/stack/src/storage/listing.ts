import { z } from "zod";
import { type Answer, asCaller, type Call, instant, readJson, text } from "./call.js";
import { StorageError } from "./errors.js";

/** A row of the listing functions of the schema `storage`: an object, or a folder, which has no id. */
interface Listed {
  name: string;
  id: string | null;
  updated_at: string | null;
  created_at: string | null;
  last_accessed_at: string | null;
  metadata: object | null;
}

const order = z.enum(["asc", "desc"]).optional();
const search = z.object({
  prefix: text,
  limit: z.int().min(1).default(100),
  offset: z.int().min(0).default(0),
  sortBy: z
    .object({ column: z.enum(["name", "updated_at", "created_at", "last_accessed_at"]), order })
    .optional(),
  search: text.default(""),
});

/** Escapes the characters that have a meaning for `like`. */
const escapeLike = (pattern: string) => pattern.replace(/[\\%_]/g, "\\$&");

export async function listObjects(call: Call): Promise<Answer> {
  const asked = await readJson(call, search);
  const { column = "name", order = "asc" } = asked.sortBy ?? {};
  const folder =
    asked.prefix === "" || asked.prefix.endsWith("/") ? asked.prefix : `${asked.prefix}/`;
  const plain = column === "name";
  const prefix = plain ? folder : escapeLike(folder);
  const term = plain ? asked.search : escapeLike(asked.search);
  const levels = String((prefix + term).split("/").length);
  const rows = await asCaller<Listed>(
    call,
    "select * from storage.search($1, $2, $3::int, $4::int, $5::int, $6, $7, $8)",
    [prefix, call.bucket, whole(asked.limit), levels, whole(asked.offset), term, column, order],
  );
  return { json: rows.map(describe) };
}

/** Maximum number of entries per page, as hosted. */
const MAX_ENTRIES = 1000;
const listing = z.object({
  prefix: text.default(""),
  limit: z.int().min(1).default(MAX_ENTRIES),
  cursor: text.optional(),
  with_delimiter: z.boolean().optional(),
  sortBy: z.object({ column: z.enum(["name", "updated_at", "created_at"]), order }).optional(),
});

/** The start of the next page, and the order of all pages. */
interface Cursor {
  after: string;
  order: "asc" | "desc";
  column: "name" | "updated_at" | "created_at";
  /** The date of the last entry, when the order is by date. */
  date: string;
}

export async function listObjectsV2(call: Call): Promise<Answer> {
  const { cursor: given, ...asked } = await readJson(call, listing);
  const cursor: Cursor = given
    ? decodeCursor(given)
    : {
        after: "",
        order: asked.sortBy?.order ?? "asc",
        column: asked.sortBy?.column ?? "name",
        date: "",
      };
  const limit = Math.min(asked.limit, MAX_ENTRIES);
  const found = await (asked.with_delimiter ? withFolders : objectsOnly)(
    call,
    asked.prefix,
    limit + 1,
    cursor,
  );
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasNext = found.length > limit && last !== undefined;
  const next = hasNext && {
    nextCursor: encodeCursor({
      ...cursor,
      after: last.name,
      date: cursor.column === "name" ? "" : (instant(last[cursor.column]) ?? ""),
    }),
    nextCursorKey: last.name,
  };
  return {
    json: {
      hasNext,
      ...next,
      folders: page.filter(({ id }) => id === null).map((row) => folder(describe(row))),
      objects: page.filter(({ id }) => id !== null).map(describe),
    },
  };
}

const withFolders = (call: Call, prefix: string, limit: number, cursor: Cursor) =>
  asCaller<Listed & { key?: string }>(
    call,
    "select * from storage.search_v2($1, $2, $3::int, $4::int, $5, $6, $7, $8)",
    [
      prefix,
      call.bucket,
      String(limit),
      String(prefix === "" ? 1 : prefix.split("/").length),
      cursor.after,
      cursor.order,
      cursor.column,
      cursor.date || null,
    ],
  );

function objectsOnly(call: Call, prefix: string, limit: number, cursor: Cursor) {
  const { after, order, column, date } = cursor;
  const beyond = order === "asc" ? ">" : "<";
  const sorted = column === "name" ? "" : `date_trunc('milliseconds', ${column}) ${order}, `;
  const place =
    column === "name"
      ? `($5::text is null and name collate "C" ${beyond} $4)`
      : `(date_trunc('milliseconds', ${column}), name collate "C") ${beyond} ($5::timestamptz, $4)`;
  return asCaller<Listed>(
    call,
    `select id, name, metadata, updated_at, created_at, last_accessed_at
     from storage.objects
     where bucket_id = $1 and name collate "C" ^@ $2 and ($4 = '' or ${place})
     order by ${sorted}name collate "C" ${order}
     limit $3::int`,
    [call.bucket, prefix, String(limit), after, date || null],
  );
}

/** The letters before the fields of a cursor, as hosted writes them. */
const LETTERS = { l: "after", o: "order", c: "column", a: "date" } as const;

function encodeCursor(cursor: Cursor): string {
  const lines = Object.entries(LETTERS)
    .filter(([, field]) => cursor[field] !== "")
    .map(([letter, field]) => `${letter}:${cursor[field]}`);
  return Buffer.from(lines.join("\n")).toString("base64");
}

const cursorFields = z.object({
  after: text.default(""),
  order: z.enum(["asc", "desc"]).default("asc"),
  column: z.enum(["name", "updated_at", "created_at"]).default("name"),
  date: z.union([z.literal(""), z.iso.datetime()]).default(""),
});

function decodeCursor(given: string): Cursor {
  const fields: Record<string, string> = {};
  for (const line of Buffer.from(given, "base64").toString().split("\n")) {
    const [, letter = "", value = ""] = /^(\S):(.*)/.exec(line) ?? [];
    if (!(letter in LETTERS)) throw unfit();
    fields[LETTERS[letter as keyof typeof LETTERS]] = value;
  }
  const parsed = cursorFields.safeParse(fields);
  if (!parsed.success) throw unfit();
  return parsed.data;
}

const unfit = () => new StorageError("InvalidParameter", "Invalid Parameter continuation token");

/** Bounds a number to the range of Postgres' integer. */
const whole = (number: number) => String(Math.min(number, 2 ** 31 - 1));

const folder = <Row extends { name: string }>(row: Row) => ({
  ...row,
  name: row.name.endsWith("/") ? row.name : `${row.name}/`,
});

const describe = (row: Listed) => ({
  ...row,
  updated_at: instant(row.updated_at),
  created_at: instant(row.created_at),
  last_accessed_at: instant(row.last_accessed_at),
});
