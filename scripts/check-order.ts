/**
 * No migration refers to what a later one makes: so each can be read, and tried, with those before it alone. Bodies of
 * functions bind late, and Postgres would not mind; this does. Names count with their schema, in bodies too.
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
      // Comments may name what they like, also those that Postgres keeps.
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
  console.error(`${backward.length} references to what a later migration makes.`);
  process.exit(1);
}
