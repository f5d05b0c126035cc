import type { Storage } from "../media/storage.ts";
import type { Field, Row } from "./format_type.ts";

/** The position of a row: its time, its id, and a value that distinguishes rows with the same id. */
export type ExportCursor = (string | null)[];

/** A file that is being uploaded. */
export interface OpenFile {
  path: string;
  /** The id of the upload in Storage. */
  upload: string;
  /** Bytes that have been sent. */
  sent: number;
}

/** The progress of an export. A dispatcher continues from it. */
export interface Checkpoint {
  /** The position of the last row that is sent or held; null before the first. */
  after: ExportCursor | null;
  /** Whether no row follows. */
  done: boolean;
  /** Rows that are sent or held. */
  rows: number;
  /** Bytes in Storage, of all files. */
  bytes: number;
  /** Paths of the files that are complete. */
  files: string[];
  file: OpenFile | null;
  /** Bytes that are written and not yet sent, in base64. They may begin in the middle of a row. */
  held: string;
  /** The last kind of content in the current file; null at its beginning. */
  written: "head" | "rows" | "foot" | null;
  /** Whether all files are complete. */
  ended: boolean;
}

/** The checkpoint that applies once the part in flight has arrived. */
export interface Upcoming extends Checkpoint {
  part: { bytes: number; sha256: string };
}

/** An export as a dispatcher takes it. */
export interface Job {
  id: string;
  tenant_id: string;
  type: string;
  format: "csv" | "xlsx" | "json";
  bom: boolean;
  lease: string;
  fields: Field[];
  /** Maximum size of a file in bytes. */
  file_bytes: number;
  checkpoint: Checkpoint | null;
  upcoming: Upcoming | null;
}

export interface Page {
  rows: Row[];
  /** The position of the last row; null if none follows. */
  after: ExportCursor | null;
}

/** The operations of a job's writers. All methods throw LeaseLost if the lease is no longer valid. */
export interface JobContext {
  /** Reads the rows after a position, up to this number of bytes. */
  read(after: ExportCursor | null, bytes: number): Promise<Page>;
  /** Stores checkpoints. Without `checkpoint`, the upcoming one of the last report has been reached. */
  report(checkpoints: { checkpoint?: Checkpoint; upcoming?: Upcoming }): Promise<void>;
  /** Opened for each use, so that each use has its own timeout. */
  readonly storage: Storage;
}

/** Another dispatcher has the export now, or it was deleted. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** The rows do not fit into a workbook. The message is for the member who requested the export. */
export class TooLargeForXlsx extends Error {
  override name = "TooLargeForXlsx";
}

export const BEGINNING: Checkpoint = {
  after: null,
  done: false,
  rows: 0,
  bytes: 0,
  files: [],
  file: null,
  held: "",
  written: null,
  ended: false,
};

/** A new path for the next file. It is never used twice, so a dispatcher without a lease cannot change a file. */
export function newPath({ tenant_id, id, format }: Job, files: readonly string[]): string {
  return `${tenant_id}/${id}.${files.length + 1}-${crypto.randomUUID().slice(0, 8)}.${format}`;
}
