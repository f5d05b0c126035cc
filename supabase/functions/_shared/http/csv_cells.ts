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

/** Writes records as RFC 4180 says. Texts have to be guarded before. Blanks around a text are its own in quotes only. */
export const writeRecords = (records: readonly (readonly (string | null)[])[]) =>
  stringify(records as (string | null)[][], {
    record_delimiter: "\r\n",
    quoted_match: /[\r\n;\t]|^\s|\s$/,
  });
