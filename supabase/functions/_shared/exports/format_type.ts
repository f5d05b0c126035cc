/** A field of an export's rows. */
export interface Field {
  name: string;
  kind: "text" | "number" | "boolean" | "date" | "time" | "json";
}

/** A cell in the database's response. Numbers and JSON are texts, so that no digit is lost. */
export type Cell = string | boolean | null;

/** A row in the database's response: its cells, or for the format json the object as text. */
export type Row = Cell[] | string;

/** A format that is written piece by piece, from beginning to end. */
export interface Format {
  contentType: string;
  head: string;
  foot: string;
  /** Writes rows that follow the head, or other rows. */
  write(rows: Row[], follow: "head" | "rows"): string;
}
