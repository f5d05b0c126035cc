import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "souk-storage-";

/** A folder that ends with the process. What processes left that were killed is removed before. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const above = tmpdir();
  const remove = (name: string) => rm(join(above, name), { recursive: true, force: true });
  for (const name of await readdir(above)) {
    const pid = /^souk-storage-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && hasEnded(Number(pid))) await remove(name);
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
