/**
 * Checks that no migration refers to an object that a later one creates, so that each can be read
 * and tested with only
 * those before it. Postgres does not check it, because function bodies are resolved late. Names are
 * compared with their
 * schema, in bodies too.
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
    lines: readFileSync(new URL(name, folder), "utf8")
      // References in comments are allowed, also in `comment on`.
      .replace(/(?<=^|\s)--.*$/gm, "")
      .replace(/^comment on [^']*'(?:[^']|'')*'/gm, (comment) => comment.replace(/.+/g, ""))
      .split("\n"),
  }));

const madeIn = new Map<string, number>();
migrations.forEach(({ lines }, file) => {
  for (const [, name] of lines.join("\n").matchAll(made))
    madeIn.set(name!, madeIn.get(name!) ?? file);
});

const backward = migrations.flatMap(({ name, lines }, file) =>
  lines.flatMap((line, index) =>
    [...line.matchAll(/\b(?:public|private)\.\w+/g)]
      .filter(([reference]) => (madeIn.get(reference) ?? file) > file)
      .map(
        ([reference]) =>
          `${name}:${index + 1} refers to ${reference}, of ${migrations[madeIn.get(reference)!]!.name}`,
      ),
  ),
);
for (const line of backward) console.error(line);
if (backward.length > 0) {
  console.error(
    `${backward.length} references to objects of later migrations: move them to the later migration.`,
  );
  process.exit(1);
}
