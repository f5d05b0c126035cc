// Checks the types of the edge functions as the runtime that serves them sees them: with Deno.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDeno } from "../packages/stack/src/functions/deno.js";

const folder = "supabase/functions";
const doors = readdirSync(folder)
  .map((name) => join(folder, name, "index.ts"))
  .filter((path) => existsSync(path));

const { status } = spawnSync(
  findDeno(),
  [
    "check",
    "--quiet",
    "--no-lock",
    "--node-modules-dir=manual",
    "--config",
    `${folder}/deno.json`,
    ...doors,
  ],
  { stdio: "inherit", env: { ...process.env, DENO_DIR: join(tmpdir(), "souk-deno") } },
);
process.exitCode = status ?? 1;
