/**
 * Checks that no migration refers to an object that a later one creates, so that each can be read and tested with only
 * those before it. Postgres does not check it, because function bodies are resolved late. Names are compared with their
 * schema, in bodies and comments. Comments must not name files of later migrations either.
 */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../supabase/migrations/", import.meta.url);
const made =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+|materialized\s+)?(?:function|procedure|table|view|type|sequence|domain|aggregate)\s+(?:if\s+not\s+exists\s+)?((?:public|private)\.\w+)/g;

const migrations = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort()
  .map((name) => ({
    name,
    /** The name without time and extension, such as `order_moves`. */
    subject: name.replace(/^\d+_|\.sql$/g, ""),
    lines: readFileSync(new URL(name, folder), "utf8").split("\n"),
  }));

const madeIn = new Map<string, number>();
migrations.forEach(({ lines }, file) => {
  for (const [, name] of lines.join("\n").matchAll(made))
    madeIn.set(name!, madeIn.get(name!) ?? file);
});

const subjects = new Map(migrations.map(({ subject }, file) => [subject, file]));

/** The migration of the object, or in a comment also of the file, that a word names. */
function migrationOf(word: string, isComment: boolean): number | undefined {
  return madeIn.get(word) ?? (isComment && word.includes("_") ? subjects.get(word) : undefined);
}

const backward = migrations.flatMap(({ name, lines }, file) =>
  lines.flatMap((line, index) => {
    const isComment = /^\s*--/.test(line);
    return [...line.matchAll(/\b(?:(?:public|private)\.)?\w+/g)]
      .filter(([word]) => (migrationOf(word, isComment) ?? file) > file)
      .map(
        ([word]) =>
          `${name}:${index + 1} refers to ${word}, of ${migrations[migrationOf(word, isComment)!]!.name}`,
      );
  }),
);
for (const line of backward) console.error(line);
if (backward.length > 0) {
  console.error(
    `${backward.length} references to later migrations: move them to the later migration.`,
  );
  process.exit(1);
}
