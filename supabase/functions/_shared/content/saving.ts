import { type PostgrestClient, PostgrestError } from "@supabase/postgrest-js";
import { ApiError, toApiError, wrongFields } from "../http/errors.ts";
import type { DocumentParts } from "./documents.ts";
import { merge, type Resolution } from "./merge.ts";
import type { Content } from "./schema.ts";

/** A piece of content, by its type and what its address says of it. */
export interface Piece {
  type: string;
  id: string;
}

/** The documents that a merge compares, as the database answers them. */
interface Sides {
  base: Side;
  ours: Side;
  theirs: Side | null;
}

interface Side {
  version_number: number;
  /** Null of a version that is not kept any more. */
  document: DocumentParts | null;
}

/** How long one who saves waits at most before the next try, in milliseconds: many may save the same at once. */
const WAIT_AT_MOST_MS = 250;

/** The version that a save began from, by its body or by If-Match. Throws VALIDATION_ERROR where neither says. */
export function versionBefore(body: { version_number?: number }, ifMatch?: string): number {
  const told = body.version_number ?? Number(/^(?:W\/)?"(\d{1,9})"$/.exec(ifMatch ?? "")?.[1]);
  if (Number.isSafeInteger(told)) return told;
  throw wrongFields([
    { field: "version_number", message: "is missing: say which version this began from" },
  ]);
}

/** What a save comes to; undefined where somebody has saved a newer version since, or is about to. */
export async function unlessStale<Saved>(save: PromiseLike<Saved>): Promise<Saved | undefined> {
  try {
    return await save;
  } catch (error) {
    if (isStale(error) || isBusy(error)) return undefined;
    throw error;
  }
}

/**
 * Saves on top of what others have saved since `began`, merged with what was sent: `applied` is a document with that
 * in it. Tried again until nobody comes between. Tells whether there was anything to merge. Throws CONFLICT with what
 * both changed.
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

/** What was sent and what others have saved since, together. */
async function mergedWith(
  db: PostgrestClient,
  piece: Piece & { branch: string },
  began: number,
  applied: (document: DocumentParts) => DocumentParts,
) {
  const args = { ...piece, version_number: began };
  const { data } = await db.rpc("content_to_merge", args).throwOnError();
  const { base, ours } = data as Sides;
  const { version_number } = ours;
  if (!base.document || !ours.document) {
    throw new ApiError(
      "CONFLICT",
      "The version that this began from is not kept any more. Read the newest one, and save on top of it.",
      [{ field: "version_number", value: began }],
      {},
      { version_number },
    );
  }
  const { merged, conflicts } = merge(base.document, ours.document, applied(base.document));
  if (conflicts.length > 0) throw conflicting(conflicts, version_number);
  return { version_number, changes: merged };
}

/** Merges one branch into another, and saves what comes of it. Throws CONFLICT with what both changed. */
export async function mergeBranches(
  db: PostgrestClient,
  piece: Piece,
  wish: { from: string; into: string; resolutions: readonly Resolution[]; comment?: string },
): Promise<Content> {
  const { resolutions, comment, ...branches } = wish;
  const { data } = await db.rpc("branches_to_merge", { ...piece, ...branches }).throwOnError();
  const { base, ours, theirs } = data as Sides & { theirs: Side };
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
        message: "is no conflict",
      })),
    );
  }
  if (conflicts.length > 0) throw conflicting(conflicts, ours.version_number);
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
): ApiError {
  const paths = conflicts.map(({ path }) => path).join(", ");
  return new ApiError(
    "CONFLICT",
    `Both have changed ${paths}, each in its own way. Say how it is to be.`,
    [],
    {},
    { conflicts, version_number },
  );
}

/** Whether a save was refused since somebody has saved a newer version. */
function isStale(error: unknown): boolean {
  if (!(error instanceof PostgrestError)) return false;
  const { code, beside } = toApiError(error);
  return code === "CONFLICT" && beside.version_number !== undefined;
}

/** Whether others hold what is to be saved, so many that the database has not let one wait for them all. */
const isBusy = (error: unknown) => error instanceof PostgrestError && error.code === "55P03";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
