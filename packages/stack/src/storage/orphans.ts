import type { Storage } from "./call.js";

/** Maximum number of files that one start checks. */
const MAX_FILES = 100_000;
/** Files per query. Each query reads the table of objects once. */
const FILES_PER_QUERY = 10_000;

/**
 * Removes the files that no object refers to. They exist when the stack was killed after it had written a file and
 * before it had written the row, or after it had deleted a row and before it had removed the file.
 */
export async function removeOrphans(storage: Storage): Promise<void> {
  const { disk, resumable, log } = storage;
  await disk.clearIncoming();
  await resumable.deleteExpired();
  let files = 0;
  let removed = 0;
  let batch: string[] = [];
  for await (const version of disk.versions(new Date())) {
    batch.push(version);
    files += 1;
    if (batch.length === FILES_PER_QUERY) {
      removed += await removeUnused(storage, batch);
      batch = [];
    }
    if (files === MAX_FILES) break;
  }
  removed += await removeUnused(storage, batch);
  if (removed > 0) log.info(`removed ${removed} files that no object refers to`);
}

/** Removes those of the files that no object refers to. Resolves with their number. */
async function removeUnused({ db, disk }: Storage, versions: string[]): Promise<number> {
  if (versions.length === 0) return 0;
  const unused = await db.query<{ version: string }>(
    `select v as version from jsonb_array_elements_text($1::text::jsonb) v
     where not exists (select from storage.objects o where o.version = v)`,
    [JSON.stringify(versions)],
  );
  await disk.remove(unused.map(({ version }) => version));
  return unused.length;
}
