/** A field of an export's rows. */
export interface Field {
  name: string;
  kind: "text" | "number" | "boolean" | "date" | "time" | "json";
}

/**
 * A row as the database hands it over: its cells, in which numbers and JSON are texts, as exact as they were; or, for
 * JSON, all of it as text.
 */
export type Cell = string | boolean | null;
export type Row = Cell[] | string;

/** A format that is written from its beginning to its end, piece by piece. */
export interface Format {
  contentType: string;
  head: string;
  foot: string;
  /** Rows as they follow the head, or other rows. */
  write(rows: Row[], follow: "head" | "rows"): string;
}
