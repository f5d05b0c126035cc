import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { filesOf, importsAmong } from "./imports.js";

// The tests of packages/stack are those of the local Supabase, which use nothing of Souk. They run when something that they
// run has changed since they passed, which the checksum in this file tells. Commit it with the change.

const TESTED = "packages/stack/tested.sha256";

/** What they run beside packages/stack and its imports. The one test that runs scripts/db.ts is never left out. */
const OTHERS = [
  "package-lock.json",
  "scripts/install.mjs",
  "tests/setup.ts",
  "tests/workers.ts",
  "vitest.config.ts",
];

/** The test files of packages/stack. */
export const stackTests = (): string[] => filesOf("packages/stack/tests/*.test.ts");

/** The checksum of all files that the tests of packages/stack run. */
export function checksumOfStack(): string {
  const importsOf = importsAmong(new Set(filesOf("*.ts", "*.tsx")));
  const found = new Set<string>();
  const add = (file: string) => {
    if (found.has(file) || file === TESTED || !existsSync(file)) return;
    found.add(file);
    if (/\.tsx?$/.test(file)) for (const imported of importsOf(file)) add(imported);
  };
  for (const file of [...filesOf("packages/stack"), ...OTHERS]) add(file);
  const all = createHash("sha256");
  for (const file of [...found].sort()) {
    all.update(`${file} ${createHash("sha256").update(readFileSync(file)).digest("hex")}\n`);
  }
  return all.digest("hex");
}

/** Whether the tests of packages/stack have passed with these files. */
export const havePassed = (checksum: string): boolean =>
  existsSync(TESTED) && readFileSync(TESTED, "utf8").trim() === checksum;

/** Notes that they have passed. */
export function notePassed(checksum: string): void {
  if (havePassed(checksum)) return;
  writeFileSync(TESTED, `${checksum}\n`);
  console.log(`the tests of packages/stack have passed: commit ${TESTED}`);
}
