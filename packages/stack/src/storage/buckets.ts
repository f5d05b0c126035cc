import { z } from "zod";
import type { Parameter } from "../db/database.js";
import {
  type Answer,
  asCaller,
  asStorage,
  type Call,
  discard,
  instant,
  orDuplicate,
  parse,
  readJson,
  text,
  transaction,
} from "./call.js";
import { noSuchBucket, StorageError } from "./errors.js";
import { bytesOf, checkAllowedMimeTypes, checkNewBucketName, isBucketName } from "./names.js";

interface BucketRow {
  id: string;
  name: string;
  owner: string | null;
  public: boolean;
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
  created_at: string;
  updated_at: string;
  type: string;
}

const COLUMNS =
  "id, name, owner, public, created_at, updated_at, file_size_limit, allowed_mime_types, type";

const limits = {
  public: z.boolean().optional(),
  file_size_limit: z.union([z.int().min(0), z.string().transform(bytesOf)]).nullish(),
  allowed_mime_types: z
    .array(text)
    .max(1000)
    .transform((types) => types.filter((type) => type !== ""))
    .nullish(),
};
const newBucket = z.object({
  name: text,
  id: text.optional(),
  type: z.enum(["STANDARD", "ANALYTICS"]).optional(),
  ...limits,
});
const changedBucket = z.object(limits);
const list = z.object({
  limit: z.coerce.number().int().min(1).optional(),
  offset: z.coerce.number().int().min(0).optional(),
  sortColumn: z.enum(["id", "name", "created_at", "updated_at"]).optional(),
  sortOrder: z.enum(["asc", "desc"]).optional(),
  search: text.optional(),
});

export async function createBucket(call: Call): Promise<Answer> {
  const { name, id = name, type, ...given } = await readJson(call, newBucket);
  checkNewBucketName(name);
  checkNewBucketName(id);
  if (type === "ANALYTICS") {
    throw new StorageError(
      "FeatureNotEnabled",
      "The feature Iceberg buckets are not enabled for this tenant",
      { status: 409 },
    );
  }
  checkLimits(call, given);
  const { owner } = call.caller;
  await orDuplicate(
    "BucketAlreadyExists",
    asCaller(
      call,
      `insert into storage.buckets
         (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types, type)
       values ($1, $2, $3::uuid, $4, $5::boolean, $6::bigint,
         (select array_agg(t) from jsonb_array_elements_text($7::text::jsonb) t), 'STANDARD')`,
      [id, name, asUuid(owner), owner, String(given.public ?? false), ...limitsOf(given)],
    ),
  );
  return { json: { name } };
}

export async function getBucket(call: Call): Promise<Answer> {
  const [row] = await asCaller<BucketRow>(
    call,
    `select ${COLUMNS} from storage.buckets where id = $1`,
    [call.bucket],
  );
  if (!row) throw noSuchBucket();
  const { type, ...bucket } = describe(row);
  return { json: bucket };
}

export async function listBuckets(call: Call): Promise<Answer> {
  const asked = parse("querystring", list, Object.fromEntries(call.query));
  const { limit, offset, sortColumn, sortOrder = "asc", search } = asked;
  const rows = await asCaller<BucketRow>(
    call,
    `select ${COLUMNS} from storage.buckets
     where $1::text is null or strpos(lower(name), lower($1)) > 0
     ${sortColumn ? `order by ${sortColumn} ${sortOrder}` : ""}
     limit $2::bigint offset $3::bigint`,
    [search || null, limit === undefined ? null : String(limit), String(offset ?? 0)],
  );
  return { json: rows.map(describe) };
}

export async function updateBucket(call: Call): Promise<Answer> {
  const given = await readJson(call, changedBucket);
  if (!isBucketName(call.bucket)) throw new StorageError("InvalidBucketName");
  if (!Object.keys(limits).some((name) => name in given)) {
    throw new StorageError("InvalidRequest", "body must NOT have fewer than 1 properties", {
      error: "Error",
    });
  }
  checkLimits(call, given);
  const rows = await asCaller(
    call,
    `update storage.buckets
     set public = coalesce($2::boolean, public),
       file_size_limit = case when $5::boolean then $3::bigint else file_size_limit end,
       allowed_mime_types = case when $6::boolean
         then (select array_agg(t) from jsonb_array_elements_text($4::text::jsonb) t)
         else allowed_mime_types end
     where id = $1
     returning id`,
    [
      call.bucket,
      given.public === undefined ? null : String(given.public),
      ...limitsOf(given),
      String(given.file_size_limit !== undefined),
      String(given.allowed_mime_types !== undefined),
    ],
  );
  if (rows.length === 0) throw noSuchBucket();
  return { json: { message: "Successfully updated" } };
}

export async function deleteBucket(call: Call): Promise<Answer> {
  const [bucket] = await asStorage<{ filled: boolean }>(
    call,
    `select exists (select from storage.objects where bucket_id = $1) as filled
     from storage.buckets where id = $1`,
    [call.bucket],
  );
  if (!bucket) throw noSuchBucket();
  if (bucket.filled) throw new StorageError("ResourceNotEmpty");
  const deleted = await asCaller(call, "delete from storage.buckets where id = $1 returning id", [
    call.bucket,
  ]);
  if (deleted.length === 0) throw noSuchBucket();
  return { json: { message: "Successfully deleted" } };
}

/** Maximum number of objects that hosted removes. Hosted does it after the answer; here it is done before. */
const MAX_EMPTIED = 200_000;
/** Objects per transaction. */
const EMPTY_BATCH = 1000;

export async function emptyBucket(call: Call): Promise<Answer> {
  if (call.caller.role !== "service_role") {
    throw new StorageError("AccessDenied", "Access denied: Invalid role");
  }
  const [bucket] = await asCaller<{ most: number }>(
    call,
    `select (select count(*) from (
        select from storage.objects where bucket_id = $1 limit $2::int
      ) o)::int as most
     from storage.buckets where id = $1`,
    [call.bucket, String(MAX_EMPTIED + 1)],
  );
  if (!bucket) throw noSuchBucket();
  if (bucket.most > MAX_EMPTIED) {
    throw new StorageError(
      "InvalidRequest",
      "Unable to empty the bucket because it contains too many objects",
      { status: 409 },
    );
  }
  const [clock] = await asStorage<{ now: string }>(call, "select now()::text as now", []);
  for (;;) {
    const removed = await transaction(call, "caller", (tx) =>
      tx.query<{ version: string | null }>(
        `delete from storage.objects
         where id in (
           select id from storage.objects
           where bucket_id = $1 and created_at < $2::timestamptz limit $3::int
         )
         returning version`,
        [call.bucket, clock!.now, String(EMPTY_BATCH)],
      ),
    );
    await discard(
      call,
      removed.map(({ version }) => version),
    );
    if (removed.length < EMPTY_BATCH) break;
  }
  return {
    json: { message: "Empty bucket has been queued. Completion may take up to an hour." },
  };
}

type Limits = Pick<z.output<typeof changedBucket>, "file_size_limit" | "allowed_mime_types">;

function checkLimits(call: Call, { file_size_limit, allowed_mime_types }: Limits): void {
  if ((file_size_limit ?? 0) > call.config.storage.file_size_limit) {
    throw new StorageError("EntityTooLarge");
  }
  if (allowed_mime_types) checkAllowedMimeTypes(allowed_mime_types);
}

const limitsOf = ({ file_size_limit, allowed_mime_types }: Limits): Parameter[] => [
  file_size_limit == null ? null : String(file_size_limit),
  allowed_mime_types == null ? null : JSON.stringify(allowed_mime_types),
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The owner for the deprecated column `owner`, which accepts only UUIDs. */
export const asUuid = (owner: string | null) => (owner && UUID.test(owner) ? owner : null);

const describe = ({ owner, ...row }: BucketRow) => ({
  ...row,
  owner: owner ?? "",
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
});
