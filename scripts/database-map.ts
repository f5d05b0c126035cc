// Generates docs/database-map.md from supabase/schemas. With --check it only reports whether the page is up to date.
import { basename, dirname } from "node:path";
import { writeOrCheck } from "./generated.js";
import { readSqlFiles, SCHEMAS } from "./schemas.js";
import { readSqlFunctions } from "./sql-functions.js";

const FILE = "docs/database-map.md";

const HEAD = `# Map of the database

\`npm run types\` makes this page from \`supabase/schemas\`. It has three indexes for those who look for a rule: what
[happens when a row changes](#triggers), what functions of one transaction
[know from each other](#settings-of-a-transaction), and [where each function is](#functions).
[Architecture](architecture.md) says how the files are arranged.`;

const files = readSqlFiles(SCHEMAS);
const functions = readSqlFunctions();

const link = (path: string) => `[${basename(path, ".sql")}](../${path})`;
const code = (text: string) => `\`${text}\``;
/** A text in Markdown: quotes of SQL are undone, and `|` and `<` mean themselves. */
const prose = (text: string) =>
  text.replaceAll("''", "'").replaceAll("|", "\\|").replaceAll("<", "&lt;");
const joined = (texts: readonly string[]) => [...new Set(texts)].join(", ");

/** The groups of values with the same key, in the order of the keys. */
function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string) {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** Throws if the pattern of a statement found fewer of them than there are. */
function checkCount(kind: string, found: number, start: RegExp): void {
  const count = files.reduce((sum, { text }) => sum + [...text.matchAll(start)].length, 0);
  if (found !== count) throw new Error(`${found} of ${count} ${kind} have the form that is read`);
}

// triggers -------------------------------------------------------------------------------------

const TRIGGER =
  /^create (?:constraint )?trigger (?<name>\w+)\s+(?<when>before|after|instead of) (?<events>[\w\s,]+?)\s+on (?<table>[\w.]+)\s(?<rest>[^;]*?)execute function (?<function>[\w.]+)\((?<args>[^;]*)\);/gm;

/** The times at which triggers fire, in their order. Those of one time fire in the order of their names. */
const TIMES = [
  "before the statement",
  "before each row",
  "instead of each row",
  "after each row",
  "after the statement",
  "at the commit",
];

function timeOf(when: string, rest: string): string {
  if (/\binitially deferred\b/.test(rest)) return "at the commit";
  return `${when} ${/\bfor each row\b/.test(rest) ? "each row" : "the statement"}`;
}

const triggers = files.flatMap(({ path, text }) =>
  [...text.matchAll(TRIGGER)].map(({ groups = {} }) => ({
    time: timeOf(groups.when as string, groups.rest as string),
    name: groups.name as string,
    table: groups.table as string,
    events: (groups.events as string).replaceAll(/\s+/g, " "),
    calls: `${groups.function}(${groups.args})`.replaceAll(/\s+/g, " "),
    path,
  })),
);
checkCount("triggers", triggers.length, /^create (?:constraint )?trigger\b/gm);

const triggersOf = ([name, all]: [string, typeof triggers]) =>
  `### ${name}\n\n${table(
    ["when", "of", "trigger", "calls", "file"],
    all
      .toSorted(
        (a, b) => TIMES.indexOf(a.time) - TIMES.indexOf(b.time) || (a.name < b.name ? -1 : 1),
      )
      .map(({ time, events, name, calls, path }) => [
        time,
        prose(events),
        code(name),
        code(calls),
        link(path),
      ]),
  )}`;

const TRIGGERS = `## Triggers

The triggers of each table in the order in which they fire. Those of one time fire in the order of their names, and of a
statement that changes many rows the triggers after each row fire row by row. Triggers that fire at the commit are
deferred constraints. Foreign keys are checked after each row.

${grouped(triggers, (trigger) => trigger.table)
  .map(triggersOf)
  .join("\n\n")}`;

// settings of a transaction --------------------------------------------------------------------

/** The list of settings in the foundation, with what each is. */
const SETTING = /^-- {3}(?<name>souk\.\w+) +(?<means>.+)$/gm;

/** How a function uses a setting, directly or by a variable that has its name. */
function uses(text: string, setting: string, call: "set_config" | "current_setting"): boolean {
  const name = setting.replace(".", "\\.");
  const [, variable] = new RegExp(`(\\w+) text := '${name}`).exec(text) ?? [];
  const argument = variable === undefined ? `'${name}'` : `${variable}\\b`;
  return new RegExp(`\\b${call}\\(\\s*${argument}`).test(text);
}

const settings = files.flatMap(({ text }) =>
  [...text.matchAll(SETTING)].map(({ groups = {} }) => {
    const name = groups.name as string;
    const [setBy, readBy] = (["set_config", "current_setting"] as const).map((call) =>
      functions.filter((one) => uses(one.text, name, call)).map((one) => code(one.name)),
    ) as [string[], string[]];
    if (setBy.length === 0 || readBy.length === 0) {
      throw new Error(`no function sets ${name}, or none reads it`);
    }
    return [code(name), prose(groups.means as string), joined(setBy), joined(readBy)];
  }),
);

const SETTINGS = `## Settings of a transaction

They end with the transaction. The list is in the foundation (\`supabase/schemas/foundation/0050_foundation.sql\`).

${table(["setting", "what it is", "set by", "read by"], settings)}`;

// functions ------------------------------------------------------------------------------------

const COMMENT =
  /^comment on (?:function|procedure) (?<name>[\w.]+)(?:\([^)]*\))? is\s+'(?<text>(?:[^']|'')*)';/gm;

const sentence = (text: string) => /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

/** What the file is about: the first sentence of its first comment. */
function subjectOf(text: string): string {
  const [, lines = ""] = /^(?:-- requires: .*\n)?((?:--.*\n)+)/.exec(text) ?? [];
  return prose(sentence(lines.replaceAll(/^-- ?/gm, "").replaceAll("\n", " ").trim()));
}

const commented = files.map(({ path, text }) => ({
  path,
  subject: subjectOf(text),
  functions: [...text.matchAll(COMMENT)].map(({ groups = {} }) => ({
    name: groups.name as string,
    does: prose(sentence(groups.text as string)),
  })),
}));
checkCount(
  "comments of functions",
  commented.flatMap((file) => file.functions).length,
  /^comment on (?:function|procedure)\b/gm,
);

const functionsOf = ({ path, subject, functions }: (typeof commented)[number]) =>
  `**${link(path)}** ${subject}\n\n${functions
    .map(({ name, does }) => `- ${code(name)}: ${does}`)
    .join("\n")}`;

const FUNCTIONS = `## Functions

Each with the first sentence of its comment, which \`\\df+\` of psql shows as a whole. Those of \`public\` are the API.

${grouped(commented, ({ path }) => basename(dirname(path)))
  .map(([capability, all]) => `### ${capability}\n\n${all.map(functionsOf).join("\n\n")}`)
  .join("\n\n")}`;

writeOrCheck(FILE, `${[HEAD, TRIGGERS, SETTINGS, FUNCTIONS].join("\n\n")}\n`, "supabase/schemas");
