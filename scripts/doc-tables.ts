// Generates the tables of errors, events and roles in docs, and of methods in the client's README. With --check it only
// reports whether they are up to date. The text around the tables is written by hand.
import { readFileSync } from "node:fs";
import { createClient } from "../packages/client/src/index.js";
import { ERRORS } from "../supabase/functions/_shared/http/error_codes.ts";
import { ROLES, type Role } from "../supabase/functions/_shared/http/roles.ts";
import { PERMISSIONS } from "../supabase/functions/_shared/values/permissions.generated.ts";
import { eventTypes } from "../supabase/functions/api/event_types.ts";
import { CALLERS, cellsOf, reads, uses } from "../tests/tenancy/expected.js";
import { writeOrCheck } from "./generated.js";

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]) {
  return [
    `| ${columns.join(" | ")} |`,
    `|${"---|".repeat(columns.length)}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}

/** Replaces those tables of a page that have the same columns. */
function withTables(page: string, tables: readonly string[]): string {
  let missing = [...tables];
  const made = page.replaceAll(/^\|(?:.*\n)(?:\|.*\n)*/gm, (old) => {
    const table = missing.find((one) => columnsOf(one) === columnsOf(old));
    missing = missing.filter((one) => one !== table);
    return table ? `${table}\n` : old;
  });
  if (missing.length > 0) throw new Error(`a page lacks the table ${columnsOf(missing[0])}`);
  return made;
}

const columnsOf = (table = "") => table.split("\n", 1)[0];
const code = (text: string) => `\`${text}\``;

/** The roles of members, those with more rights first. */
const MEMBER_ROLES = ROLES.toReversed();

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

const events = [
  table(
    ["event", "when", "`data`"],
    eventTypes.map(({ name, description, carried, beside }) => {
      const [records, fields] = [carried, beside].map((shape) =>
        Object.keys(shape).map(code).join(", "),
      );
      return [
        code(name),
        description,
        fields ? `${records}; beside \`data\`: ${fields}` : `${records}`,
      ];
    }),
  ),
];

const roles = [
  table(
    ["permission", ...MEMBER_ROLES],
    Object.entries(PERMISSIONS).map(([name, scopes]: [string, Partial<Record<Role, string>>]) => [
      code(name),
      ...MEMBER_ROLES.map((role) => scopes[role] ?? ""),
    ]),
  ),
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

const { supabase, realtime, ...groups } = createClient("http://souk.invalid", "publishable");
const methods = [
  table(
    ["group", "methods"],
    Object.entries(groups)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([group, found]) => {
        const [name, of] =
          typeof found === "function" ? [`${group}(type)`, found("")] : [group, found];
        // A list has a second method, for all its pages.
        const names = Object.keys(of).filter((method) => !/All$/.test(method));
        return [code(name), names.map(code).join(", ")];
      }),
  ),
];

for (const [path, tables, source] of [
  ["docs/errors.md", errors, "http/error_codes.ts"],
  ["docs/events.md", events, "the definitions of events"],
  ["packages/client/README.md", methods, "the methods of the client"],
  ["docs/roles.md", roles, "the permissions of roles and tests/tenancy/expected.ts"],
] as const) {
  writeOrCheck(path, withTables(readFileSync(path, "utf8"), tables), source);
}
