import { ApiError } from "../http/errors.ts";
import { readCsv, type Table } from "./csv.ts";
import { type Incoming, type Line, linesOf, type Sent } from "./lines.ts";

/** The format of a kind of record. */
export interface Written {
  table: Table;
  /** Fields where null in NDJSON removes the value; in others null leaves the value as it is. */
  nullable: ReadonlySet<string>;
}

/**
 * The records of a body, by its content type. The first line after a header is number `firstLine`, if
 * there is one. Throws INVALID_REQUEST for any other content type.
 */
export function readRecords(
  contentType: string | undefined,
  body: Incoming,
  { table, nullable }: Written,
  firstLine?: number,
): AsyncGenerator<Sent> {
  const [type] = (contentType ?? "").toLowerCase().split(";");
  const lines = linesOf(body);
  switch (type?.trim()) {
    case "text/csv":
      return readCsv(lines, table, firstLine);
    case "application/x-ndjson":
    case "application/ndjson":
    case "application/jsonl":
      return readNdjson(lines, nullable, firstLine);
    default:
      throw new ApiError(
        "INVALID_REQUEST",
        "Send CSV or NDJSON, with Content-Type: text/csv or application/x-ndjson.",
      );
  }
}

async function* readNdjson(
  chunks: AsyncIterable<Line[]>,
  nullable: ReadonlySet<string>,
  firstLine = 1,
): AsyncGenerator<Sent> {
  for await (const lines of chunks) {
    for (const { number, text, problem } of lines) {
      if (text?.trim() === "") continue;
      const line = number + firstLine - 1;
      const size = text?.length ?? 0;
      const fields = text === null ? undefined : objectIn(text, nullable);
      if (fields) yield { line, size, fields };
      else {
        const message = problem ?? "The line is not a JSON object.";
        yield { line, size, error: { line, code: "INVALID_JSON", message, field: null } };
      }
    }
  }
}

/** The object of a line, without fields that change nothing. */
function objectIn(
  text: string,
  nullable: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => field !== null || nullable.has(name)),
  );
}
