// Runs the test suites of the official clients against the stack, and counts results.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Log } from "../src/log.js";
import { Refusal } from "../src/refusal.js";
import { checkOut } from "./checkout.js";
import { known } from "./known.js";
import { type Figures, measure } from "./measure.js";
import { serve } from "./serve.js";
import { SOURCE, type Suite, suites, TAG } from "./suites.js";

const usage = `Runs the test suites of the official clients against the stack, and counts results.

  npm run upstream -- [suite …] [--from DIR_OR_GIT_URL] [--database-url URL]

suite                 ${suites.map(({ name }) => name).join(", ")}; all if left out
--from DIR_OR_GIT_URL source from which supabase-js is cloned (default: ${SOURCE}, ${TAG})
--database-url URL    a Postgres server, as a superuser: a scratch database is created there (default: PGlite)

Exit code 1: a test fails that packages/stack/upstream/known.ts does not list, or a listed test passes.
`;

const quiet: Log = {
  info: () => {},
  warn: () => {},
  error: (line, cause) => console.error(`error: ${line}`, cause ?? ""),
  of: () => quiet,
};

/** Prints the differences to `known.ts`; returns whether there are none. */
function compare({ name }: Suite, { passed, failed }: Figures): boolean {
  const named = new Set((known[name] ?? []).flatMap(({ tests }) => tests));
  const surprises = [
    ...[...failed]
      .filter(([test]) => !named.has(test))
      .map(([test, why]) => `fails: ${test}\n         ${why}`),
    ...[...named].filter((test) => !failed.has(test)).map((test) => `does not fail: ${test}`),
  ];
  for (const line of surprises) console.log(`  ${line}`);
  return surprises.length === 0 && passed.length > 0;
}

function describe(suite: Suite, { passed, failed, skipped }: Figures): string {
  const all = passed.length + failed.size;
  const share = ((100 * passed.length) / all).toFixed(1);
  const lines = [
    `${suite.name}: ${passed.length} of ${all} pass (${share} %), ${failed.size} fail, ${skipped.length} skipped by the suite`,
    ...(known[suite.name] ?? []).map(({ reason, tests }) => `  ${tests.length} known: ${reason}`),
    ...Object.entries(suite.exclude).map(([files, reason]) => `  not run: ${files}: ${reason}`),
  ];
  return lines.join("\n");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      from: { type: "string", default: SOURCE },
      "database-url": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const unknown = positionals.find((name) => !suites.some((suite) => suite.name === name));
  if (values.help || unknown) {
    console.log(unknown ? `no suite is called ${unknown}\n\n${usage}` : usage);
    process.exitCode = unknown ? 2 : 0;
    return;
  }
  const { devDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const source = existsSync(values.from) ? resolve(values.from) : values.from;
  const checkout = await checkOut(resolve(".souk", "upstream"), source, devDependencies.vitest);

  const lines: string[] = [];
  let asKnown = true;
  for (const suite of suites) {
    if (positionals.length > 0 && !positionals.includes(suite.name)) continue;
    console.log(`${suite.name} …`);
    await checkout.restore();
    const folder = join(checkout.folder, suite.folder);
    const end = await serve(suite, folder, values["database-url"], quiet);
    try {
      const figures = await measure(checkout, suite);
      asKnown = compare(suite, figures) && asKnown;
      lines.push(describe(suite, figures));
    } finally {
      await end();
    }
  }
  console.log(`\n${lines.join("\n")}`);
  process.exitCode = asKnown ? 0 : 1;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
