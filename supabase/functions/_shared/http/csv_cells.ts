import { stringify } from "csv-stringify/sync";

// Spreadsheets run a cell as a formula if it begins with one of these characters, some of them in their full-width form
// too. They divide a file by commas, semicolons or tabs, as their locale says: so a text in quotes becomes several cells
// for some of them. An apostrophe in front makes a text of a formula.

const FORMULA = "=+\\-@\uFF1D\uFF0B\uFF0D\uFF20";
/** The place before a cell that a spreadsheet would run, or that looks as if it had an apostrophe already. */
const BEGINNING = new RegExp(`^(?='*[${FORMULA}\\t\\r\\n])`);
/** The same, where a cell begins for spreadsheets that divide by semicolons, tabs or the ends of lines. */
const INSIDE = new RegExp(`(?<=[;\\t\\r\\n])(?=['"]*[${FORMULA}])`, "g");

const BEGINNING_GUARDED = new RegExp(`^'(?='*[${FORMULA}\\t\\r\\n])`);
const INSIDE_GUARDED = new RegExp(`(?<=[;\\t\\r\\n])'(?=['"]*[${FORMULA}])`, "g");

/** A text that no spreadsheet runs as a formula. `unguarded` makes the same text of it again. */
export const guarded = (text: string) => text.replace(INSIDE, "'").replace(BEGINNING, "'");

/** The text that `guarded` was called with. */
export const unguarded = (cell: string) =>
  cell.replace(BEGINNING_GUARDED, "").replace(INSIDE_GUARDED, "");

type Record = readonly (string | null)[];

const OPTIONS = { record_delimiter: "\r\n", quoted_match: /[\r\n;\t]|^\s|\s$/ };

/** A cell that csv-stringify writes as it is. */
const PLAIN = /^(?!\s)[^",;\t\r\n]*(?<!\s)$/;

const isPlain = (record: Record) => record.every((cell) => cell === null || PLAIN.test(cell));

/**
 * Writes records as RFC 4180 says. Texts have to be guarded before. Blanks around a text are its own in quotes only. Records that need no quotes, which most are, are
 * joined: csv-stringify takes ten times as long for them.
 */
export function writeRecords(records: readonly Record[]): string {
  const written: string[] = [];
  let quoted: Record[] = [];
  const flush = () => {
    if (quoted.length > 0) written.push(stringify(quoted as (string | null)[][], OPTIONS));
    quoted = [];
  };
  for (const record of records) {
    if (isPlain(record)) {
      flush();
      written.push(`${record.join(",")}\r\n`);
    } else {
      quoted.push(record);
    }
  }
  flush();
  return written.join("");
}
