/**
 * Checks that no file of supabase/schemas refers to an object that a later one creates, so that each can be read with only
 * those before it. Postgres does not check it, because function bodies are resolved late. Names are compared with their
 * schema, in bodies and comments. Comments must not name later files either. A file whose functions have to call later
 * ones names them in a line `-- later: private.some_function`.
 *
 * Also refuses `create or replace`, because a function has one definition, and settings of a transaction that the list in
 * the foundation lacks.
 */
import { readSqlFiles, SCHEMAS } from "./schemas.js";

const made =
  /\bcreate\s+(?:unlogged\s+|materialized\s+)?(?:function|procedure|table|view|type|sequence|domain|aggregate)\s+(?:if\s+not\s+exists\s+)?((?:public|private)\.\w+)/g;

const files = readSqlFiles(SCHEMAS);
const madeIn = new Map<string, number>();
files.forEach(({ text }, file) => {
  for (const [, name] of text.matchAll(made)) madeIn.set(name!, madeIn.get(name!) ?? file);
});
const subjects = new Map(files.map(({ subject }, file) => [subject, file]));

/** The file of the object, or in a comment also the file, that a word names. */
function fileOf(word: string, isComment: boolean): number | undefined {
  return madeIn.get(word) ?? (isComment && word.includes("_") ? subjects.get(word) : undefined);
}

const backward = files.flatMap(({ path, text }, file) => {
  const declared = new Set(
    [...text.matchAll(/^-- later: (.+)$/gm)].flatMap(([, names]) => names!.split(", ")),
  );
  return text.split("\n").flatMap((line, index) => {
    const isComment = /^\s*--/.test(line);
    return [...line.matchAll(/\b(?:(?:public|private)\.)?\w+/g)]
      .map(([word]) => word)
      .filter((word) => (fileOf(word, isComment) ?? file) > file && !declared.has(word))
      .map(
        (word) =>
          `${path}:${index + 1} refers to ${word}, of ${files[fileOf(word, isComment)!]!.path}`,
      );
  });
});
const replaced = files.flatMap(({ path, text }) =>
  [...text.matchAll(/^create or replace .*/gm)].map(([line]) => `${path}: ${line}: define it once`),
);
const listed = new Set(
  files.flatMap(({ text }) => [...text.matchAll(/^-- {3}(souk\.\w+) /gm)].map(([, name]) => name)),
);
const unlisted = files.flatMap(({ path, text }) =>
  [...text.matchAll(/'(souk\.\w+?)_?'/g)]
    .filter(([, name]) => !listed.has(name))
    .map(([, name]) => `${path}: add ${name} to the list of settings in the foundation`),
);
const faults = [...backward, ...replaced, ...unlisted];
for (const line of faults) console.error(line);
if (backward.length > 0) {
  console.error(`${backward.length} references to later files: move them to the later file.`);
}
if (faults.length > 0) process.exit(1);
