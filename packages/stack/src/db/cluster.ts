import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";

// PGlite creates the files of a new cluster in a second instance, which takes seconds and gives the same result each
// time. So they are cached, per version, inside `node_modules`, where the next installation removes them.

/** The file that caches a new cluster between starts; null if PGlite is not in `node_modules`. */
export const CLUSTER_FILE = clusterFile();

function clusterFile(): string | null {
  const require = createRequire(import.meta.url);
  const found = require.resolve("@electric-sql/pglite");
  const modules = /^.*[\\/]node_modules(?=[\\/])/.exec(found)?.[0];
  const { version } = require(join(dirname(found), "..", "package.json"));
  return modules ? join(modules, ".cache", "souk", `cluster-${version}.tar`) : null;
}

/** Stored in front of the files, so that a truncated or edited cache is not used. */
const digestOf = (files: Uint8Array) => createHash("sha256").update(files).digest();
const DIGEST_BYTES = 32;

/** Reads the cached files of a new database; null if there are none. */
export async function findCluster(path: string): Promise<Blob | null> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const files = bytes.subarray(DIGEST_BYTES);
  return digestOf(files).equals(bytes.subarray(0, DIGEST_BYTES)) ? new Blob([files]) : null;
}

/** Caches the files of a new database. Errors are ignored, because the cache is optional. */
export async function storeCluster(path: string, pg: PGlite): Promise<void> {
  const made = `${path}.${process.pid}.${performance.now()}`;
  try {
    const dump = await pg.dumpDataDir("none");
    const files = new Uint8Array(await dump.arrayBuffer());
    await mkdir(dirname(path), { recursive: true });
    const file = await open(made, "wx");
    try {
      await file.writeFile(digestOf(files));
      await file.writeFile(files);
      await file.sync();
    } finally {
      await file.close();
    }
    // Renaming is atomic: a reader sees the whole file or none. If two processes write it,
    // either file is right.
    await rename(made, path);
  } catch {
    await rm(made, { force: true }).catch(() => {});
  }
}
