import { createWriteStream } from "node:fs";
import { open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DataStore, ERRORS, Upload } from "@tus/server";
import type { Disk, Written } from "./disk.js";
import { StorageError } from "./errors.js";

/** So long somebody may take for an upload, as hosted. */
const EXPIRATION_MS = 24 * 3600 * 1000;

/** Which object an upload becomes, and the name of its files. */
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

/** What is known of an upload, beside its bytes. */
interface Note {
  id: string;
  size?: number;
  metadata?: Upload["metadata"];
  creation_date: string;
  /** Whether it has become an object: its bytes are no longer here. */
  finished?: boolean;
}

/**
 * Uploads that are not whole yet: a file with the bytes so far, and a note beside it. Its length is how
 * far the upload has come, so that it goes on after a kill.
 */
export class PartialUploads extends DataStore {
  constructor(
    private readonly disk: Disk,
    /** Whether an object has been made of an upload: a kill may come before that is noted here. */
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
    await writeFile(await this.bytesOf(id), "", { flag: "wx" });
    await this.note({ id, size, metadata, creation_date });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const note = await this.noteOf(id);
    const { size, metadata, creation_date } = note;
    if (note.finished) return new Upload({ id, size, offset: size ?? 0, metadata, creation_date });
    const bytes = await stat(await this.bytesOf(id)).catch(orNotFound);
    if (!size || bytes.size < size) {
      return new Upload({ id, size, offset: bytes.size, metadata, creation_date });
    }
    if (await this.isObject(readId(id))) {
      await this.finish(id);
      return new Upload({ id, size, offset: size, metadata, creation_date });
    }
    // Whole, and yet no object: the stack was killed in between, or a policy refused it. The last byte is
    // asked for again, and with it everything that follows.
    return new Upload({ id, size, offset: size - 1, metadata, creation_date });
  }

  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    const path = await this.bytesOf(id);
    const { size } = await stat(path).catch(orNotFound);
    // The last byte, again: what is whole stays as it is, since an object may have it already.
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
    const folder = await this.disk.partial();
    const before = new Date(Date.now() - EXPIRATION_MS);
    let deleted = 0;
    for (const file of await readdir(folder)) {
      const known = await stat(join(folder, file)).catch(() => null);
      if (!known || known.mtime > before) continue;
      await rm(join(folder, file), { force: true });
      deleted += 1;
    }
    return deleted;
  }

  /** Gives the bytes of a whole upload to the disk, and keeps them here as well; null where that is over. */
  async share(id: string): Promise<Written | null> {
    if ((await this.noteOf(id)).finished) return null;
    return await this.disk.adopt(await this.bytesOf(id), readId(id).version);
  }

  /** Lets go of bytes that are an object's. Who asks again, since the answer was lost, hears that it is whole. */
  async finish(id: string): Promise<void> {
    await this.note({ ...(await this.noteOf(id)), finished: true });
    await rm(await this.bytesOf(id), { force: true });
  }

  private async bytesOf(id: string): Promise<string> {
    return join(await this.disk.partial(), readId(id).version);
  }

  private async noteOf(id: string): Promise<Note> {
    const path = `${await this.bytesOf(id)}.json`;
    const note: Note = JSON.parse(await readFile(path, "utf8").catch(orNotFound));
    // Whoever knows the file's name does not thereby choose the object.
    if (note.id !== id) throw ERRORS.FILE_NOT_FOUND;
    return note;
  }

  private async note(note: Note): Promise<void> {
    const path = `${await this.bytesOf(note.id)}.json`;
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
    const file = join(await this.disk.partial(), version);
    for (const path of [file, `${file}.json`]) await rm(path, { force: true });
  }
}

function orNotFound(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? ERRORS.FILE_NOT_FOUND : error;
}
