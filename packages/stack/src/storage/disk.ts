import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MissingBytes, StorageError } from "./errors.js";

/** Facts about bytes that were written. */
export interface Written {
  /** The name of their file, which the object's row holds. */
  version: string;
  size: number;
  /** The MD5 sum in quotes, as S3 gives it. */
  eTag: string;
  lastModified: Date;
}

/**
 * The bytes of objects as files. Each version of an object is a file of its own, which never changes once it has its
 * name. So a reader gets all of one version, and a copy is a second name for the same file.
 */
export interface Disk {
  /** Writes a new version. Throws EntityTooLarge after `most` bytes. A failed write leaves no file. */
  write(bytes: Readable, most: number): Promise<Written>;
  /** Gives a complete file in `partial` a second name, as a version. */
  adopt(file: string, version: string): Promise<Written>;
  path(version: string): string;
  /** All of a small object's bytes. */
  readWhole(version: string): Promise<Buffer>;
  /** Gives the bytes of `version` a second name. Throws MissingBytes. */
  copy(version: string): Promise<string>;
  /** Ignores names that no file can have: SQL may have written anything into a row. */
  remove(versions: readonly (string | null)[]): Promise<void>;
  /** The folder of uploads that continue after a restart. It is created with the first of them. */
  partial: string;
  /** The versions whose files are older than `before`. */
  versions(before: Date): AsyncGenerator<string>;
  /** Removes the files that a killed stack had not written completely. */
  clearIncoming(): Promise<void>;
}

/** Bytes per read and write. Each one occupies a thread of libuv, so few large ones cost less than many small ones. */
export const BLOCK = 512 * 1024;

/**
 * Maximum size in bytes of the small objects kept in memory; the most recently read ones are kept.
 */
const RECENT_BYTES = 8 * 1024 * 1024;

const VERSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Creates `folder` with the first upload. */
export function openDisk(folder: string): Disk {
  const objects = join(folder, "objects");
  const incoming = join(folder, "incoming");
  const made = new Map<string, Promise<unknown>>();
  /**
   * Small objects by version. The bytes of a version never change, and reading a file takes four
   * calls of libuv's threads.
   */
  const recent = new Map<string, Buffer>();
  let recentBytes = 0;

  /** Creates a folder, once. */
  const ready = async (path: string) => {
    let making = made.get(path);
    if (!making) {
      making = mkdir(path, { recursive: true });
      made.set(path, making);
      making.catch(() => made.delete(path));
    }
    await making;
    return path;
  };

  const folderOf = (version: string) => join(objects, version.slice(0, 2));
  const path = (version: string) => {
    // SQL can write any version into a row. It must not lead out of the folder.
    if (!VERSION.test(version)) throw new StorageError("NoSuchKey");
    return join(folderOf(version), version);
  };

  /** Gives a file a second name, as a version. A file that has the name already is the same file: versions are unique. */
  async function linkTo(file: string, version: string): Promise<void> {
    await ready(folderOf(version));
    await link(file, path(version)).catch((error) => {
      if (error.code === "EEXIST") return;
      throw error.code === "ENOENT" ? new MissingBytes() : error;
    });
    await syncFolder(folderOf(version));
  }

  return {
    path,
    async write(bytes, most) {
      const file = join(await ready(incoming), randomUUID());
      const measure = measured(most);
      // Opened before anything can fail: a file that is still being opened would appear after it was removed.
      const handle = await open(file, "wx");
      try {
        await pipeline(
          bytes,
          measure.through,
          handle.createWriteStream({ flush: true, highWaterMark: BLOCK }),
        );
        const version = randomUUID();
        await ready(folderOf(version));
        await rename(file, path(version));
        // Without this, a power failure could undo the renaming.
        await syncFolder(folderOf(version));
        return { version, ...measure.sums(), lastModified: new Date() };
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    },
    async adopt(file, version) {
      const measure = measured(Number.POSITIVE_INFINITY);
      await pipeline(createReadStream(file), measure.through, async (chunks) => {
        for await (const _ of chunks);
      });
      const handle = await open(file, "r+");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      await linkTo(file, version);
      return { version, ...measure.sums(), lastModified: new Date() };
    },
    async readWhole(version) {
      const known = recent.get(version);
      if (known) {
        // The end of the map holds the version that was read last.
        recent.delete(version);
        recent.set(version, known);
        return known;
      }
      const bytes = await readFile(path(version));
      if (recent.has(version)) return bytes;
      recent.set(version, bytes);
      recentBytes += bytes.length;
      for (const [oldest, { length }] of recent) {
        if (recentBytes <= RECENT_BYTES) break;
        recent.delete(oldest);
        recentBytes -= length;
      }
      return bytes;
    },
    async copy(version) {
      const copied = randomUUID();
      await linkTo(path(version), copied);
      return copied;
    },
    async remove(versions) {
      for (const version of versions) {
        if (version === null || !VERSION.test(version)) continue;
        recentBytes -= recent.get(version)?.length ?? 0;
        recent.delete(version);
        await rm(path(version), { force: true });
      }
    },
    partial: join(folder, "partial"),
    async *versions(before) {
      for (const name of await namesIn(objects)) {
        for (const version of await namesIn(join(objects, name))) {
          if (!VERSION.test(version)) continue;
          const { ctime } = await stat(path(version));
          if (ctime < before) yield version;
        }
      }
    },
    clearIncoming: () => rm(incoming, { recursive: true, force: true }),
  };
}

/** A stream that measures the bytes that pass through it. */
function measured(most: number) {
  const md5 = createHash("md5");
  let size = 0;
  const through = new Transform({
    highWaterMark: BLOCK,
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > most) return done(new StorageError("EntityTooLarge"));
      md5.update(chunk);
      done(null, chunk);
    },
  });
  return { through, sums: () => ({ size, eTag: `"${md5.digest("hex")}"` }) };
}

/** The names in a folder; none if it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/** Makes the names in a folder durable. Windows has no such call, and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
