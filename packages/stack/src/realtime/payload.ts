import type { Relation } from "./relations.js";

/** One captured change. */
export interface Change {
  relation: string;
  action: "INSERT" | "UPDATE" | "DELETE";
  /** The row as Postgres wrote it in JSON. */
  record: string | null;
  old_record: string | null;
  /** The id of the transaction that made it. */
  transaction: string;
  /** ISO 8601. */
  at: string;
}

/** As hosted: a larger change is sent without its long values. */
const MOST_BYTES = 1024 * 1024;
const LONG_VALUE_BYTES = 64;

/**
 * The members of a JSON object, each value as the text it was: parsed and written again, a large
 * number would lose its last digits.
 */
export function membersOf(json: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let name: string | null = null;
  let start = 1;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json[i];
    if (char === '"') {
      for (i++; json[i] !== '"'; i++) if (json[i] === "\\") i++;
    } else if (char === "{" || char === "[") depth++;
    else if (char === ":" && depth === 1 && name === null) {
      name = JSON.parse(json.slice(start, i));
      start = i + 1;
    } else if (char === "}" || char === "]" || (char === "," && depth === 1)) {
      if (depth === 1 && name !== null) members.push([name, json.slice(start, i).trim()]);
      if (char !== ",") depth--;
      else {
        name = null;
        start = i + 1;
      }
    }
  }
  return members;
}

/** The JSON object of these members. */
export const objectJson = (members: [name: string, value: string][]) =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;

/** The old row as the replica identity keeps it: its identity columns. */
export function identityJson(relation: Relation, record: string): string {
  const identity = new Set(relation.columns.filter((c) => c.identity).map((c) => c.name));
  return objectJson(membersOf(record).filter(([name]) => identity.has(name)));
}

/**
 * The `data` of a change for a role, in JSON. `readable` are the columns the role may select, `select`
 * those the subscription wants (null: all); key columns are always wanted.
 */
export function changeJson(
  change: Change,
  relation: Relation,
  readable: readonly string[],
  select: readonly string[] | null,
): string {
  const { schema, name: table, columns, rls } = relation;
  const head = { schema, table, type: change.action };
  const keys = new Set(columns.filter((c) => c.key).map((c) => c.name));
  if (change.action !== "DELETE" && keys.size === 0) {
    return JSON.stringify({ ...head, errors: ["Error 400: Bad Request, no primary key"] });
  }
  const wanted = (name: string) =>
    readable.includes(name) && (select === null || select.includes(name) || keys.has(name));
  const bytes = Buffer.byteLength(change.record ?? "") + Buffer.byteLength(change.old_record ?? "");
  const tooLarge = bytes > MOST_BYTES;
  const fits = (json: string) => !tooLarge || Buffer.byteLength(json) <= LONG_VALUE_BYTES;
  const identity = new Set(columns.filter((c) => c.identity).map((c) => c.name));
  const bytea = new Set(columns.filter((c) => c.type === "bytea").map((c) => c.name));
  const written = (record: string, told: (name: string) => boolean) =>
    objectJson(
      membersOf(record)
        .filter(([name, json]) => wanted(name) && told(name) && fits(json))
        // As hosted, whose decoder writes bytes in hex without a prefix.
        .map(([name, json]) => [name, bytea.has(name) ? json.replace(/^"\\\\x/, '"') : json]),
    );

  const facts = {
    ...head,
    commit_timestamp: change.at,
    columns: columns.filter((c) => wanted(c.name)).map(({ name, type }) => ({ name, type })),
    errors: tooLarge ? ["Error 413: Payload Too Large"] : null,
  };
  const members = [JSON.stringify(facts).slice(1, -1)];
  if (change.record) members.push(`"record":${written(change.record, () => true)}`);
  if (change.old_record) {
    // Nobody can check a deleted row against policies, so under RLS only its key is told.
    const onlyKey = change.action === "DELETE" && rls;
    const told = (name: string) => identity.has(name) && (!onlyKey || keys.has(name));
    members.push(`"old_record":${written(change.old_record, told)}`);
  }
  return `{${members.join(",")}}`;
}
