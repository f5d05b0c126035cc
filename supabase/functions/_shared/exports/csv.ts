import { guarded, writeRecords } from "../values/csv_cells.ts";
import type { Cell, Field, Format } from "./format_type.ts";

/** RFC 4180 in UTF-8, with a byte order mark for Excel if `bom` is set. */
export function csvFormat(fields: Field[], bom: boolean): Format {
  const isNumber = fields.map(({ kind }) => kind === "number");
  const written = (cell: Cell, at: number) =>
    typeof cell === "string" && !isNumber[at] ? guarded(cell) : cell === null ? null : String(cell);
  return {
    contentType: "text/csv",
    head: (bom ? "\ufeff" : "") + writeRecords([fields.map(({ name }) => name)]),
    foot: "",
    write: (rows) => writeRecords((rows as Cell[][]).map((row) => row.map(written))),
  };
}
