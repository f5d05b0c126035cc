import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MissingBytes, StorageError } from "./errors.js";

/** What is known of bytes once they are written. */
export interface Written {
  /** The name of their file, which the object's row holds. */
  version: string;
  size: number;
  /** The MD5 sum in quotes, as S3 gives it. */
  eTag: string;
  lastModified: Date;
}

/**
 * Where the bytes are. Each version of an object is a file of its own, which is never written again
 * once it has its name: a reader has all of it, and a copy is a second name for it.
 */
export interface Disk {
  /** Throws EntityTooLarge after `most` bytes; then, and when `bytes` fails, nothing is left. */
  write(bytes: Readable, most: number): Promise<Written>;
  /** Gives a file that is whole already and lies below `partial` a second name, as a version. */
  adopt(file: string, version: string): Promise<Written>;
  path(version: string): string;
  /** All of a small object's bytes. */
  readWhole(version: string): Promise<Buffer>;
  /** A second name for the bytes of `version`. Throws MissingBytes. */
  copy(version: string): Promise<string>;
  remove(versions: readonly string[]): Promise<void>;
  /** A folder for what is not whole yet and goes on after a restart. */
  partial(): Promise<string>;
  /** The names of files older than `before`, in groups. */
  versions(before: Date): AsyncGenerator<string[]>;
  /** Removes what a killed stack had not finished. */
  clearIncoming(): Promise<void>;
}

/** Each read and write is a turn of a thread: few large ones cost less than many small ones. */
export const BLOCK = 512 * 1024;

/** What is kept in memory of the small objects that were read last. */
const RECENT_BYTES = 8 * 1024 * 1024;

const VERSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `folder` is made when the first bytes come. */
export function openDisk(folder: string): Disk {
  const objects = join(folder, "objects");
  const incoming = join(folder, "incoming");
  const made = new Map<string, Promise<unknown>>();
  /** A version's bytes never change: reading a file costs four turns of a thread. */
  const recent = new Map<string, Buffer>();
  let recentBytes = 0;

  /** Makes a folder once. */
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

  const shelf = (version: string) => join(objects, version.slice(0, 2));
  const path = (version: string) => {
    // Rows can be written by SQL: their version must not lead out of the folder.
    if (!VERSION.test(version)) throw new StorageError("NoSuchKey");
    return join(shelf(version), version);
  };

  /** A second name for a file, as a version. What has it already is that file: names are given once. */
  async function linkTo(file: string, version: string): Promise<void> {
    await ready(shelf(version));
    await link(file, path(version)).catch((error) => {
      if (error.code === "EEXIST") return;
      throw error.code === "ENOENT" ? new MissingBytes() : error;
    });
    await syncFolder(shelf(version));
  }

  return {
    path,
    async write(bytes, most) {
      const file = join(await ready(incoming), randomUUID());
      const measure = measured(most);
      try {
        await pipeline(
          bytes,
          measure.through,
          createWriteStream(file, { flush: true, flags: "wx", highWaterMark: BLOCK }),
        );
        const version = randomUUID();
        await ready(shelf(version));
        await rename(file, path(version));
        // It is there after a loss of power too.
        await syncFolder(shelf(version));
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
        // The last in the map is the one that was asked for last.
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
        recentBytes -= recent.get(version)?.length ?? 0;
        recent.delete(version);
        await rm(path(version), { force: true });
      }
    },
    partial: () => ready(join(folder, "partial")),
    async *versions(before) {
      for (const name of await namesIn(objects)) {
        const old: string[] = [];
        for (const version of await namesIn(join(objects, name))) {
          if (!VERSION.test(version)) continue;
          const { ctime } = await stat(path(version));
          if (ctime < before) old.push(version);
        }
        if (old.length > 0) yield old;
      }
    },
    clearIncoming: () => rm(incoming, { recursive: true, force: true }),
  };
}

/** Counts and sums up what passes through. */
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

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/** Windows has no such thing, and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
