import { z } from "zod";
import { asUuid } from "./buckets.js";
import {
  type Answer,
  asCaller,
  asStorage,
  type Call,
  discard,
  instant,
  lookUp,
  readJson,
  text,
} from "./call.js";
import { invalidRequest, MissingBytes, noSuchBucket, noSuchKey, StorageError } from "./errors.js";
import { checkKey } from "./names.js";
import { putObject } from "./object-rows.js";
import { mayUpload, orRemove, parseUserMetadata } from "./upload.js";

/** The facts about an object's bytes in its row. */
export interface Metadata {
  eTag?: string;
  size?: number;
  mimetype?: string;
  cacheControl?: string;
  lastModified?: string;
  xRobotsTag?: string;
}

export interface ObjectRow {
  id: string;
  name: string;
  bucket_id: string;
  owner: string | null;
  owner_id: string | null;
  version: string;
  created_at: string;
  updated_at: string;
  last_accessed_at: string;
  metadata: Metadata | null;
  user_metadata: Record<string, unknown> | null;
}

const COLUMNS = `id, name, bucket_id, owner, owner_id, version, created_at, updated_at,
  last_accessed_at, metadata, user_metadata`;

const SELECT = `select ${COLUMNS} from storage.objects where bucket_id = $1 and name = $2`;

/** Finds an object as the caller, or as the service. Throws InvalidKey, NoSuchKey. */
export async function findObject(
  call: Call,
  who: "caller" | "storage",
  bucket: string,
  name: string,
): Promise<ObjectRow> {
  checkKey(name);
  const ask = who === "caller" ? asCaller : asStorage;
  const [row] = await ask<ObjectRow>(call, SELECT, [bucket, name]);
  if (!row) throw noSuchKey();
  return row;
}

/**
 * Finds an object that may be in a public bucket, to which no policy applies. Throws NoSuchKey, and NoSuchBucket for a
 * private bucket when the request has no token.
 */
export async function findReadable(call: Call): Promise<ObjectRow> {
  const { authenticated } = call.caller;
  if (authenticated) {
    const [row] = await asCaller<ObjectRow>(call, SELECT, [call.bucket, call.name]);
    if (row) return row;
  }
  const [bucket] = await lookUp<{ public: boolean; object: ObjectRow | null }>(
    call,
    `select coalesce(b.public, false) as public, to_json(o) as object
     from storage.buckets b
     left join (${SELECT}) o on true
     where b.id = $1`,
    [call.bucket, call.name],
  );
  if (!bucket || !(bucket.public || authenticated)) throw noSuchBucket();
  checkKey(call.name);
  if (!bucket.public || !bucket.object) throw noSuchKey();
  return bucket.object;
}

/** Runs `work` with an object's bytes. If they were replaced after `find`, it finds the object again. */
export async function withObject<T>(
  find: () => Promise<ObjectRow>,
  work: (row: ObjectRow) => Promise<T>,
): Promise<T> {
  let row = await find();
  for (;;) {
    try {
      return await work(row);
    } catch (error) {
      if (!(error instanceof MissingBytes)) throw error;
      const current = await find();
      if (current.version === row.version) throw error;
      row = current;
    }
  }
}

export async function deleteObject(call: Call): Promise<Answer> {
  await findObject(call, "storage", call.bucket, call.name);
  const [removed] = await remove(call, [call.name]);
  if (!removed) throw new StorageError("AccessDenied");
  return { json: { message: "Successfully deleted" } };
}

/** Maximum number of objects per request, as hosted. */
const MAX_REMOVED = 1000;
const removal = z.object({ prefixes: z.array(text).min(1) });

export async function deleteObjects(call: Call): Promise<Answer> {
  const { prefixes } = await readJson(call, removal);
  if (prefixes.length > MAX_REMOVED) {
    throw invalidRequest(`Bulk object requests are limited to ${MAX_REMOVED} objects per request.`);
  }
  return { json: (await remove(call, prefixes)).map(describe) };
}

/** Deletes the rows first: the next start removes bytes without a row, but a row without bytes would be broken. */
async function remove(call: Call, names: readonly string[]): Promise<ObjectRow[]> {
  const rows = await asCaller<ObjectRow>(
    call,
    `delete from storage.objects
     where bucket_id = $1 and name in (select jsonb_array_elements_text($2::text::jsonb))
     returning ${COLUMNS}`,
    [call.bucket, JSON.stringify(names)],
  );
  await discard(
    call,
    rows.map(({ version }) => version),
  );
  return rows;
}

const endpoints = {
  bucketId: text,
  sourceKey: text,
  destinationBucket: text.optional(),
  destinationKey: text,
};
const moving = z.object(endpoints);
const copying = z.object({
  ...endpoints,
  metadata: z.object({ cacheControl: text.optional(), mimetype: text.optional() }).optional(),
  copyMetadata: z.boolean().default(true),
});

/** Changes the row only: the name of the file does not depend on the name of the object. */
export async function moveObject(call: Call): Promise<Answer> {
  const asked = await readJson(call, moving);
  const { bucketId, sourceKey, destinationBucket = bucketId, destinationKey } = asked;
  checkKey(destinationKey);
  const { owner } = call.caller;
  const move = () =>
    asCaller<{ id: string }>(
      call,
      `update storage.objects
       set name = $4, bucket_id = $3, owner = $5::uuid, owner_id = $6
       where bucket_id = $1 and name = $2
       returning id`,
      [bucketId, sourceKey, destinationBucket, destinationKey, asUuid(owner), owner],
    );
  // An upload that replaces one of the two removes the bytes that it finds under that name.
  const names = [`${bucketId}/${sourceKey}`, `${destinationBucket}/${destinationKey}`];
  const [moved] = await call.withLocks(names, move);
  if (!moved) throw noSuchKey();
  return { json: { message: "Successfully moved", Id: moved.id, Key: destinationKey } };
}

export async function copyObject(call: Call): Promise<Answer> {
  const asked = await readJson(call, copying);
  const { bucketId, sourceKey, destinationBucket: bucket = bucketId, destinationKey } = asked;
  checkKey(destinationKey);
  const find = () => findObject(call, "caller", bucketId, sourceKey);
  await withObject(find, (source) => copyOf(call, source, asked));
  const made = await findObject(call, "storage", bucket, destinationKey);
  return { json: { Id: made.id, Key: `${bucket}/${destinationKey}`, ...describe(made) } };
}

/** Copies the object that was found. Throws MissingBytes. */
async function copyOf(
  call: Call,
  source: ObjectRow,
  asked: z.output<typeof copying>,
): Promise<void> {
  const { bucketId, destinationBucket: bucket = bucketId, destinationKey } = asked;
  const { headers } = call.incoming;
  const header = headers["x-metadata"];
  const given = typeof header === "string" ? parseUserMetadata(header) : undefined;
  const userMetadata = asked.copyMetadata ? source.user_metadata : given;
  const { cacheControl, mimetype } = asked.copyMetadata ? {} : (asked.metadata ?? {});
  const metadata = {
    ...source.metadata,
    ...(cacheControl !== undefined && { cacheControl }),
    ...(mimetype !== undefined && { mimetype }),
    lastModified: new Date().toISOString(),
  };
  const destination = { ...call, bucket, name: destinationKey };
  const upsert = headers["x-upsert"] === "true";
  await mayUpload(destination, {
    upsert,
    userMetadata: userMetadata ?? undefined,
    mimeType: metadata.mimetype,
    contentLength: metadata.size,
  });
  const version = await call.disk.copy(source.version);
  const { owner } = call.caller;
  const copied = { bucket, name: destinationKey, owner, version, metadata, userMetadata };
  await orRemove(call, version, putObject(call, copied, upsert));
}

const describe = (row: ObjectRow) => ({
  ...row,
  owner: row.owner ?? "",
  owner_id: row.owner_id ?? "",
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
  last_accessed_at: instant(row.last_accessed_at),
});
