import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the compiled programs. */
    programs: string;
  }
}

/** Tests start programs from these folders as separate processes. */
const FOLDERS = ["packages/stack/src", "packages/stack/tests", "scripts"];

/** Other files that those programs import. */
const IMPORTED = ["tests/eventually.ts"];

/**
 * Compiles each TypeScript file of FOLDERS into a temporary folder, once per run, because tsx costs each process more
 * than a second of processor time. Resolves with the folder and a function that removes it.
 */
export async function compilePrograms(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "souk-programs-"));
  const found = await Promise.all(
    FOLDERS.map(async (path) => {
      const names = await readdir(path, { recursive: true });
      // The programs read SQL and other files next to them.
      await cp(path, join(folder, path), { recursive: true });
      return names.filter((name) => /(?<!\.test)\.ts$/.test(name)).map((name) => join(path, name));
    }),
  );
  await build({
    entryPoints: [...found.flat(), ...IMPORTED],
    outbase: ".",
    outdir: folder,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  await cp("package.json", join(folder, "package.json"));
  await symlink(resolve("node_modules"), join(folder, "node_modules"), "junction");
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

/** The compiled program of a source file. The path is relative to the root of the repository. */
export const programOf = (path: string, folder = inject("programs")) =>
  join(folder, path.replace(/\.ts$/, ".js"));
