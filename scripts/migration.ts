/** The migration since the last release, made from the sources of the database. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { Refusal } from "../packages/stack/src/refusal.js";
import { REFERENCE, readSqlFiles, SCHEMAS, type SqlFile } from "./schemas.js";

const MIGRATIONS = "supabase/migrations";
/** What a difference cannot know: rows that move, names that change. */
const BY_HAND = {
  before: "supabase/by_hand/before.sql",
  changes: "supabase/by_hand/changes.sql",
  after: "supabase/by_hand/after.sql",
};
/** Version of the first migration, before there is a release. */
const FIRST = 20261201000000n;
const VECTOR = "-- requires: vector\n";

const head = `-- Made from ${SCHEMAS} and ${REFERENCE} by \`npm run db -- migration\`. Do not edit.\n`;
const section = ({ path, text }: Pick<SqlFile, "path" | "text">) => `\n-- ${path}\n\n${text}`;

/**
 * A transaction locks what it creates, and a small server has room for about 5,000 locks; all sources together need 5,400. So
 * a migration of more characters than this becomes several.
 */
const MOST_CHARACTERS = 400_000;

/** Returns the difference between the databases that two lists of files make, as SQL. */
export type Difference = (from: readonly SqlFile[], to: readonly SqlFile[]) => Promise<string>;

/** The migrations of releases. Those since the last release are made anew each time. */
export function readReleased(): SqlFile[] {
  return readSqlFiles(MIGRATIONS).filter(({ path }) => !/_souk_next/.test(path));
}

/** The checksums of the migrations of releases, which never change: see supabase/released.sha256. */
export function sumsOf(): string {
  return readReleased()
    .map(({ path, text }) => `${createHash("sha256").update(text).digest("hex")}  ${path}\n`)
    .join("");
}

/** The rows of reference that the releases lack: files that no release has, or has with another text. */
function changedReference(sources: readonly SqlFile[], released: readonly SqlFile[]): SqlFile[] {
  const applied = released.map(({ text }) => text).join("");
  return sources.filter(
    (file) => file.path.startsWith(REFERENCE) && !applied.includes(section(file)),
  );
}

/** What was written by hand; nothing if there are only comments. */
function byHand(path: string): string {
  const text = readFileSync(path, "utf8");
  const isEmpty = text.split("\n").every((line) => /^\s*(--|$)/.test(line));
  return isEmpty ? "" : section({ path, text });
}

/** Joins sections to texts of at most MOST_CHARACTERS, unless a section alone has more. */
function grouped(sections: readonly string[]): string[] {
  const texts: string[] = [];
  for (const next of sections) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + next.length <= MOST_CHARACTERS) {
      texts[texts.length - 1] = last + next;
    } else if (next !== "") texts.push(next);
  }
  return texts;
}

/** A part of the migration. What needs vectors is a part of its own, which servers without them leave out. */
interface Part {
  text: string;
  needsVector: boolean;
}

/** The content of the migration before the first release: the sources, one after the other. */
function firstParts(sources: readonly SqlFile[]): Part[] {
  const [vectors, others] = [true, false].map((needsVector) =>
    sources.filter((file) => file.needsVector === needsVector).map(section),
  ) as [string[], string[]];
  return [
    ...grouped(others).map((text) => ({ text, needsVector: false })),
    { text: vectors.join(""), needsVector: true },
  ];
}

/** The content of the migration after a release: the difference, what was written by hand, and rows that changed. */
async function nextParts(
  released: readonly SqlFile[],
  sources: readonly SqlFile[],
  difference: Difference,
): Promise<Part[]> {
  const plain = (files: readonly SqlFile[]) => files.filter(({ needsVector }) => !needsVector);
  const changes = byHand(BY_HAND.changes);
  const changed = [...plain(released), asFile({ text: changes, needsVector: false })];
  const text =
    byHand(BY_HAND.before) +
    changes +
    forAllVersions(await difference(changed, plain(sources))) +
    byHand(BY_HAND.after);
  const vectors = await difference([...released, asFile({ text, needsVector: false })], sources);
  const rows = (needsVector: boolean) =>
    changedReference(sources, released)
      .filter((file) => file.needsVector === needsVector)
      .map(section)
      .join("");
  const parts = [
    { text: text + rows(false), needsVector: false },
    { text: vectors + rows(true), needsVector: true },
  ];
  if (parts.some(hasContent)) {
    refuseRest(await difference([...released, ...parts.map(asFile)], sources));
  }
  return parts;
}

/** All privileges of a table, which Postgres 17 lists with MAINTAIN. Older versions do not know that one. */
const ALL_OF_TABLE =
  /\bGRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE\b/g;

const forAllVersions = (sql: string) => sql.replaceAll(ALL_OF_TABLE, "GRANT ALL ON TABLE");

const hasContent = ({ text }: Part) => /\S/.test(text);

const asFile = (part: Part): SqlFile => ({ path: "", subject: "souk_next", ...part });

/** Refuses a migration after which the database still differs. */
function refuseRest(rest: string): void {
  if (!/\S/.test(rest)) return;
  throw new Refusal(
    "after the migration the database still differs from supabase/schemas. Write these objects as Postgres prints them, " +
      `or what they need into ${BY_HAND.changes} or ${BY_HAND.after}:\n${rest}`,
  );
}

/** The files of the migration since the last release, without files that would be empty. */
export async function makeMigration(
  difference: Difference,
): Promise<{ path: string; text: string }[]> {
  const released = readReleased();
  const sources = [...readSqlFiles(SCHEMAS), ...readSqlFiles(REFERENCE)];
  const parts =
    released.length === 0 ? firstParts(sources) : await nextParts(released, sources, difference);
  const last = released.map(({ path }) => BigInt(basename(path).split("_")[0]!)).at(-1);
  const first = last === undefined ? FIRST : last + 1n;
  const isLong = parts.length > 2;
  return parts.filter(hasContent).map(({ text, needsVector }, at) => {
    const name = needsVector ? "_embeddings" : isLong ? `_${at + 1}` : "";
    return {
      path: `${MIGRATIONS}/${first + BigInt(at)}_souk_next${name}.sql`,
      text: (needsVector ? VECTOR : "") + head + text,
    };
  });
}

/** The migrations since the last release that are in the folder. */
export const presentNext = (): string[] =>
  readdirSync(MIGRATIONS)
    .filter((name) => /_souk_next/.test(name))
    .map((name) => `${MIGRATIONS}/${name}`);
