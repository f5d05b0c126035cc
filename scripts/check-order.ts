/**
 * No migration refers to what a later one makes: so each can be read, and tried, with those before it alone. Bodies of
 * functions bind late, and Postgres would not mind; this does. Names count with their schema, in bodies too.
 * And no function is longer than a reader can hold at once.
 */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../supabase/migrations/", import.meta.url);
const made =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+|materialized\s+)?(?:function|table|view|type|sequence|domain|aggregate)\s+(?:if\s+not\s+exists\s+)?((?:public|private)\.\w+)/g;

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

const LONGEST = 80;
const long = migrations.flatMap(({ name, lines }) => {
  const begins = lines.flatMap((line, at) =>
    /^create (or replace )?function/.test(line) ? [at] : [],
  );
  return begins.flatMap((at) => {
    // Its body ends with dollars, or, where it is one expression, with the first semicolon.
    const rest = lines.slice(at);
    const dollars = rest.findIndex((line) => /^as \$\$/.test(line));
    const semicolon = rest.findIndex((line) => line.endsWith(";"));
    const end = dollars < 0 || semicolon < dollars ? semicolon : rest.indexOf("$$;");
    const length = end + 1;
    return length > LONGEST ? [`${name}:${at + 1} has a function of ${length} lines`] : [];
  });
});

for (const line of [...backward, ...long]) console.error(line);
if (backward.length > 0) {
  console.error(`${backward.length} references to what a later migration makes.`);
}
if (long.length > 0) {
  console.error(
    `${long.length} functions of more than ${LONGEST} lines: cut them into steps with names.`,
  );
}
if (backward.length + long.length > 0) process.exit(1);
