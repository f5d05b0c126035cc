import { unzipRaw, type ZipEntry } from "unzipit";
import { refused } from "./refused.ts";
import type { StoredFile } from "./storage.ts";

/** How many bytes a directory may have, which is read at once. An office document has a few dozen entries. */
const DIRECTORY_BYTES_AT_MOST = 1_048_576;
const ENTRIES_AT_MOST = 5_000;
/** Texts become a tenth or a twentieth of what they are; a bomb, a thousandth. */
const UNPACKED_AT_MOST = 500_000_000;
const UNPACKED_TIMES_AT_MOST = 100;
const UNPACKED_AT_LEAST = 10_000_000;

const DOCUMENT = "application/vnd.openxmlformats-officedocument";

/**
 * What a zip archive is, by its directory, which stands at its end: a document of an office or a model. Nothing of it is
 * unpacked. Throws UNSUPPORTED_MEDIA.
 */
export async function archiveType(file: StoredFile): Promise<string> {
  const entries = await directoryOf(file);
  judgeEntries(entries, file.size);
  const names = new Set(entries.map(({ name }) => name));
  if (names.has("[Content_Types].xml")) {
    if (entries.some(({ name }) => /vbaProject\.bin$/i.test(name))) {
      throw refused("Documents with programs in them are not taken.");
    }
    if (names.has("word/document.xml")) return `${DOCUMENT}.wordprocessingml.document`;
    if (names.has("xl/workbook.xml")) return `${DOCUMENT}.spreadsheetml.sheet`;
  }
  const isModel = /\.usd[ac]?$/.test(entries[0]?.name ?? "");
  if (isModel && entries.every(({ compressionMethod }) => compressionMethod === 0)) {
    return "model/vnd.usdz+zip";
  }
  throw refused("This is an archive, which the library does not take.");
}

async function directoryOf(file: StoredFile): Promise<ZipEntry[]> {
  let failure: unknown;
  const source = {
    getLength: async () => file.size,
    async read(offset: number, length: number) {
      try {
        if (length > DIRECTORY_BYTES_AT_MOST) throw refused("The archive's directory is too long.");
        // Of bytes of its own: what reads them looks at the buffer behind.
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
      throw refused("The archive reaches out of itself.");
    }
    unpacked += size;
  }
  const most = Math.max(UNPACKED_AT_LEAST, UNPACKED_TIMES_AT_MOST * size);
  if (unpacked > Math.min(most, UNPACKED_AT_MOST))
    throw refused("Unpacked, the archive is too large.");
}
