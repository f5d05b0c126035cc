import { parse } from "csv-parse/sync";
import { ApiError } from "../http/errors.ts";
import { unguarded } from "../values/csv_cells.ts";
import { type Line, MAX_LINE, type Sent } from "./lines.ts";

// Records are assembled here line by line and then split by csv-parse. So an unclosed quote costs only its own line, not
// all lines that follow.

const MANY = 250;
const MOST_COLUMNS = 300;

/** The columns of a kind of record, and the conversion of its cells. */
export interface Table {
  knows(column: string): boolean;
  /** Columns that identify a record: the header needs one of them. */
  keys: readonly [string, ...string[]];
  /** The fields of a record; its cells are in the order of the header. */
  fieldsOf(cells: readonly (readonly [column: string, cell: string])[]): Record<string, unknown>;
}

interface Header {
  names: string[];
  delimiter: string;
}

type Row =
  | { number: number; text: string }
  | { number: number; size: number; cells: string[] }
  | Sent;

/**
 * The records of a CSV body. The first line after the header is number `firstLine`, if there is one.
 * Throws VALIDATION_ERROR for a wrong header.
 */
export async function* readCsv(
  chunks: AsyncIterable<Line[]>,
  table: Table,
  firstLine?: number,
): AsyncGenerator<Sent> {
  let header: Header | undefined;
  let shift = 0;
  const beginning = new Beginning(table);
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
    // A stack: the next line is the last element.
    const waiting = [line];
    // Only the first line of an incomplete record is invalid. The others are read again.
    const giveUp = () => {
      const [first, ...others] = close() as [Line, ...Line[]];
      rows.push(faulty(first, NOT_CLOSED));
      for (const other of others.toReversed()) waiting.push(other);
    };
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (next.text === null) {
        if (open.length > 0) {
          waiting.push(next);
          giveUp();
        } else rows.push(faulty(next, next.problem as string));
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
          rows.push({ number: (open[0] as Line).number, size, cells });
          close();
        } else giveUp();
      }
    }
  };

  for await (const lines of chunks) {
    for (const line of lines) {
      if (header) take({ ...line, number: line.number + shift }, header);
      else {
        header = beginning.take(line);
        if (header && firstLine !== undefined) shift = firstLine - line.number - 1;
      }
      if (header && rows.length >= MANY) yield* readRows(rows.splice(0), header, table);
    }
  }
  if (!header) throw beginning.problem();
  while (open.length > 0) {
    const [first, ...others] = close() as [Line, ...Line[]];
    rows.push(faulty(first, NOT_CLOSED));
    for (const line of others) take(line, header);
  }
  yield* readRows(rows, header, table);
}

const NOT_CLOSED = "A quote is opened here and not closed correctly.";
const MALFORMED = "The quotes of this line are invalid: double the quotes inside a quoted cell.";

function faulty({ number, text }: Pick<Line, "number" | "text">, message: string): Sent {
  const line = number;
  const size = text?.length ?? 0;
  return { line, size, error: { line, code: "VALIDATION_ERROR", message, field: null } };
}

function hasOddQuotes(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

/** Excel's optional first line, which names the delimiter. */
const DELIMITER_LINE = /^"?sep=(.)"?\s*$/i;

/** The lines up to the end of the header. */
class Beginning {
  #delimiter: string | undefined;
  #text = "";

  constructor(readonly table: Table) {}

  /** The header, if this line completes it. Throws VALIDATION_ERROR for an invalid header. */
  take({ text, problem }: Line): Header | undefined {
    if (text === null) throw new ApiError("VALIDATION_ERROR", problem);
    if (this.#text === "") {
      const [, named] = DELIMITER_LINE.exec(text) ?? [];
      this.#delimiter ??= named;
      if (text.trim() === "" || named) return undefined;
      this.#text = text;
    } else this.#text += `\n${text}`;
    // A quoted name contains a line break.
    if (hasOddQuotes(this.#text) && this.#text.length <= MAX_LINE) return undefined;
    return headerOf(this.#text, this.#delimiter ?? delimiterOf(this.#text), this.table);
  }

  /** The error for a body that ends before its header does. */
  problem(): ApiError {
    return new ApiError(
      "VALIDATION_ERROR",
      this.#text === ""
        ? "The body is empty: send a header first."
        : "A quote is opened in the header and not closed.",
    );
  }
}

/** The most frequent delimiter in a header, outside of quotes. */
function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, "");
  const [delimiter] = [",", ";", "\t"].sort(
    (one, other) => bare.split(other).length - bare.split(one).length,
  ) as [string];
  return delimiter;
}

function headerOf(text: string, delimiter: string, table: Table): Header {
  const names = cellsOf(text, delimiter)?.map((name) => name.trim()) ?? [];
  if (names.length > MOST_COLUMNS) {
    throw new ApiError(
      "LIMIT_REACHED",
      `The header has ${names.length} columns. It must have at most ${MOST_COLUMNS}.`,
      [],
      {},
      { cap: "import_columns", maximum: MOST_COLUMNS },
    );
  }
  const before = new Set<string>();
  for (const name of names) {
    const problem = table.knows(name)
      ? before.has(name) && "is present twice"
      : "is not known here";
    before.add(name);
    if (problem) {
      throw new ApiError("VALIDATION_ERROR", `The column ${name || "without a name"} ${problem}.`, [
        { field: name, value: name },
      ]);
    }
  }
  if (!table.keys.some((key) => names.includes(key))) {
    const [field] = table.keys;
    throw new ApiError("VALIDATION_ERROR", `The header must have the column ${field}.`, [
      { field, value: null },
    ]);
  }
  return { names, delimiter };
}

/** The cells of one record; undefined if its quotes are invalid. */
function cellsOf(text: string, delimiter: string): string[] | undefined {
  return parsed(text.replace(/\r$/, ""), delimiter, 1)?.[0];
}

function parsed(text: string, delimiter: string, records: number): string[][] | undefined {
  try {
    const rows = parse(text, {
      delimiter,
      record_delimiter: "\n",
      relax_column_count: true,
      // Removes spaces around cells. Spaces within quotes are kept.
      trim: true,
    });
    return rows.length === records ? (rows as string[][]) : undefined;
  } catch {
    return undefined; // Reading the lines one by one finds the invalid one.
  }
}

function* readRows(rows: Row[], { names, delimiter }: Header, table: Table): Generator<Sent> {
  const texts = rows.flatMap((row) => ("text" in row ? [row.text.replace(/\r$/, "")] : []));
  // Parsing many lines at once is several times faster.
  const together = parsed(texts.join("\n"), delimiter, texts.length)?.values();
  for (const row of rows) {
    if ("line" in row) {
      yield row;
      continue;
    }
    const cells =
      "cells" in row ? row.cells : together ? together.next().value : cellsOf(row.text, delimiter);
    const { number } = row;
    const text = "text" in row ? row.text : "";
    if (!cells) yield faulty({ number, text }, MALFORMED);
    else if (cells.length !== names.length) {
      const message = `There are ${cells.length} cells; the header has ${names.length}.`;
      yield faulty({ number, text }, message);
    } else {
      const named = names.map((name, at) => [name, unguarded(cells[at] as string)] as const);
      const size = "size" in row ? row.size : text.length;
      yield { line: number, size, fields: table.fieldsOf(named) };
    }
  }
}

/** The value of a JSON cell. Other text is returned unchanged, and the schema refuses it. */
export function jsonIn(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
