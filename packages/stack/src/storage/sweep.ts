import type { Storage } from "./call.js";

/** No start waits for more than these to be looked at. */
const MOST_LOOKED_AT = 100_000;

/**
 * Removes the files that no object has: what was written when the stack was killed before the row was, or
 * was left when it was killed after the row had gone.
 */
export async function sweepOrphans({ db, disk, resumable, log }: Storage): Promise<void> {
  await disk.clearIncoming();
  await resumable.deleteExpired();
  let looked = 0;
  let removed = 0;
  for await (const versions of disk.versions(new Date())) {
    const orphans = await db.query<{ version: string }>(
      `select v as version from jsonb_array_elements_text($1::text::jsonb) v
       where not exists (select from storage.objects o where o.version = v)`,
      [JSON.stringify(versions)],
    );
    await disk.remove(orphans.map(({ version }) => version));
    removed += orphans.length;
    looked += versions.length;
    if (looked >= MOST_LOOKED_AT) break;
  }
  if (removed > 0) log.info(`${removed} files that no object has were removed`);
}
