import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";

// What Postgres makes for itself before there is any database takes PGlite seconds, in a second
// instance, and comes to the same each time. So it is kept, for each version, beside the packages, where
// the next installation removes it.

/** Where a new database's files are kept between starts; null where PGlite is not in `node_modules`. */
export const KEPT_CLUSTER = keptCluster();

function keptCluster(): string | null {
  const require = createRequire(import.meta.url);
  const found = require.resolve("@electric-sql/pglite");
  const modules = /^.*[\\/]node_modules(?=[\\/])/.exec(found)?.[0];
  const { version } = require(join(dirname(found), "..", "package.json"));
  return modules ? join(modules, ".cache", "souk", `cluster-${version}.tar`) : null;
}

/** In front of the files, so that what a full disk or a hand has cut is not taken for a database. */
const digestOf = (files: Uint8Array) => createHash("sha256").update(files).digest();
const DIGEST_BYTES = 32;

/** The files of a new database, to be loaded instead of made; null when none are kept. */
export async function readCluster(path: string): Promise<Blob | null> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const files = bytes.subarray(DIGEST_BYTES);
  return digestOf(files).equals(bytes.subarray(0, DIGEST_BYTES)) ? new Blob([files]) : null;
}

/** Keeps the files of a database that was made a moment ago. That they are kept is not needed. */
export async function keepCluster(path: string, pg: PGlite): Promise<void> {
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
    // A reader sees all of it or nothing; when two processes make it, either result will do.
    await rename(made, path);
  } catch {
    await rm(made, { force: true }).catch(() => {});
  }
}
