import type { Queryable } from "../db/database.js";
import { asUuid } from "./buckets.js";
import { asStorage, type Call, discard, orDuplicate } from "./call.js";

/** The row of an object that an upload or a copy writes. */
export interface NewObject {
  bucket: string;
  name: string;
  owner: string | null;
  version: string;
  metadata: object;
  userMetadata: object | null | undefined;
}

const parametersOf = (object: NewObject) => [
  object.bucket,
  object.name,
  asUuid(object.owner),
  object.owner,
  object.version,
  JSON.stringify(object.metadata),
  object.userMetadata ? JSON.stringify(object.userMetadata) : null,
];

const INSERT = `insert into storage.objects
    (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
  values ($1, $2, $3::uuid, $4, $5, $6::text::jsonb, $7::text::jsonb)`;
const UPSERT = `${INSERT}
  on conflict (name, bucket_id) do update
  set metadata = excluded.metadata, user_metadata = excluded.user_metadata,
    version = excluded.version, owner = excluded.owner, owner_id = excluded.owner_id
  returning id`;

/** Returns nothing: a caller who may insert a row need not be allowed to read it. */
export const insertObject = (tx: Queryable, object: NewObject) =>
  tx.query(INSERT, parametersOf(object));

export const upsertObject = (tx: Queryable, object: NewObject) =>
  tx.query(UPSERT, parametersOf(object));

/** Inserts the row as the service. Throws KeyAlreadyExists. Resolves with the id. */
async function makeObject(call: Call, object: NewObject): Promise<string> {
  const making = asStorage<{ id: string }>(call, `${INSERT} returning id`, parametersOf(object));
  const [made] = await orDuplicate("KeyAlreadyExists", making);
  return made!.id;
}

/** Upserts the row as the service, and removes the bytes of the replaced object. Resolves with the id. */
async function replaceObject(call: Call, object: NewObject): Promise<string> {
  // Uploads of one name run one after the other, because each has to know which bytes it replaces.
  const { id, replaced } = await call.withLocks([`${object.bucket}/${object.name}`], async () => {
    const [made] = await asStorage<{ id: string; replaced: string | null }>(
      call,
      `${UPSERT},
         (select version from storage.objects where bucket_id = $1 and name = $2) as replaced`,
      parametersOf(object),
    );
    return made!;
  });
  if (replaced !== object.version) await discard(call, [replaced]);
  return id;
}

/**
 * Writes the row of bytes that are on the disk. Only an upsert replaces an object, even one that was created while the
 * bytes arrived. Throws KeyAlreadyExists. Resolves with the id.
 */
export const putObject = (call: Call, object: NewObject, upsert: boolean): Promise<string> =>
  upsert ? replaceObject(call, object) : makeObject(call, object);
