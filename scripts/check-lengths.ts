/** Refuses SQL functions over 80 lines, so that each stays one step that a reader understands at once. */
import { readSqlFunctions } from "./sql-functions.js";

const MAX_LINES = 80;

const faults = readSqlFunctions()
  .map(({ text, ...of }) => ({ ...of, lines: text.split("\n").length }))
  .filter(({ lines }) => lines > MAX_LINES);
for (const { name, place, lines } of faults) {
  console.error(
    `${place}: ${name} has ${lines} lines, at most ${MAX_LINES}: split it along its steps`,
  );
}
if (faults.length > 0) process.exit(1);
