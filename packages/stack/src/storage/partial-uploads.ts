import { createWriteStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DataStore, ERRORS, Upload } from "@tus/server";
import { type Disk, namesIn, type Written } from "./disk.js";
import { StorageError } from "./errors.js";

/** Time to complete an upload after its creation, as hosted. */
const EXPIRATION_MS = 24 * 3600 * 1000;

/** The object that an upload becomes, and the name of its files. */
export interface UploadId {
  bucket: string;
  name: string;
  version: string;
}

export const writeId = ({ bucket, name, version }: UploadId) => `${bucket}/${name}/${version}`;

const ID = /^([^/]+)\/(.+)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/s;

/** Throws InvalidUploadId. */
export function readId(id: string): UploadId {
  const [, bucket, name, version] = ID.exec(id) ?? [];
  if (!bucket || !name || !version) throw new StorageError("InvalidUploadId");
  return { bucket, name, version };
}

/** The file beside the bytes of an upload. */
interface Note {
  id: string;
  size?: number;
  metadata?: Upload["metadata"];
  creation_date: string;
  /** Whether it has become an object, and its bytes are removed here. */
  finished?: boolean;
}

/**
 * Uploads that are not complete. Each has a file with the bytes so far, and a note beside it. The length of the file is
 * the upload's offset, so an upload continues after a kill.
 */
export class PartialUploads extends DataStore {
  constructor(
    private readonly disk: Disk,
    /** Whether an upload has become an object. The stack may have been killed before the note said so. */
    private readonly isObject: (upload: UploadId) => Promise<boolean>,
  ) {
    super();
    this.extensions = [
      "creation",
      "creation-with-upload",
      "creation-defer-length",
      "termination",
      "expiration",
    ];
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size, metadata, creation_date = new Date().toISOString() } = upload;
    await mkdir(this.disk.partial, { recursive: true });
    await writeFile(this.bytesOf(id), "", { flag: "wx" });
    await this.note({ id, size, metadata, creation_date });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const note = await this.noteOf(id);
    const { size, metadata, creation_date } = note;
    if (note.finished) return new Upload({ id, size, offset: size ?? 0, metadata, creation_date });
    const bytes = await stat(this.bytesOf(id)).catch(orNotFound);
    if (!size || bytes.size < size) {
      return new Upload({ id, size, offset: bytes.size, metadata, creation_date });
    }
    if (await this.isObject(readId(id))) {
      await this.finish(id);
      return new Upload({ id, size, offset: size, metadata, creation_date });
    }
    // All bytes are here, but there is no object: the stack was killed in between, or the row was refused. The client
    // is asked for the last byte again, and its request completes the upload.
    return new Upload({ id, size, offset: size - 1, metadata, creation_date });
  }

  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    const path = this.bytesOf(id);
    const { size } = await stat(path).catch(orNotFound);
    // The last byte was sent again. The file is not written, because an object may share it already.
    if (size > offset) {
      let length = 0;
      for await (const part of bytes as AsyncIterable<Buffer>) length += part.length;
      return offset + length;
    }
    const file = createWriteStream(path, {
      flags: "r+",
      start: offset,
      flush: true,
    });
    await pipeline(bytes, file).catch(orNotFound);
    return offset + file.bytesWritten;
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    await this.note({ ...(await this.noteOf(id)), size });
  }

  override async remove(id: string): Promise<void> {
    await this.noteOf(id);
    await this.discard(readId(id).version);
  }

  override getExpiration(): number {
    return EXPIRATION_MS;
  }

  override async deleteExpired(): Promise<number> {
    const folder = this.disk.partial;
    const before = new Date(Date.now() - EXPIRATION_MS);
    let deleted = 0;
    for (const file of await namesIn(folder)) {
      const known = await stat(join(folder, file)).catch(() => null);
      if (!known || known.mtime > before) continue;
      await rm(join(folder, file), { force: true });
      deleted += 1;
    }
    return deleted;
  }

  /** Gives the bytes of a complete upload to the disk, and keeps them here too. Null when the upload is finished. */
  async share(id: string): Promise<Written | null> {
    if ((await this.noteOf(id)).finished) return null;
    return await this.disk.adopt(this.bytesOf(id), readId(id).version);
  }

  /** Removes bytes that an object has. The note stays: a client that lost the answer asks for the offset again. */
  async finish(id: string): Promise<void> {
    await this.note({ ...(await this.noteOf(id)), finished: true });
    await rm(this.bytesOf(id), { force: true });
  }

  private bytesOf(id: string): string {
    return join(this.disk.partial, readId(id).version);
  }

  private async noteOf(id: string): Promise<Note> {
    const path = `${this.bytesOf(id)}.json`;
    const note: Note = JSON.parse(await readFile(path, "utf8").catch(orNotFound));
    // The version names the file. It must not be combined with the name of another object.
    if (note.id !== id) throw ERRORS.FILE_NOT_FOUND;
    return note;
  }

  private async note(note: Note): Promise<void> {
    const path = `${this.bytesOf(note.id)}.json`;
    const file = await open(`${path}.new`, "w");
    try {
      await file.writeFile(JSON.stringify(note));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  }

  private async discard(version: string): Promise<void> {
    const file = join(this.disk.partial, version);
    for (const path of [file, `${file}.json`]) await rm(path, { force: true });
  }
}

function orNotFound(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? ERRORS.FILE_NOT_FOUND : error;
}
