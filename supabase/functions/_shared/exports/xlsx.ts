import { Buffer } from "node:buffer";
import { PassThrough } from "node:stream";
import type { stream } from "exceljs";
import type { Cell, Field, Row } from "./format_type.ts";

export const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Maximum length of a cell in characters: Excel reports files with longer cells as damaged. */
const MOST_CHARACTERS = 32_767;
/** Maximum size of a workbook in bytes, which is held in memory. */
const MOST_BYTES = 32 * 1024 * 1024;

const FORMATS: Partial<Record<Field["kind"], string>> = {
  date: "yyyy-mm-dd",
  time: "yyyy-mm-dd hh:mm:ss",
};

const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?/;

/** The rows do not fit into a workbook. The message is for the member who requested the export. */
export class TooLargeForXlsx extends Error {
  override name = "TooLargeForXlsx";
}

/** Writes a workbook of one sheet. Throws TooLargeForXlsx. */
export async function openWorkbook(name: string, fields: Field[]) {
  // Only this module is imported, and only when needed: the whole package needs permissions that functions do not have.
  const { default: WorkbookWriter } = await import("exceljs/lib/stream/xlsx/workbook-writer.js");
  const written = new PassThrough();
  const chunks: Buffer[] = [];
  let bytes = 0;
  written.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
  });
  const options = { stream: written, useStyles: true };
  const workbook = new WorkbookWriter(options) as unknown as stream.xlsx.WorkbookWriter;
  const sheet = workbook.addWorksheet(name, { views: [{ state: "frozen", ySplit: 1 }] });
  sheet.columns = fields.map(({ name, kind }) => ({
    header: name,
    width: 20,
    style: FORMATS[kind] ? { numFmt: FORMATS[kind] } : {},
  }));

  return {
    add(rows: Row[]): void {
      for (const row of rows as Cell[][]) {
        sheet.addRow(row.map((cell, at) => contentOf(cell, fields[at] as Field))).commit();
      }
      if (bytes > MOST_BYTES)
        throw new TooLargeForXlsx("The rows are too large for xlsx: choose csv.");
    },
    async end(): Promise<Uint8Array> {
      sheet.commit();
      await workbook.commit();
      return Buffer.concat(chunks);
    },
  };
}

/** The content of a cell. Text never becomes a formula. A time is local time in the tenant's time zone. */
function contentOf(cell: Cell, { name, kind }: Field) {
  if (typeof cell !== "string") return cell;
  if (kind === "number") return Number(cell);
  if (kind === "date") return new Date(cell);
  if (kind === "time") return new Date(`${WITHOUT_OFFSET.exec(cell)?.[0]}Z`);
  if (cell.length > MOST_CHARACTERS) {
    throw new TooLargeForXlsx(
      `A ${name} has more than the ${MOST_CHARACTERS} characters of a cell: choose csv.`,
    );
  }
  return cell;
}
