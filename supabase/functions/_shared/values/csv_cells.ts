import { stringify } from "csv-stringify/sync";

// Spreadsheets run a cell as a formula if it begins with one of these characters, some also in their full-width form.
// Depending on the locale, they split a file at commas, semicolons or tabs, so one quoted text may become several
// cells. A leading apostrophe marks a cell as text.

const FORMULA = "=+\\-@\uFF1D\uFF0B\uFF0D\uFF20";
/** The start of a cell that a spreadsheet would run, or that already looks guarded by an apostrophe. */
const BEGINNING = new RegExp(`^(?='*[${FORMULA}\\t\\r\\n])`);
/** The same inside a cell, for spreadsheets that split at semicolons, tabs or line ends. */
const INSIDE = new RegExp(`(?<=[;\\t\\r\\n])(?=['"]*[${FORMULA}])`, "g");

const BEGINNING_GUARDED = new RegExp(`^'(?='*[${FORMULA}\\t\\r\\n])`);
const INSIDE_GUARDED = new RegExp(`(?<=[;\\t\\r\\n])'(?=['"]*[${FORMULA}])`, "g");

/** Makes a text safe: no spreadsheet runs it as a formula. `unguarded` is the inverse. */
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
 * Writes records as in RFC 4180. Texts must be guarded before. Leading and trailing blanks of a text need quotes.
 * Records without quotes, which most are, are joined: csv-stringify takes ten times as long for them.
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
