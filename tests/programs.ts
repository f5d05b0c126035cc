import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the programs are that tests start. */
    programs: string;
  }
}

// What tests start as a process of its own is compiled once for the run: tsx, by which a user starts it, takes each
// process more than a second of processor time. The run's own stack, and a demo, are started by tsx nevertheless.

const FOLDERS = ["packages/stack/src", "packages/stack/tests", "scripts"];

/** Compiles every file by itself into a folder that is gone after the run. */
export default async function (project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), "souk-programs-"));
  const found = await Promise.all(
    FOLDERS.map(async (path) => {
      const names = await readdir(path, { recursive: true });
      // Beside the compiled ones are the files that they read.
      await cp(path, join(folder, path), { recursive: true });
      return names.filter((name) => /(?<!\.test)\.ts$/.test(name)).map((name) => join(path, name));
    }),
  );
  // Who only asks for a program does without.
  const { build } = await import("esbuild");
  await build({
    entryPoints: found.flat(),
    outbase: ".",
    outdir: folder,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  await cp("package.json", join(folder, "package.json"));
  await symlink(resolve("node_modules"), join(folder, "node_modules"), "junction");
  project.provide("programs", folder);
  return () => rm(folder, { recursive: true });
}

/** The compiled program of a file, which is named from the repository's root. */
export const programOf = (path: string) => join(inject("programs"), path.replace(/\.ts$/, ".js"));
