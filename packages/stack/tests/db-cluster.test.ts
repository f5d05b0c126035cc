import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLUSTER_FILE, findCluster, storeCluster } from "../src/db/cluster.js";
import { startPglite } from "../src/db/pglite.js";

let root: string;
let kept: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "souk-cluster-"));
  kept = join(root, "cache", "cluster.tar");
});
afterAll(() => rm(root, { recursive: true }));

/** The contents of a new database, which can be written to and has its extensions. */
async function contentsOf(folder: string | null) {
  const pg = await startPglite(folder, kept);
  try {
    await pg.exec(
      "create extension vector; create table rows (n int); insert into rows values (1)",
    );
    const { rows } = await pg.query(`
      select current_user, current_setting('server_encoding') as encoding,
        (select datcollate from pg_database where datname = current_database()) as collation,
        (select array_agg(datname order by datname) from pg_database) as databases,
        (select array_agg(rolname order by rolname) from pg_roles) as roles,
        (select count(*) from pg_class where relnamespace <> 'public'::regnamespace) as relations`);
    return rows;
  } finally {
    await pg.close();
  }
}

test("a new database is the same whether it is created or loaded, in memory and in a folder", async () => {
  const made = await contentsOf(null);
  expect(await readdir(join(root, "cache"))).toEqual(["cluster.tar"]);
  const before = await readFile(kept);
  expect(await contentsOf(null)).toEqual(made);
  const folder = join(root, "postgres");
  expect(await contentsOf(folder)).toEqual(made);
  // The cache contains none of the changes made in these databases.
  expect((await readFile(kept)).equals(before)).toBe(true);

  // A database in a folder keeps its changes.
  const again = await startPglite(folder, kept);
  expect((await again.query("select n from rows")).rows).toEqual([{ n: 1 }]);
  // In a folder that cannot be written, the cache is skipped.
  await storeCluster(join(kept, "cluster.tar"), again);
  await again.close();
});

test("an incomplete or missing cache file is not loaded", async () => {
  const whole = await readFile(kept);
  expect((await findCluster(kept))?.size).toBe(whole.length - 32);
  await writeFile(kept, whole.subarray(0, whole.length / 2));
  expect(await findCluster(kept)).toBeNull();
  await writeFile(kept, "");
  expect(await findCluster(kept)).toBeNull();
  await rm(kept);
  expect(await findCluster(kept)).toBeNull();
});

test("the cache is in the folder of the packages", () => {
  expect(CLUSTER_FILE).toMatch(/node_modules.\.cache.souk.cluster-\d+\.\d+\.\d+\.tar$/);
});
