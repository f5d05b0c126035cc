// Checks the types of the edge functions as the runtime that serves them sees them: with Deno. Those that the guides
// have their reader write are checked too, in a copy of the folder that has them.
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

/** Checks every function of a folder, or those that another one lacks; answers whether they are right. */
function check(folder: string, without?: string): boolean {
  const entries = readdirSync(folder)
    .filter((name) => !without || !existsSync(join(without, name)))
    .map((name) => join(folder, name, "index.ts"))
    .filter((path) => existsSync(path));
  const args = ["check", "--quiet", "--no-lock", "--node-modules-dir=manual"];
  const { status } = spawnSync(
    findDeno(),
    [...args, "--config", join(folder, "deno.json"), ...entries],
    { stdio: "inherit", env: { ...process.env, DENO_DIR: join(tmpdir(), "souk-deno") } },
  );
  return status === 0;
}

/** Puts the files that a guide names below `supabase` into the project at `root`. */
function follow(guide: string, root: string): void {
  const blocks = readFileSync(guide, "utf8").matchAll(
    /^```ts\n(\/\/ (supabase\/\S+)\n.*?)^```$/gms,
  );
  for (const [, code, path] of blocks) {
    mkdirSync(dirname(join(root, path as string)), { recursive: true });
    writeFileSync(join(root, path as string), code as string);
  }
}

let right = check(FOLDER);
// Inside the repository, so that it finds its packages.
const root = mkdtempSync(".guides-");
try {
  cpSync(FOLDER, join(root, FOLDER), { recursive: true });
  for (const name of readdirSync(GUIDES)) follow(join(GUIDES, name), root);
  right = check(join(root, FOLDER), FOLDER) && right;
} finally {
  rmSync(root, { recursive: true });
}
process.exitCode = right ? 0 : 1;
