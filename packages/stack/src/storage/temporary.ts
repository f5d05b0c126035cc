import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "souk-storage-";

/** Names a temporary folder of this process, and removes those of processes that were killed. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const above = tmpdir();
  const remove = (name: string) => rm(join(above, name), { recursive: true, force: true });
  for (const name of await readdir(above)) {
    const pid = /^souk-storage-(\d+)-/.exec(name)?.[1];
    // Another user's folder cannot be removed, and is left to that user.
    if (pid !== undefined && hasEnded(Number(pid))) await remove(name).catch(() => {});
  }
  const name = `${PREFIX}${process.pid}-${randomUUID()}`;
  return { path: join(above, name), remove: () => remove(name) };
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
