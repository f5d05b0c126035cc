import type { Storage } from "../media/storage.ts";
import type { Field, Row } from "./format_type.ts";

/** Where a row stands: its time, its id, and what tells it from others of that id. */
export type Place = (string | null)[];

/** A file that is being uploaded. */
export interface OpenFile {
  path: string;
  /** The upload's id, at Storage. */
  upload: string;
  /** How many bytes of it have been sent. */
  sent: number;
}

/** How far an export has come, so that whoever knows it goes on from there. */
export interface Mark {
  /** Of the last row that is sent or held; null before the first. */
  after: Place | null;
  /** Whether no row follows. */
  done: boolean;
  /** How many rows are sent or held. */
  rows: number;
  /** How many bytes are in Storage, those of all files together. */
  bytes: number;
  /** The paths of the files that are whole. */
  files: string[];
  file: OpenFile | null;
  /** What is written and not sent yet, in base64: it begins anywhere in a row. */
  held: string;
  /** What of the file was written last; null while there is nothing of it. */
  written: "head" | "rows" | "foot" | null;
  /** Whether all files are whole. */
  ended: boolean;
}

/** How far it will have come with the part that is being sent. */
export interface Ahead extends Mark {
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
  /** The most bytes of a file. */
  file_bytes: number;
  reached: Mark | null;
  ahead: Ahead | null;
}

export interface Page {
  rows: Row[];
  /** Of the last of them; null where none follows. */
  after: Place | null;
}

/** What writing an export takes. Throws LeaseLost when it is somebody else's by now. */
export interface Means {
  /** The rows after a place, up to so many bytes. */
  read(after: Place | null, bytes: number): Promise<Page>;
  /** Tells how far it has come: where `reached` is left out, as far as `ahead` said the last time. */
  report(marks: { reached?: Mark; ahead?: Ahead }): Promise<void>;
  /** Opened for each use, so that each has its time. */
  readonly storage: Storage;
}

/** Somebody else writes the export now, or nobody wants it any more. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

export const NOTHING: Mark = {
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

/** A path of its own for each file that anybody begins: what a dispatcher that died still sends lands in none of ours. */
export function newPath({ tenant_id, id, format }: Job, files: readonly string[]): string {
  return `${tenant_id}/${id}.${files.length + 1}-${crypto.randomUUID().slice(0, 8)}.${format}`;
}
