import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { DATA_FOLDER } from "../places.js";
import type { App } from "./apps.js";

/** The inputs of an app's build outside its own folder, relative to the project's folder. */
const SHARED_SOURCES = ["packages/client/src", "package-lock.json"];
const NOT_SOURCES = new Set(["node_modules", "dist", "dist-server"]);
/** A lower scheduling priority than usual, so that other programs on the machine come first. */
const NICE = 10;

/** Whether the project has the app. */
export const hasApp = async (root: string, { name }: App): Promise<boolean> =>
  (await stat(join(root, `apps/${name}/index.html`)).catch(() => null)) !== null;

/**
 * Builds an app, unless this version of it was built before, and resolves to the folder of its
 * files. `signal` ends the build. Throws with the bundler's output when it fails.
 */
export async function buildApp(root: string, { name }: App, signal?: AbortSignal): Promise<string> {
  const builds = join(root, DATA_FOLDER, name);
  const folder = join(builds, await versionOf(root, name));
  if (await stat(folder).catch(() => null)) return folder;
  await mkdir(builds, { recursive: true });
  // An incomplete or concurrent build is never in the folder of a finished one.
  const unfinished = join(builds, `unfinished-${process.pid}`);
  try {
    await runBundler(root, name, unfinished, signal);
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await stat(folder).catch(() => null))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await removeOthers(builds, folder);
  return folder;
}

async function runBundler(
  root: string,
  name: App["name"],
  outDir: string,
  signal?: AbortSignal,
): Promise<void> {
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", `apps/${name}`, "--outDir", outDir, "--logLevel", "error"];
  const child = spawn(process.execPath, args, {
    cwd: root,
    // Otherwise a NODE_ENV of the caller, such as that of a test, would bundle the development builds of libraries.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  if (child.pid !== undefined) setPriority(child.pid, NICE);
  const [[code], output, complaint] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new Error(`the ${name} was not built:\n${complaint || output}`);
}

/** Identifies the state of the sources: the same text for the same bytes. */
async function versionOf(root: string, name: App["name"]): Promise<string> {
  const hash = createHash("sha256");
  async function add(path: string): Promise<void> {
    const full = join(root, path);
    const found = await stat(full).catch(() => null);
    if (found?.isDirectory()) {
      for (const name of (await readdir(full)).toSorted()) {
        if (!NOT_SOURCES.has(name)) await add(`${path}/${name}`);
      }
    } else if (found) {
      const bytes = await readFile(full);
      hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    }
  }
  for (const source of [`apps/${name}`, ...SHARED_SOURCES]) await add(source);
  return hash.digest("hex").slice(0, 16);
}

/** Removes older versions. A stack that serves one of them has it in memory by then. */
async function removeOthers(builds: string, kept: string): Promise<void> {
  for (const name of await readdir(builds)) {
    const folder = join(builds, name);
    if (folder !== kept && !name.startsWith("unfinished-")) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
