import type { ReadStream } from "node:fs";
import type { ReadableStream } from "node:stream/web";
import type pg from "pg";

/** An object of Storage, as its row describes it. */
export interface ObjectRow {
  id: string;
  bucket: string;
  name: string;
  /** Names the bytes: an upload of the same name has another one. */
  version: string;
  size: number | null;
  content_type: string | null;
  cache_control: string | null;
  owner: string | null;
  owner_id: string | null;
  user_metadata: object | null;
  /** As a text, because a `Date` has no microseconds. */
  created_at: string;
}

/** Rows that are read at once. */
const PAGE = 1000;

/** All objects, by bucket and name. */
export async function* pagesOfObjects(client: pg.Client): AsyncGenerator<ObjectRow[]> {
  let [bucket, name] = ["", ""];
  for (;;) {
    const { rows } = await client.query<ObjectRow>(
      `select o.id, o.bucket_id as bucket, o.name, coalesce(o.version, o.id::text) as version,
         (o.metadata ->> 'size')::float8 as size, o.metadata ->> 'mimetype' as content_type,
         o.metadata ->> 'cacheControl' as cache_control, o.owner, o.owner_id, o.user_metadata, o.created_at::text
       from storage.objects o
       where (o.bucket_id collate "C", o.name collate "C") > ($1, $2)
       order by o.bucket_id collate "C", o.name collate "C"
       limit ${PAGE}`,
      [bucket, name],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    [bucket, name] = [last.bucket, last.name];
  }
}

/** The API of a project's Storage, with all rights. */
export interface Storage {
  /** Returns an object's bytes; null if there are none, or other ones than the row says. */
  read(row: ObjectRow): Promise<ReadableStream<Uint8Array> | null>;
  /** Whether an object's bytes are there. */
  has(row: ObjectRow): Promise<boolean>;
  write(row: ObjectRow, bytes: ReadStream, size: number): Promise<void>;
}

export function openStorage(projectUrl: string, secretKey: string): Storage {
  const authorization = { apikey: secretKey, authorization: `Bearer ${secretKey}` };
  const ask = ({ bucket, name }: ObjectRow, init: RequestInit) =>
    fetch(
      `${projectUrl}/storage/v1/object/${encodeURIComponent(bucket)}/${name.split("/").map(encodeURIComponent).join("/")}`,
      { ...init, headers: { ...authorization, ...init.headers } },
    );
  const failure = async (row: ObjectRow, response: Response) =>
    new Error(`${row.bucket}/${row.name}: ${response.status} ${await response.text()}`);

  return {
    async read(row) {
      const response = await ask(row, { headers: { "cache-control": "no-cache" } });
      if (response.ok) return response.body as ReadableStream<Uint8Array>;
      // Storage answers 400 and 404 for what is not there, and 500 for a row without bytes.
      if (response.status === 401 || response.status === 403) throw await failure(row, response);
      await response.body?.cancel();
      return null;
    },
    async has(row) {
      // An empty object has no first byte.
      const response = await ask(row, row.size === 0 ? {} : { headers: { range: "bytes=0-0" } });
      await response.body?.cancel();
      return response.ok;
    },
    async write(row, bytes, size) {
      const headers: Record<string, string> = {
        "content-type": row.content_type ?? "application/octet-stream",
        "cache-control": row.cache_control ?? "no-cache",
        "content-length": String(size),
        "x-upsert": "true",
      };
      // `duplex` is required for a stream, and missing in the types.
      const init = { method: "POST", body: bytes, headers, duplex: "half" };
      const response = await ask(row, init as unknown as RequestInit);
      if (!response.ok) throw await failure(row, response);
      await response.body?.cancel();
    },
  };
}
