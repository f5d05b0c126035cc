import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { expect } from "vitest";
import type { StackAddress } from "../stack.js";

// The pages of the documentation, and their fenced blocks.

/** The pages in a folder and its subfolders. */
const pagesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return pagesBelow(path);
      return path.endsWith(".md") ? [path] : [];
    })
    .sort();

export const guides = pagesBelow(join("docs", "guides"));
export const pages = [
  ...["packages/client/README.md", "README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...pagesBelow("docs"),
];

export const STRICT_SHELL = `set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
`;

/** Souk does not need bash and curl, so a machine may lack them. */
export const hasShell =
  spawnSync("bash", ["-c", "curl --help all | grep -q -- --json"]).status === 0;

/** The fenced blocks of a page in one language, or in any, with their first lines' numbers. */
export function blocksOf(page: string, language = "\\w+"): { line: number; code: string }[] {
  const source = readFileSync(page, "utf8");
  const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms");
  return [...source.matchAll(fence)].map(({ index, 1: code }) => ({
    line: source.slice(0, index).split("\n").length,
    code: code as string,
  }));
}

/** The anchors of a page's headings, as GitHub makes them. */
export const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );

/** The path of the file that a block contains, from the comment in its first line; undefined for other blocks. */
export const fileOf = (code: string): string | undefined =>
  /^(?:\/\/|--|#) (supabase\/\S+)\n/.exec(code)?.[1];

const ADDRESS = "http://127.0.0.1:54321";

/**
 * The code with the URL of the stack under test, and with @souk/client imported from its source instead of its build.
 * It must run from a folder in tests/.
 */
export function aimedAt({ url }: StackAddress, code: string): string {
  return code
    .replaceAll(ADDRESS, url)
    .replaceAll('"@souk/client"', '"../../packages/client/src/index.js"')
    .replaceAll('"@souk/client/webhooks"', '"../../packages/client/src/verify-webhook.js"');
}

/** Runs a TypeScript module. It is bundled with its imports from the repository into one file next to it. */
export async function runModule(path: string): Promise<string> {
  const outfile = path.replace(/\.ts$/, ".mjs");
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  return await run(process.execPath, [outfile]);
}

/** Runs a program to its end, and rejects if it fails. */
export async function run(
  command: string,
  args: string[],
  cwd = ".",
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: [...stdio] });
  const code = new Promise((resolve, reject) => {
    child.once("exit", resolve);
    child.once("error", reject);
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await code, `${out}\n${err}`).toBe(0);
  return out;
}
