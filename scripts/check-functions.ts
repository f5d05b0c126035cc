// Type-checks the edge functions with Deno, the runtime that serves them. The functions in the guides are checked too,
// in a copy of the folder that contains them.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findDeno } from "../packages/stack/src/functions/deno.js";

const FOLDER = "supabase/functions";
const GUIDES = "docs/guides";
/** The functions import these types. */
const DATABASE_TYPES = "packages/client/src/database.generated.ts";

/**
 * Checks all functions of a folder, or only those that another folder lacks; returns whether they
 * are correct.
 */
function check(folder: string, without?: string): boolean {
  const entryPoints = readdirSync(folder)
    .filter((name) => !without || !existsSync(join(without, name)))
    .map((name) => join(folder, name, "index.ts"))
    .filter((path) => existsSync(path));
  const args = ["check", "--quiet", "--no-lock", "--node-modules-dir=manual"];
  const { status } = spawnSync(
    // The types of Node's modules need the TypeScript of a newer Deno than the one that serves.
    findDeno(undefined, "deno-newest"),
    [...args, "--config", join(folder, "deno.json"), ...entryPoints],
    { stdio: "inherit", env: { ...process.env, DENO_DIR: join(tmpdir(), "souk-deno") } },
  );
  return status === 0;
}

/** Writes the files of a guide below `supabase` into the project at `root`. */
function follow(guide: string, root: string): void {
  const blocks = readFileSync(guide, "utf8").matchAll(
    /^```ts\n(\/\/ (supabase\/\S+)\n.*?)^```$/gms,
  );
  for (const [, code, path] of blocks) {
    mkdirSync(dirname(join(root, path as string)), { recursive: true });
    writeFileSync(join(root, path as string), code as string);
  }
}

/** The database's types with the functions that the guides' migrations create, as `npm run types` would add them. */
function typesWith(guides: readonly string[]): string {
  const created = guides.flatMap((guide) => [
    ...readFileSync(guide, "utf8").matchAll(/^create function public\.(\w+)/gm),
  ]);
  const functions = created.map(
    ([, name]) => `${name}: { Args: { [name: string]: Json }; Returns: Json };`,
  );
  return readFileSync(DATABASE_TYPES, "utf8").replace(
    /^ +Functions: \{$/m,
    `$&${functions.join("")}`,
  );
}

let right = check(FOLDER);
// Inside the repository, so that node_modules is found.
const root = mkdtempSync(".guides-");
try {
  cpSync(FOLDER, join(root, FOLDER), { recursive: true });
  const guides = readdirSync(GUIDES).map((name) => join(GUIDES, name));
  mkdirSync(dirname(join(root, DATABASE_TYPES)), { recursive: true });
  writeFileSync(join(root, DATABASE_TYPES), typesWith(guides));
  for (const guide of guides) follow(guide, root);
  right = check(join(root, FOLDER), FOLDER) && right;
} finally {
  rmSync(root, { recursive: true });
}
process.exitCode = right ? 0 : 1;
