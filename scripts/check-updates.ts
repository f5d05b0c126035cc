/**
 * Refuses updates and deletes without a condition in SQL functions. On hosted projects PostgREST loads the extension
 * safeupdate, which refuses them (21000), also within the functions that a request calls.
 */
import { readSqlFunctions } from "./sql-functions.js";

const HIDDEN = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g;
const CHANGE =
  /\b(?:delete\s+from\s+[\w.]+|update\s+(?:only\s+)?[\w.]+\s+(?:as\s+)?(?:\w+\s+)?(?=set\b))/gi;

/** The rest of the statement at the start of `sql`, without what it has in parentheses. */
function ownText(sql: string): string {
  let depth = 0;
  let own = "";
  for (const character of sql) {
    if (character === ")") depth -= 1;
    if (depth < 0 || (depth === 0 && character === ";")) break;
    if (depth === 0) own += character;
    if (character === "(") depth += 1;
  }
  return own;
}

const faults = readSqlFunctions().flatMap(({ name, place, text }) => {
  const sql = text.replace(HIDDEN, "''");
  return [...sql.matchAll(CHANGE)]
    .filter(({ index }) => !/\bwhere\b/i.test(ownText(sql.slice(index))))
    .map(([change]) => `${place}: ${name}: ${change.trim()}`);
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error("Add a condition. For all rows it is `where true`, which hosted projects accept.");
  process.exit(1);
}
