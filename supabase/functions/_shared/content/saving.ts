import { type PostgrestClient, PostgrestError } from "@supabase/postgrest-js";
import { ApiError, toApiError, wrongFields } from "../http/errors.ts";
import type { DocumentParts } from "./documents.ts";
import { merge, type Resolution } from "./merge.ts";
import type { Content } from "./schema.ts";

/** A piece of content, by its type and its id or slug. */
export interface Piece {
  type: string;
  id: string;
}

/** The documents that a merge compares, as the database returns them. */
interface Sides {
  /** Names the versions of the documents. */
  key: string;
  base: Side;
  ours: Side;
  theirs: Side | null;
}

interface Side {
  version_number: number;
  /** Null for a pruned version. */
  document: DocumentParts | null;
}

/** The header of a conflict with the key of its documents, in answers of the function `render`. */
export const MERGE_KEY = "x-souk-merge-key";

/** Longest wait before a save is tried again, in milliseconds. Many editors may save at the same time. */
const WAIT_AT_MOST_MS = 250;

/** The version that a save began from, of its body or of If-Match. Errors: VALIDATION_ERROR if neither has one. */
export function versionBefore(body: { version_number?: number }, ifMatch?: string): number {
  const version = body.version_number ?? Number(/^(?:W\/)?"(\d{1,9})"$/.exec(ifMatch ?? "")?.[1]);
  if (Number.isSafeInteger(version)) return version;
  throw wrongFields([
    {
      field: "version_number",
      message: "is missing: send the version that the changes began from",
    },
  ]);
}

/** The result of a save; undefined if there is a newer version, or another save holds the lock. */
export async function unlessStale<Saved>(save: PromiseLike<Saved>): Promise<Saved | undefined> {
  try {
    return await save;
  } catch (error) {
    if (isStale(error) || isBusy(error)) return undefined;
    throw error;
  }
}

/**
 * Merges the sent changes with the versions since `began` and saves the result. `applied` returns a document with the sent
 * changes. Repeats until no other save comes between reading and saving; the time limit of requests ends it. `merged` is
 * false if there was no newer version. Errors: CONFLICT with the values that both sides changed differently.
 */
export async function saveMerged(
  db: PostgrestClient,
  piece: Piece & { branch: string },
  began: number,
  applied: (document: DocumentParts) => DocumentParts,
  comment?: string,
): Promise<{ saved: Content; merged: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const { version_number, changes } = await mergedWith(db, piece, began, applied);
    const args = { ...piece, version_number, changes, comment };
    const saved = await unlessStale(db.rpc("save_content", args).throwOnError());
    if (saved) return { saved: saved.data, merged: version_number !== began };
    await sleep(Math.random() * Math.min(WAIT_AT_MOST_MS, 10 * tries));
  }
}

/** The sent changes merged with the newest version. */
async function mergedWith(
  db: PostgrestClient,
  piece: Piece & { branch: string },
  began: number,
  applied: (document: DocumentParts) => DocumentParts,
) {
  const args = { ...piece, version_number: began };
  const { data } = await db.rpc("content_to_merge", args).throwOnError();
  const { key, base, ours } = data as Sides;
  const { version_number } = ours;
  if (!base.document || !ours.document) {
    throw new ApiError(
      "CONFLICT",
      "The version that the changes began from was pruned. Read the newest version, and save again on top of it.",
      [{ field: "version_number", value: began }],
      {},
      { version_number },
    );
  }
  const { merged, conflicts } = merge(base.document, ours.document, applied(base.document));
  if (conflicts.length > 0) throw conflicting(conflicts, version_number, key);
  return { version_number, changes: merged };
}

/** Merges one branch into another and saves the result. Errors: CONFLICT with the values that both sides changed differently. */
export async function mergeBranches(
  db: PostgrestClient,
  piece: Piece,
  request: { from: string; into: string; resolutions: readonly Resolution[]; comment?: string },
): Promise<Content> {
  const { resolutions, comment, ...branches } = request;
  const { data } = await db.rpc("branches_to_merge", { ...piece, ...branches }).throwOnError();
  const { key, base, ours, theirs } = data as Sides & { theirs: Side };
  const { merged, conflicts, unknown } = merge(
    base.document,
    ours.document,
    theirs.document,
    resolutions,
  );
  if (unknown.length > 0) {
    throw wrongFields(
      unknown.map((path) => ({
        field: `resolutions[${resolutions.findIndex((one) => one.path === path)}].path`,
        value: path,
        message: "is not the path of a conflict",
      })),
    );
  }
  if (conflicts.length > 0) throw conflicting(conflicts, ours.version_number, key);
  const { data: saved } = await db
    .rpc("merge_content", {
      ...piece,
      ...branches,
      from_version: theirs.version_number,
      into_version: ours.version_number,
      document: merged,
      comment,
    })
    .throwOnError();
  return saved;
}

function conflicting(
  conflicts: ReturnType<typeof merge>["conflicts"],
  version_number: number,
  key: string,
): ApiError {
  const paths = conflicts.map(({ path }) => path).join(", ");
  return new ApiError(
    "CONFLICT",
    `Both sides changed ${paths} differently. Decide each value and send again.`,
    [],
    { [MERGE_KEY]: key },
    { conflicts, version_number },
  );
}

/** Whether a save was refused because there is a newer version. */
function isStale(error: unknown): boolean {
  if (!(error instanceof PostgrestError)) return false;
  const { code, beside } = toApiError(error);
  return code === "CONFLICT" && beside.version_number !== undefined;
}

/** Whether a save waited too long for the lock that other saves hold. */
const isBusy = (error: unknown) => error instanceof PostgrestError && error.code === "55P03";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
