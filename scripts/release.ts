/**
 * Makes a release of the working tree: the migration since the last release gets the version as its name and changes no
 * more, the demo is kept for the test of later upgrades, and the packages, the API and the changelog get the version.
 *
 *   npm run release -- 0.1.0
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { presentNext, sumsOf } from "./migration.js";
import { makeStoredDemo } from "./stored-demo.js";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) {
  console.error("Name the version: npm run release -- 0.1.0");
  process.exit(1);
}

execFileSync("npm", ["run", "--silent", "db", "--", "migration", "--check"], { stdio: "inherit" });

for (const path of presentNext()) {
  renameSync(path, path.replace("_souk_next", `_souk_${version.replaceAll(".", "_")}`));
}
writeFileSync("supabase/released.sha256", sumsOf());
mkdirSync("tests/releases", { recursive: true });
writeFileSync(`tests/releases/${version}.json.gz`, await makeStoredDemo());

const NUMBERS: [path: string, before: RegExp, after: string][] = [
  ...[
    "",
    "packages/client/",
    "packages/stack/",
    "supabase/functions/",
    "apps/console/",
    "apps/storefront/",
  ].map((folder): [string, RegExp, string] => [
    `${folder}package.json`,
    /^ {2}"version": ".*"/m,
    `  "version": "${version}"`,
  ]),
  ...["apps/console/", "apps/storefront/"].map((folder): [string, RegExp, string] => [
    `${folder}package.json`,
    /"@souk\/client": ".*"/,
    `"@souk/client": "${version}"`,
  ]),
  ["packages/client/README.md", /npm:@souk\/client@[\d.]+/, `npm:@souk/client@${version}`],
  ["supabase/functions/api/about.ts", /^ {4}version: ".*"/m, `    version: "${version}"`],
  [
    "CHANGELOG.md",
    /^## \[Unreleased\]\n/m,
    `## [Unreleased]\n\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n`,
  ],
];
for (const [path, before, after] of NUMBERS) {
  const text = readFileSync(path, "utf8");
  if (!before.test(text)) throw new Error(`${path} has no place for the version`);
  writeFileSync(path, text.replace(before, after));
}
console.log(`${version} is made: CONTRIBUTING.md, "A release", says what follows.`);
