import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { getMimeType } from "hono/utils/mime";
import type { Log } from "../log.js";
import type { Storage } from "./call.js";
import { StorageError } from "./errors.js";
import { checkKey, checkMimeType, checkNewBucketName } from "./names.js";
import { metadataOf, type UploadLimits } from "./upload.js";

/**
 * Creates the buckets of `[storage.buckets.*]`, or changes existing ones to what is written there. A bucket for which
 * no types are written keeps those it has.
 */
export async function seedBuckets(storage: Storage): Promise<void> {
  const { config, log } = storage;
  for (const [name, { objects_path }] of Object.entries(config.storage.buckets)) {
    await orWarn(log, `[storage.buckets.${name}]`, async () => {
      const limits = await seedBucket(storage, name);
      if (objects_path) await seedObjects(storage, name, objects_path, limits);
    });
  }
}

async function seedBucket({ db, config }: Storage, name: string): Promise<UploadLimits> {
  checkNewBucketName(name);
  const bucket = config.storage.buckets[name]!;
  const { allowed_mime_types: types, file_size_limit: most } = bucket;
  const [row] = await db.query<{ most: number | null; allowed: string[] | null }>(
    `insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
     values ($1, $1, $2::boolean, $3::bigint,
       (select array_agg(t) from jsonb_array_elements_text($4::text::jsonb) t))
     on conflict (id) do update
     set public = excluded.public, file_size_limit = excluded.file_size_limit,
       allowed_mime_types = coalesce(excluded.allowed_mime_types, b.allowed_mime_types)
     returning file_size_limit as most, allowed_mime_types as allowed`,
    [
      name,
      String(bucket.public),
      most === undefined ? null : String(most),
      types.length === 0 ? null : JSON.stringify(types),
    ],
  );
  const { file_size_limit: global } = config.storage;
  return { most: Math.min(row!.most ?? global, global), allowed: row!.allowed };
}

/** Copies the files below `objectsPath` into a bucket, under their paths there. It keeps the objects that exist. */
async function seedObjects(
  storage: Storage,
  bucket: string,
  objectsPath: string,
  limits: UploadLimits,
): Promise<void> {
  const { db, config, log } = storage;
  const folder = join(config.root, "supabase", objectsPath);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (!entries) return log.warn(`there is no folder ${objectsPath}, the objects_path of ${bucket}`);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const nameOf = (file: string) => relative(folder, file).split(sep).join("/");
  const existing = await db.query<{ name: string }>(
    `select name from storage.objects
     where bucket_id = $1 and name in (select jsonb_array_elements_text($2::text::jsonb))`,
    [bucket, JSON.stringify(files.map(nameOf))],
  );
  const kept = new Set(existing.map(({ name }) => name));
  for (const file of files.filter((file) => !kept.has(nameOf(file)))) {
    await orWarn(log, file, () => seedObject(storage, bucket, nameOf(file), file, limits));
  }
}

async function seedObject(
  { db, disk }: Storage,
  bucket: string,
  name: string,
  file: string,
  { most, allowed }: UploadLimits,
): Promise<void> {
  checkKey(name);
  const mimeType = getMimeType(name) ?? "application/octet-stream";
  checkMimeType(mimeType, allowed);
  const written = await disk.write(createReadStream(file), most);
  const metadata = metadataOf(written, { mimeType, cacheControl: "max-age=3600" });
  await db.query(
    `insert into storage.objects (bucket_id, name, version, metadata)
     values ($1, $2, $3, $4::text::jsonb)`,
    [bucket, name, written.version, JSON.stringify(metadata)],
  );
}

/** Runs `work`. An error of Storage becomes a warning, because the stack can start without that bucket or object. */
async function orWarn(log: Log, subject: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    log.warn(`left out ${subject}: ${error.message}`);
  }
}
