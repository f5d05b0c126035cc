import { stringify } from "csv-stringify/sync";
import type { Cell, Field, Format } from "./format_type.ts";

const options = {
  record_delimiter: "\r\n",
  // Of what a spreadsheet would run an apostrophe makes a text.
  escape_formulas: true,
  cast: {
    boolean: String,
    // What begins with a minus, and is a number for all that.
    object: ({ number }: Record<string, unknown>) => ({
      value: String(number),
      escape_formulas: false,
    }),
  },
} as const;

/** RFC 4180 in UTF-8, for Excel with a mark that says so. */
export function csvFormat(fields: Field[], bom: boolean): Format {
  const numbers = fields.flatMap(({ kind }, at) => (kind === "number" ? [at] : []));

  function tellNumbers(row: (Cell | { number: string })[]): void {
    for (const at of numbers) {
      const cell = row[at];
      if (typeof cell === "string" && cell.startsWith("-")) row[at] = { number: cell };
    }
  }

  return {
    contentType: "text/csv",
    head: (bom ? "\ufeff" : "") + stringify([fields.map(({ name }) => name)], options),
    foot: "",
    write(rows) {
      for (const row of rows as Cell[][]) tellNumbers(row);
      return stringify(rows as Cell[][], options);
    },
  };
}
