import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Config } from "../config.js";
import { Refusal } from "../refusal.js";

/**
 * The version of Deno that hosted's edge runtime is built from: the release of `deno` in Cargo.toml of supabase/edge-runtime
 * at b1edf45. `package.json` has the same.
 */
export const HOSTED_DENO_VERSION = "2.1.4";

/** The npm packages that contain Deno's program, by Node's platform and architecture. */
const packages: Record<string, string> = {
  "darwin-arm64": "@deno/darwin-arm64",
  "darwin-x64": "@deno/darwin-x64",
  "linux-arm64": "@deno/linux-arm64-glibc",
  "linux-x64": "@deno/linux-x64-glibc",
  "win32-arm64": "@deno/win32-arm64",
  "win32-x64": "@deno/win32-x64",
};

/**
 * Returns the path of Deno's program. npm installs it as a package file, so neither an install
 * script nor a download is needed. `dependency`: the name under which package.json lists it. Throws
 * `Refusal`.
 */
export function findDeno(
  platform = `${process.platform}-${process.arch}`,
  dependency = "deno",
): string {
  const name = packages[platform];
  if (!name) {
    throw new Refusal(
      `edge functions need Deno, which has no npm package for ${platform}; set [edge_runtime] enabled = false`,
    );
  }
  try {
    const deno = createRequire(import.meta.url).resolve(`${dependency}/package.json`);
    const folder = dirname(createRequire(deno).resolve(`${name}/package.json`));
    return join(folder, platform.startsWith("win32") ? "deno.exe" : "deno");
  } catch {
    throw new Refusal(
      `edge functions need Deno, and the npm package ${name} is not installed: run \`npm ci\`, without --omit=optional`,
    );
  }
}

const bootstrap = fileURLToPath(new URL("./bootstrap.ts", import.meta.url));

/** Returns a function's entrypoint, with the rules of the CLI. */
export function entrypointOf(config: Config, name: string): string {
  const given = config.functions[name]?.entrypoint;
  return given
    ? join(config.root, "supabase", given)
    : join(config.root, "supabase", "functions", name, "index.ts");
}

/** Returns a function's import map, in the CLI's order of precedence; null if there is none. */
function importMapOf(config: Config, name: string): string | null {
  const folder = join(config.root, "supabase", "functions");
  const given = config.functions[name]?.import_map;
  if (given) return join(config.root, "supabase", given);
  const candidates = [
    join(folder, name, "deno.json"),
    join(folder, name, "deno.jsonc"),
    join(folder, name, "import_map.json"),
    join(folder, "import_map.json"),
  ];
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** Whether a function depends on `supabase/functions/deno.json`, which the CLI does not read. */
export function lacksImportMap(config: Config, name: string): boolean {
  const shared = join(config.root, "supabase", "functions", "deno.json");
  return importMapOf(config, name) === null && existsSync(shared);
}

/**
 * Returns Deno's arguments to run one function. `npm:` specifiers and bare specifiers without a
 * mapping are resolved only from node_modules, which must contain the versions of the import map;
 * nothing is downloaded. A function may use the network, read its own files, and read its
 * environment, which contains only the given variables.
 */
export function denoArguments(
  config: Config,
  name: string,
  run: { memoryMegabytes: number; token: string; hidden: readonly string[] },
): string[] {
  const map = importMapOf(config, name);
  const readable = [
    join(config.root, "supabase", "functions"),
    join(config.root, "node_modules"),
    dirname(entrypointOf(config, name)),
  ];
  // Half of V8's default. A smaller one saves more memory, but 2 MB send a tenth fewer webhooks.
  const heap = `--max-old-space-size=${run.memoryMegabytes},--max-semi-space-size=8`;
  return [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-lock",
    "--cached-only",
    "--node-modules-dir=manual",
    ...(map ? ["--config", map] : ["--no-config"]),
    `--v8-flags=${heap}`,
    "--allow-net",
    "--allow-env",
    `--allow-read=${readable.map((path) => path.replaceAll(",", ",,")).join(",")}`,
    bootstrap,
    pathToFileURL(entrypointOf(config, name)).href,
    run.token,
    run.hidden.join(","),
  ];
}
