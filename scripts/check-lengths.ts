/**
 * Refuses SQL functions over 80 lines, so that each stays one step that a reader understands at once. A function counts
 * from `create` to the semicolon that ends its statement, with its arguments, options and comments.
 */
import { readdirSync, readFileSync } from "node:fs";

const MAX_LINES = 80;

/**
 * Functions over MAX_LINES, each with the most lines that it may have and the reason. The list only shrinks: a function
 * that became shorter has to lower its number or leave.
 */
const EXCEPTIONS: Record<string, { lines: number; reason: string }> = {
  "private.contenders": { lines: 201, reason: "one statement ranks all campaigns" },
  "private.placement_report": {
    lines: 131,
    reason: "one statement; four sections share one read of the statistics",
  },
  "private.change_campaign": { lines: 121, reason: "not yet split" },
};

/** Start of a function or procedure, at the start of a line. */
const START =
  /^create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?<name>(?:public|private)\.\w+)/gim;

/** Comments, strings, quoted names and dollar-quoted bodies, in which a semicolon ends nothing; or such a semicolon. */
const PIECE =
  /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<tag>\$\w*\$)[\s\S]*?\k<tag>|;/g;

/** Index behind the semicolon that ends the statement that begins at `from`. */
function endOfStatement(sql: string, from: number): number {
  PIECE.lastIndex = from;
  for (let piece = PIECE.exec(sql); piece; piece = PIECE.exec(sql)) {
    if (piece[0] === ";") return PIECE.lastIndex;
  }
  return sql.length;
}

const folder = new URL("../supabase/migrations/", import.meta.url);
const functions = readdirSync(folder)
  .filter((file) => file.endsWith(".sql"))
  .sort()
  .flatMap((file) => {
    const sql = readFileSync(new URL(file, folder), "utf8");
    return [...sql.matchAll(START)].map(({ index, groups }) => ({
      name: groups!.name!,
      place: `${file}:${sql.slice(0, index).split("\n").length}`,
      lines: sql.slice(index, endOfStatement(sql, index)).split("\n").length,
    }));
  });

const faults = functions
  .filter(({ name, lines }) => lines > (EXCEPTIONS[name]?.lines ?? MAX_LINES))
  .map(
    ({ name, place, lines }) =>
      `${place}: ${name} has ${lines} lines, at most ${EXCEPTIONS[name]?.lines ?? MAX_LINES}: split it along its steps`,
  );
for (const [name, { lines }] of Object.entries(EXCEPTIONS)) {
  const longest = Math.max(0, ...functions.filter((f) => f.name === name).map((f) => f.lines));
  if (longest <= MAX_LINES)
    faults.push(`${name} has ${longest} lines: remove it from EXCEPTIONS of check-lengths.ts`);
  else if (longest < lines)
    faults.push(`${name} has ${longest} lines: lower its ${lines} in check-lengths.ts`);
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
