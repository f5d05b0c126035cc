import type { Queryable } from "../db/database.js";
import { asUuid } from "./buckets.js";
import { asStorage, type Call, orDuplicate } from "./call.js";

/** An object as an upload or a copy writes it. */
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

/** Whoever may insert need not be able to see what they made. */
export const insertObject = (tx: Queryable, object: NewObject) =>
  tx.query(INSERT, parametersOf(object));

export const upsertObject = (tx: Queryable, object: NewObject) =>
  tx.query(UPSERT, parametersOf(object));

/** Makes an object, whoever may. Throws KeyAlreadyExists. Resolves to its id. */
async function makeObject(call: Call, object: NewObject): Promise<string> {
  const making = asStorage<{ id: string }>(call, `${INSERT} returning id`, parametersOf(object));
  const [made] = await orDuplicate("KeyAlreadyExists", making);
  return made!.id;
}

/** Puts an object in the place of what is there under its name, whoever's it is, and removes the bytes that were there. */
async function replaceObject(call: Call, object: NewObject): Promise<string> {
  // One after the other: each has to know whose bytes it replaces.
  const { id, replaced } = await call.inTurn([`${object.bucket}/${object.name}`], async () => {
    const [made] = await asStorage<{ id: string; replaced: string | null }>(
      call,
      `${UPSERT},
         (select version from storage.objects where bucket_id = $1 and name = $2) as replaced`,
      parametersOf(object),
    );
    return made!;
  });
  if (replaced && replaced !== object.version) await call.disk.remove([replaced]);
  return id;
}

/**
 * Writes the row of bytes that are there; what was there is replaced by an upsert alone, whatever the policies saw
 * before the bytes came. Throws KeyAlreadyExists. Resolves to its id.
 */
export const putObject = (call: Call, object: NewObject, upsert: boolean): Promise<string> =>
  upsert ? replaceObject(call, object) : makeObject(call, object);
