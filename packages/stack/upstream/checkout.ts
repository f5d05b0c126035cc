import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Refusal } from "../src/refusal.js";
import { suites, TAG } from "./suites.js";

const promised = promisify(execFile);

/**
 * Packages that the suites and the clients import, except each other, in the versions that they
 * require.
 */
const IMPORTED = [
  "@faker-js/faker",
  "@opentelemetry/api",
  "@opentelemetry/context-async-hooks",
  "@opentelemetry/core",
  "@opentelemetry/sdk-trace-node",
  "@supabase/phoenix",
  "iceberg-js",
  "jest-mock-server",
  "jsdom",
  "jsonwebtoken",
  "mock-socket",
  "nanoid",
  "openai",
  "tslib",
  "web-worker",
  "zod",
];

/** The suites at the tag, and the packages they import, in a folder that git ignores. */
export interface Checkout {
  folder: string;
  /** The test runner that the suites import, in the version of this project. */
  vitest: typeof import("vitest/node");
  /** Resets every file to the tag. */
  restore(): Promise<void>;
}

/**
 * Clones `source` at the tag into `cache`, if necessary, and installs what the suites import.
 * Throws `Refusal`.
 */
export async function checkOut(cache: string, source: string, version: string): Promise<Checkout> {
  const folder = join(cache, TAG);
  await mkdir(cache, { recursive: true });
  if (!existsSync(join(folder, ".git"))) {
    const from = existsSync(source) ? pathToFileURL(source).href : source;
    console.log(`cloning ${from}, ${TAG}`);
    await run("git", ["clone", "--quiet", "--depth", "1", "--branch", TAG, from, folder], cache);
  }
  const manifest = JSON.stringify({
    private: true,
    dependencies: { ...(await dependencies(folder)), vitest: version },
  });
  const path = join(cache, "package.json");
  const finished = join(cache, "node_modules", ".package-lock.json");
  if (!existsSync(finished) || (await readFile(path, "utf8")) !== manifest) {
    await writeFile(path, manifest);
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    console.log("installing what the suites import");
    await run("npm", ["install", ...flags], cache);
  }
  const vitest = join(cache, "node_modules", "vitest", "dist", "node.js");
  return {
    folder,
    vitest: await import(pathToFileURL(vitest).href),
    async restore() {
      await run("git", ["checkout", "--quiet", "--force", TAG], folder);
      await run("git", ["clean", "--quiet", "-fdx"], folder);
    },
  };
}

/** Runs a program. Throws `Refusal` when it fails. */
async function run(program: string, args: string[], cwd: string): Promise<void> {
  try {
    await promised(program, args, { cwd, shell: process.platform === "win32" });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Refusal(`${program} ${args[0]} failed: ${(stderr || message).trim()}`);
  }
}

async function dependencies(folder: string): Promise<Record<string, string>> {
  const asked: Record<string, string> = {};
  for (const suite of suites) {
    const path = join(folder, suite.folder, "package.json");
    const { dependencies, devDependencies } = JSON.parse(await readFile(path, "utf8"));
    Object.assign(asked, devDependencies, dependencies);
  }
  return Object.fromEntries(IMPORTED.map((name) => [name, asked[name] ?? "*"]));
}
