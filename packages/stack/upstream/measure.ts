import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestModule, TestSpecification } from "vitest/node";
import type { Checkout } from "./checkout.js";
import type { Suite } from "./suites.js";

/** The results of a suite. Tests are named `file > describe > test`. */
export interface Figures {
  passed: string[];
  skipped: string[];
  /** With the first line of the error. */
  failed: Map<string, string>;
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const execArgv = [
  // Some tests `require` a TypeScript module of the suite.
  "--require",
  createRequire(import.meta.url).resolve("tsx/cjs"),
  // The suites require Node 22, which has WebSocket without this flag.
  "--experimental-websocket",
];

/** Runs files in sequence, ordered by name: some depend on data of previous ones. */
class Alphabetical {
  async sort(files: TestSpecification[]) {
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
  async shard(files: TestSpecification[]) {
    return files;
  }
}

/** Runs a suite with Vitest, and resolves the packages it imports to the checkout. */
export async function measure(checkout: Checkout, suite: Suite): Promise<Figures> {
  const root = join(checkout.folder, suite.folder);
  const source = (name: string) => join(checkout.folder, "packages", name, "src", "index.ts");
  const clients = ["auth-js", "functions-js", "postgrest-js", "realtime-js", "storage-js"];
  const alias = {
    ...Object.fromEntries(clients.map((name) => [`@supabase/${name}`, source(`core/${name}`)])),
    "@supabase/supabase-js": source("core/supabase-js"),
    "@supabase/tracing": source("shared/tracing"),
    jest: here("setup.ts"),
  };
  const vitest = await checkout.vitest.startVitest(
    "test",
    [],
    {
      config: false,
      root,
      watch: false,
      globals: true,
      include: suite.include,
      exclude: ["**/node_modules/**", ...Object.keys(suite.exclude)],
      environment: suite.environment ?? "node",
      execArgv,
      setupFiles: [here("setup.ts")],
      fileParallelism: false,
      sequence: { sequencer: Alphabetical },
      testTimeout: 30_000,
      hookTimeout: 60_000,
      dangerouslyIgnoreUnhandledErrors: true,
      silent: true,
      reporters: [{}],
      update: false,
    },
    // The files of this folder are outside the suite's root.
    { resolve: { alias }, server: { fs: { strict: false } }, logLevel: "silent" },
  );
  const figures: Figures = { passed: [], skipped: [], failed: new Map() };
  for (const module of vitest.state.getTestModules()) count(module, figures);
  await vitest.close();
  return figures;
}

function count(module: TestModule, { passed, skipped, failed }: Figures): void {
  const file = module.relativeModuleId.replace(/^test\//, "");
  for (const error of module.errors()) failed.set(file, firstLine(error.message));
  for (const test of module.children.allTests()) {
    const name = `${file} > ${test.fullName}`;
    const result = test.result();
    if (result.state === "passed") passed.push(name);
    else if (result.state === "failed") failed.set(name, firstLine(result.errors[0]?.message));
    else if (test.options.mode === "run") failed.set(name, "a preceding hook failed");
    else skipped.push(name);
  }
}

const firstLine = (text = "") => text.split("\n")[0] ?? "";
