import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { getMimeType } from "hono/utils/mime";
import type { Storage } from "./call.js";

/** Makes the buckets of `[storage.buckets.*]`, or brings them to what is written there; types that it does not list stay. */
export async function seedBuckets(storage: Storage): Promise<void> {
  const { db, config } = storage;
  for (const [name, bucket] of Object.entries(config.storage.buckets)) {
    const { allowed_mime_types: types, file_size_limit: most } = bucket;
    await db.query(
      `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
       values ($1, $1, $2::boolean, $3::bigint,
         (select array_agg(t) from jsonb_array_elements_text($4::text::jsonb) t))
       on conflict (id) do update
       set public = excluded.public, file_size_limit = excluded.file_size_limit,
         allowed_mime_types = coalesce(excluded.allowed_mime_types, buckets.allowed_mime_types)`,
      [
        name,
        String(bucket.public),
        most === undefined ? null : String(most),
        types.length === 0 ? null : JSON.stringify(types),
      ],
    );
    if (bucket.objects_path) await seedObjects(storage, name, bucket.objects_path);
  }
}

/** Brings the files below `objects_path` into a bucket, each under its path there, unless it has one of that name. */
async function seedObjects(
  { db, disk, config, log }: Storage,
  bucket: string,
  objectsPath: string,
): Promise<void> {
  const folder = join(config.root, "supabase", objectsPath);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (!entries) return log.warn(`there is no folder ${objectsPath}, the objects_path of ${bucket}`);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const nameOf = (file: string) => relative(folder, file).split(sep).join("/");
  const kept = await db.query<{ name: string }>(
    `select name from storage.objects
     where bucket_id = $1 and name in (select jsonb_array_elements_text($2::text::jsonb))`,
    [bucket, JSON.stringify(files.map(nameOf))],
  );
  const there = new Set(kept.map(({ name }) => name));
  for (const file of files) {
    const name = nameOf(file);
    if (there.has(name)) continue;
    const written = await disk.write(createReadStream(file), config.storage.file_size_limit);
    const { version, size, eTag, lastModified } = written;
    const mimetype = getMimeType(name) ?? "application/octet-stream";
    const metadata = {
      ...{ eTag, size, mimetype, cacheControl: "max-age=3600", contentLength: size },
      ...{ lastModified: lastModified.toISOString(), httpStatusCode: 200 },
    };
    await db.query(
      `insert into storage.objects (bucket_id, name, version, metadata)
       values ($1, $2, $3, $4::text::jsonb)`,
      [bucket, name, version, JSON.stringify(metadata)],
    );
  }
}
