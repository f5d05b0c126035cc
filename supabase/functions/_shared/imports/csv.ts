import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { ApiError } from "../http/errors.ts";
import { type Line, MAX_LINE, type Sent } from "./lines.ts";
import { columns } from "./schema.ts";

// Records are put together here, line by line, and then taken apart by csv-parse: so a quote that is
// never closed costs its own line and not all that follow.

const MANY = 250;
const MOST_COLUMNS = 300;
const ATTRIBUTE = "attribute:";
const JSON_COLUMNS = new Set(["images", "attributes", "physical", "variants"]);
/** Where an empty cell says that there is nothing; anywhere else it says nothing. */
const EMPTY: Record<string, unknown> = {
  category_id: null,
  physical: null,
  description: "",
  images: [],
  attributes: [],
};

/** Cells that a spreadsheet would take for a formula, and those that look as if they had been guarded. */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

interface Header {
  names: string[];
  delimiter: string;
}

type Row = { number: number; text: string } | { number: number; cells: string[] } | Sent;

/** The products of a CSV body. Throws VALIDATION_ERROR where the header is wrong. */
export async function* readCsv(chunks: AsyncIterable<Line[]>): AsyncGenerator<Sent> {
  let header: Header | undefined;
  const rows: Row[] = [];
  let open: Line[] = [];
  let size = 0;
  let inQuotes = false;

  const close = (): Line[] => {
    const record = open;
    open = [];
    size = 0;
    inQuotes = false;
    return record;
  };

  const take = (line: Line, { names, delimiter }: Header) => {
    // The next one stands last.
    const waiting = [line];
    // Only the first line of a record that comes to nothing is bad; the others get another chance.
    const giveUp = () => {
      const [first, ...others] = close() as [Line, ...Line[]];
      rows.push(faulty(first.number, NOT_CLOSED));
      for (const other of others.toReversed()) waiting.push(other);
    };
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (next.text === null) {
        if (open.length > 0) {
          waiting.push(next);
          giveUp();
        } else rows.push(faulty(next.number, next.problem as string));
        continue;
      }
      if (open.length === 0 && next.text.trim() === "") continue;
      open.push(next);
      size += next.text.length;
      if (hasOddQuotes(next.text)) inQuotes = !inQuotes;
      if (inQuotes) {
        if (size > MAX_LINE) giveUp();
      } else if (open.length === 1) {
        rows.push({ number: next.number, text: next.text });
        close();
      } else {
        const cells = cellsOf(open.map(({ text }) => text).join("\n"), delimiter);
        if (cells?.length === names.length) {
          rows.push({ number: (close()[0] as Line).number, cells });
        } else giveUp();
      }
    }
  };

  for await (const lines of chunks) {
    for (const line of lines) {
      if (header) take(line, header);
      else if (line.text?.trim() !== "") header = headerOf(line);
      if (header && rows.length >= MANY) yield* readRows(rows.splice(0), header);
    }
  }
  if (!header) throw new ApiError("VALIDATION_ERROR", "The body is empty: send a header first.");
  while (open.length > 0) {
    const [first, ...others] = close() as [Line, ...Line[]];
    rows.push(faulty(first.number, NOT_CLOSED));
    for (const line of others) take(line, header);
  }
  yield* readRows(rows, header);
}

const NOT_CLOSED = "A quote is opened here and not rightly closed.";
const MALFORMED = "The quotes of this line are not right: double those inside of a quoted cell.";

function faulty(line: number, message: string): Sent {
  return { line, error: { line, code: "VALIDATION_ERROR", message, field: null } };
}

function hasOddQuotes(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

function headerOf(line: Line): Header {
  if (line.text === null) throw new ApiError("VALIDATION_ERROR", line.problem);
  const text = line.text;
  const [delimiter] = [",", ";", "\t"].sort(
    (one, other) => text.split(other).length - text.split(one).length,
  ) as [string];
  const names = cellsOf(text, delimiter)?.map((name) => name.trim()) ?? [];
  if (names.length > MOST_COLUMNS) {
    throw new ApiError(
      "LIMIT_REACHED",
      `The header names ${names.length} columns; ${MOST_COLUMNS} are the most.`,
      [],
      {},
      { cap: "import_columns", maximum: MOST_COLUMNS },
    );
  }
  const before = new Set<string>();
  for (const name of names) {
    const known = (columns as string[]).includes(name) || name.startsWith(ATTRIBUTE);
    const problem = known ? before.has(name) && "is there twice" : "is not known here";
    before.add(name);
    if (problem) {
      throw new ApiError("VALIDATION_ERROR", `The column ${name || "without a name"} ${problem}.`, [
        { field: name, value: name },
      ]);
    }
  }
  if (!names.includes("external_id") && !names.includes("id")) {
    throw new ApiError("VALIDATION_ERROR", "The header lacks the column external_id.", [
      { field: "external_id", value: null },
    ]);
  }
  return { names, delimiter };
}

/** The cells of one record; nothing where its quotes are wrong. */
function cellsOf(text: string, delimiter: string): string[] | undefined {
  return parsed(text.replace(/\r$/, ""), delimiter, 1)?.[0];
}

function parsed(text: string, delimiter: string, records: number): string[][] | undefined {
  try {
    const rows = parse(text, { delimiter, record_delimiter: "\n", relax_column_count: true });
    return rows.length === records ? (rows as string[][]) : undefined;
  } catch {
    return undefined; // Whose fault it is shows when the lines are read one by one.
  }
}

function* readRows(rows: Row[], { names, delimiter }: Header): Generator<Sent> {
  const texts = rows.flatMap((row) => ("text" in row ? [row.text.replace(/\r$/, "")] : []));
  // Reading many at once is several times as fast as one by one.
  const together = parsed(texts.join("\n"), delimiter, texts.length)?.values();
  for (const row of rows) {
    if ("line" in row) {
      yield row;
      continue;
    }
    const cells =
      "cells" in row ? row.cells : together ? together.next().value : cellsOf(row.text, delimiter);
    if (!cells) yield faulty(row.number, MALFORMED);
    else if (cells.length !== names.length) {
      yield faulty(row.number, `There are ${cells.length} cells; the header has ${names.length}.`);
    } else yield { line: row.number, fields: fieldsOf(names, cells) };
  }
}

function fieldsOf(names: string[], cells: string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const attributes: object[] = [];
  for (const [at, name] of names.entries()) {
    const raw = cells[at] as string;
    const cell = GUARDED.test(raw) ? raw.slice(1) : raw;
    if (name.startsWith(ATTRIBUTE)) {
      if (cell !== "") attributes.push({ name: name.slice(ATTRIBUTE.length), value: cell });
    } else if (cell !== "") fields[name] = meaningOf(name, cell);
    else if (name in EMPTY) fields[name] = EMPTY[name];
  }
  if (names.some((name) => name.startsWith(ATTRIBUTE))) {
    const listed = Array.isArray(fields.attributes) ? fields.attributes : [];
    fields.attributes = [...listed, ...attributes];
  }
  return fields;
}

/** What a cell means; what it cannot mean stays as it is, for the schema to refuse. */
function meaningOf(name: string, cell: string): unknown {
  if (name === "price" || name === "quantity") {
    return /^-?\d+(\.\d+)?$/.test(cell.trim()) ? Number(cell) : cell;
  }
  if (name === "track_inventory") return { true: true, false: false }[cell.toLowerCase()] ?? cell;
  if (!JSON_COLUMNS.has(name)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** The header of an export. */
export const csvHeader = `${columns.join(",")}\r\n`;

/**
 * Products as CSV. A cell that a spreadsheet would run as a formula gets an apostrophe in front, which
 * an import takes away again.
 */
export function writeCsv(products: Record<string, unknown>[]): string {
  return stringify(
    products.map((product) =>
      columns.map((name) => {
        const value = product[name] ?? "";
        const cell = typeof value === "object" ? JSON.stringify(value) : String(value);
        return FORMULA.test(cell) ? `'${cell}` : cell;
      }),
    ),
    { record_delimiter: "\r\n", quoted_match: /[\r\n]/ },
  );
}
