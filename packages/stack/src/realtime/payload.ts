import type { Relation } from "./relations.js";

/**
 * A column's name and value. The value stays JSON, because parsing a large number would lose
 * precision.
 */
export type Field = [name: string, json: string];

/**
 * Splits a JSON object into members. Postgres cannot do it, because it refuses a \u0000 that json
 * may hold.
 */
export function fieldsOf(json: string | null): Field[] | null {
  if (json === null) return null;
  const fields: Field[] = [];
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
      if (depth === 1 && name !== null) fields.push([name, json.slice(start, i).trim()]);
      if (char !== ",") depth--;
      else {
        name = null;
        start = i + 1;
      }
    }
  }
  return fields;
}

/** One captured change. */
export interface Change {
  relation: string;
  action: "INSERT" | "UPDATE" | "DELETE";
  fields: Field[] | null;
  old_fields: Field[] | null;
  /** The id of its transaction. */
  transaction: string;
  /** ISO 8601. */
  at: string;
}

/**
 * Maximum size of a change with its long values, as hosted. A larger change is sent without them.
 */
const MAX_BYTES = 1024 * 1024;
const LONG_VALUE_BYTES = 64;

export const objectJson = (fields: Field[]) =>
  `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;

/** Returns the old row, limited to the columns of the replica identity. */
export function identityFields(change: Change, { columns }: Relation): Field[] {
  const identity = new Set(columns.filter((c) => c.identity).map((c) => c.name));
  return (change.old_fields ?? []).filter(([name]) => identity.has(name));
}

/** Returns the `data` of a change whose values a role must not see. */
export function refusalJson({ action }: Change, { schema, name }: Relation, refusal: string) {
  return JSON.stringify({
    schema,
    table: name,
    type: action,
    commit_timestamp: null,
    columns: [],
    record: {},
    ...(action === "UPDATE" ? { old_record: {} } : {}),
    errors: [refusal],
  });
}

/**
 * Returns the JSON `data` of a change for a role. `readable` are the columns the role may select,
 * `select` those the subscription wants (null: all). Key columns are always included.
 */
export function changeJson(
  change: Change,
  relation: Relation,
  readable: readonly string[],
  select: readonly string[] | null,
): string {
  const { schema, name: table, columns, rls } = relation;
  const keys = new Set(columns.filter((c) => c.key).map((c) => c.name));
  const bytea = new Set(columns.filter((c) => c.type === "bytea").map((c) => c.name));
  const wanted = (name: string) =>
    readable.includes(name) && (select === null || select.includes(name) || keys.has(name));
  const bytes = [...(change.fields ?? []), ...(change.old_fields ?? [])].reduce(
    (sum, [, json]) => sum + Buffer.byteLength(json),
    0,
  );
  const tooLarge = bytes > MAX_BYTES;
  const fits = (json: string) => !tooLarge || Buffer.byteLength(json) <= LONG_VALUE_BYTES;
  const written = (fields: Field[]) =>
    objectJson(
      fields
        .filter(([name, json]) => wanted(name) && fits(json))
        // Hosted's decoder writes bytes in hex without a prefix, too.
        .map(([name, json]) => [name, bytea.has(name) ? json.replace(/^"\\\\x/, '"') : json]),
    );

  const facts = {
    schema,
    table,
    type: change.action,
    commit_timestamp: change.at,
    columns: columns.filter((c) => wanted(c.name)).map(({ name, type }) => ({ name, type })),
    errors: tooLarge ? ["Error 413: Payload Too Large"] : null,
  };
  const members = [JSON.stringify(facts).slice(1, -1)];
  if (change.fields) members.push(`"record":${written(change.fields)}`);
  if (change.old_fields) {
    // A deleted row cannot be checked against policies, so with RLS only its key is sent.
    const onlyKey = change.action === "DELETE" && rls;
    const old = identityFields(change, relation).filter(([name]) => !onlyKey || keys.has(name));
    members.push(`"old_record":${written(old)}`);
  }
  return `{${members.join(",")}}`;
}
