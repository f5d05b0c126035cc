// Generates the tables in docs/roles.md and docs/errors.md. With --check it only reports whether
// they are up to date. The text around the tables is written by hand.
import { readFileSync } from "node:fs";
import { ERRORS } from "../supabase/functions/_shared/http/error_codes.ts";
import { CALLERS, cellsOf, reads, uses } from "../tests/tenancy/expected.js";
import { writeOrCheck } from "./generated.js";

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]) {
  return [
    `| ${columns.join(" | ")} |`,
    `|${"---|".repeat(columns.length)}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}

/** Replaces the tables of a page, in order. */
function withTables(page: string, tables: readonly string[]): string {
  let next = 0;
  const made = page.replaceAll(/^\|(?:.*\n)(?:\|.*\n)*/gm, () => `${tables[next++]}\n`);
  if (next !== tables.length) throw new Error(`a page has ${next} tables, not ${tables.length}`);
  return made;
}

const codes = Object.entries(ERRORS);
const errors = [
  table(
    ["status", "code", "when"],
    codes.map(([code, { status, when }]) => [status, code, when]),
  ),
  table(
    ["code", "message"],
    codes.map(([code, { message }]) => [code, `\`${message}\``]),
  ),
];

const roles = [
  table(
    ["operation", ...CALLERS],
    uses.map((name) => {
      const [method, path, ...use] = name.split(" ");
      return [[method, `\`${path}\``, ...use].join(" "), ...cellsOf(name)];
    }),
  ),
  table(
    ["table or view", ...CALLERS],
    Object.entries(reads).map(([name, cells]) => [`\`${name}\``, ...cells]),
  ),
];

for (const [path, tables, source] of [
  ["docs/errors.md", errors, "http/error_codes.ts"],
  ["docs/roles.md", roles, "the roles of the routes and tests/tenancy/expected.ts"],
] as const) {
  writeOrCheck(path, withTables(readFileSync(path, "utf8"), tables), source);
}
