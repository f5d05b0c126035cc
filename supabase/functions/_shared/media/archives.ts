import { unzipRaw, type ZipEntry } from "unzipit";
import { refused } from "./refused.ts";
import type { StoredFile } from "./storage.ts";

/** Largest directory of an archive, in bytes: it is read at once. An office document has a few dozen entries. */
const DIRECTORY_BYTES_AT_MOST = 1_048_576;
const ENTRIES_AT_MOST = 5_000;
/** Limits in bytes and as a ratio. Texts are packed 10 to 20 times smaller; a zip bomb 1,000 times. */
const UNPACKED_AT_MOST = 500_000_000;
const UNPACKED_TIMES_AT_MOST = 100;
const UNPACKED_AT_LEAST = 10_000_000;

const DOCUMENT = "application/vnd.openxmlformats-officedocument";

/**
 * The content type of a zip archive: docx, xlsx or usdz. Reads the directory at the end of the archive and unpacks
 * nothing. Throws UNSUPPORTED_MEDIA.
 */
export async function archiveType(file: StoredFile): Promise<string> {
  const entries = await directoryOf(file);
  judgeEntries(entries, file.size);
  const names = new Set(entries.map(({ name }) => name));
  if (names.has("[Content_Types].xml")) {
    if (entries.some(({ name }) => /vbaProject\.bin$/i.test(name))) {
      throw refused("The document has macros, which the media library does not accept.");
    }
    if (names.has("word/document.xml")) return `${DOCUMENT}.wordprocessingml.document`;
    if (names.has("xl/workbook.xml")) return `${DOCUMENT}.spreadsheetml.sheet`;
  }
  const isModel = /\.usd[ac]?$/.test(entries[0]?.name ?? "");
  if (isModel && entries.every(({ compressionMethod }) => compressionMethod === 0)) {
    return "model/vnd.usdz+zip";
  }
  throw refused("The file is a zip archive, which the media library does not accept.");
}

async function directoryOf(file: StoredFile): Promise<ZipEntry[]> {
  let failure: unknown;
  const source = {
    getLength: async () => file.size,
    async read(offset: number, length: number) {
      try {
        if (length > DIRECTORY_BYTES_AT_MOST) throw refused("The archive's directory is too long.");
        // A copy, because unzipit reads the whole buffer behind an array.
        return (await file.read(offset, length)).slice();
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  };
  try {
    return (await unzipRaw(source)).entries;
  } catch {
    throw failure ?? refused("The archive is broken.");
  }
}

function judgeEntries(entries: readonly ZipEntry[], size: number): void {
  if (entries.length > ENTRIES_AT_MOST) throw refused("The archive holds too many files.");
  let unpacked = 0;
  for (const { name, size, encrypted } of entries) {
    if (encrypted) throw refused("The archive is encrypted.");
    if (name.startsWith("/") || name.split(/[/\\]/).includes("..")) {
      throw refused("The archive has a path outside of it.");
    }
    unpacked += size;
  }
  const most = Math.max(UNPACKED_AT_LEAST, UNPACKED_TIMES_AT_MOST * size);
  if (unpacked > Math.min(most, UNPACKED_AT_MOST))
    throw refused("The archive is too large when it is unpacked.");
}
