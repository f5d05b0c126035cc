import type { Database } from "./database.js";

/**
 * Tells a project that notes the address of its Storage which one that is now: the port may be another one than at the
 * last start. Such a project has the function `set_storage_address`. `url`: that of the gateway.
 */
export async function recordStorageAddress(db: Database, url: string): Promise<void> {
  const [row] = await db.query<{ known: boolean }>(
    "select to_regprocedure('public.set_storage_address(text)') is not null as known",
  );
  if (row?.known) {
    await db.query("select public.set_storage_address($1::text)", [`${url}/storage/v1`]);
  }
}
