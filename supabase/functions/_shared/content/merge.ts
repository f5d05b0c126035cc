import { ApiError } from "../http/errors.ts";
import {
  dottedPath,
  isKeyed,
  isSame,
  type Keyed,
  keysOf,
  partAt,
  type Things,
  thingsOf,
} from "./parts.ts";

/** A part that both sides changed differently. A value is null if the part is absent. */
export interface Conflict {
  path: string;
  base: unknown;
  ours: unknown;
  theirs: unknown;
}

/** The resolution of a conflict. */
export type Resolution =
  | { path: string; take: "ours" | "theirs" }
  | { path: string; value: unknown };

export interface Merged<Document> {
  /** The merged document. It has the part of `ours` where there is a conflict. */
  merged: Document;
  /** The conflicts without a resolution. */
  conflicts: Conflict[];
  /** The paths of resolutions that name no conflict. */
  unknown: string[];
}

interface Sides<Part> {
  base: Part;
  ours: Part;
  theirs: Part;
}

interface Merging {
  conflicts: Conflict[];
  /** The resolutions that have not been used yet. */
  resolutions: Map<string, Resolution>;
  /** Number of pairs of items whose order was compared. */
  pairs: number;
}

/**
 * Merges the changes that two sides made to a JSON document. Does not change its arguments; the result shares unchanged parts
 * with them. A conflict about the order of a list has the path of the list and ids as values, and so has its resolution. An
 * item of a list whose conflict is resolved as null is removed. Errors: LIMIT_REACHED.
 */
export function merge<Document>(
  base: Document,
  ours: Document,
  theirs: Document,
  resolutions: readonly Resolution[] = [],
): Merged<Document> {
  const merging: Merging = {
    conflicts: [],
    resolutions: new Map(resolutions.map((resolution) => [resolution.path, resolution])),
    pairs: 0,
  };
  const merged = mergePart(merging, [], { base, ours, theirs }) as Document;
  return { merged, conflicts: merging.conflicts, unknown: [...merging.resolutions.keys()] };
}

function mergePart(merging: Merging, at: readonly string[], sides: Sides<unknown>): unknown {
  const { base, ours, theirs } = sides;
  // Both sides may have added the part: then each key, and each item, is new.
  const keyed = base ?? {};
  if (isKeyed(keyed) && isKeyed(ours) && isKeyed(theirs)) {
    return mergeKeyed(merging, at, { base: keyed, ours, theirs });
  }
  const things = ofEach({ base: base ?? [], ours, theirs }, thingsOf);
  if (things.base && things.ours && things.theirs) {
    return mergeThings(merging, at, things as Sides<Things>);
  }
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  return isSame(base, ours) ? theirs : decide(merging, at, sides);
}

function mergeKeyed(merging: Merging, at: readonly string[], sides: Sides<Keyed>): Keyed {
  const merged: [string, unknown][] = [];
  for (const key of allOf(ofEach(sides, keysOf))) {
    const parts = ofEach(sides, (side) => partAt(side, key));
    const part = mergePart(merging, [...at, key], parts);
    if (part !== undefined) merged.push([key, part]);
  }
  // From entries: an assignment to "__proto__" makes no key.
  return Object.fromEntries(merged);
}

function mergeThings(merging: Merging, at: readonly string[], sides: Sides<Things>): unknown[] {
  const ids = ofEach(sides, (things) => [...things.keys()]);
  const merged = new Map<string, unknown>();
  for (const id of allOf(ids)) {
    const things = ofEach(sides, (side) => side.get(id));
    merged.set(id, mergePart(merging, [...at, id], things));
  }
  return sequenceOf(merging, at, ids)
    .map((id) => merged.get(id))
    .filter((thing) => thing !== undefined && thing !== null);
}

/** The ids of all items of ours or theirs, in the order of the merged list. */
function sequenceOf(merging: Merging, at: readonly string[], ids: Sides<string[]>): string[] {
  const { base, ours, theirs } = ids;
  const [inOurs, inTheirs] = [new Set(ours), new Set(theirs)];
  const shared = ours.filter((id) => inTheirs.has(id));
  const sharedInTheirs = theirs.filter((id) => inOurs.has(id));
  const sequence = mergeSequences(merging, at, { base, ours: shared, theirs: sharedInTheirs });
  const woven = weave(sequence ?? shared, ours, theirs);
  return sequence ? woven : weave(decide(merging, at, ids, isIds), woven);
}

/** The resolved value of a conflict. Without a resolution it records the conflict and returns the value of ours. */
function decide<Part>(
  merging: Merging,
  at: readonly string[],
  sides: Sides<Part>,
  fits: (value: unknown) => value is Part = (value): value is Part => true,
): Part {
  const path = dottedPath(at);
  const resolution = merging.resolutions.get(path);
  if (resolution) {
    const decided = "take" in resolution ? sides[resolution.take] : resolution.value;
    if (fits(decided)) {
      merging.resolutions.delete(path);
      return decided;
    }
  }
  merging.conflicts.push({ path, ...ofEach(sides, (side) => side ?? null) });
  return sides.ours;
}

function isIds(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((id) => typeof id === "string");
}

function ofEach<From, To>(sides: Sides<From>, of: (side: From) => To): Sides<To> {
  return { base: of(sides.base), ours: of(sides.ours), theirs: of(sides.theirs) };
}

function allOf(names: Sides<string[]>): Set<string> {
  return new Set([...names.base, ...names.ours, ...names.theirs]);
}

// The order of a merged list. For two items that both sides have, the side decides that changed which of them comes first.
// An item that only one side has stays behind the item that it followed there.

type Ids = readonly string[];

/** Largest list that is merged pair by pair. 1,000 items take 4 ms; the time grows with the square. */
const MOST_IN_PAIRS = 1000;
/** Largest number of pairs in all lists of a document. They take 20 ms. All other work grows with its size only. */
const MOST_PAIRS = 2_000_000;

/**
 * The order of the items that both sides have. null if no order keeps both sides' changes: one side put an item before one
 * item and the other side put it behind another, or both added an item in different places.
 */
function mergeSequences(
  merging: Merging,
  at: readonly string[],
  { base, ours, theirs }: Sides<Ids>,
): Ids | null {
  const inOurs = new Set(ours);
  const began = base.filter((id) => inOurs.has(id));
  if (isSame(ours, theirs) || isSame(began, theirs)) return ours;
  if (isSame(began, ours)) return theirs;
  if (ours.length > MOST_IN_PAIRS) return null;
  merging.pairs += (ours.length * (ours.length - 1)) / 2;
  if (merging.pairs > MOST_PAIRS) {
    throw new ApiError(
      "LIMIT_REACHED",
      `Both sides changed the order of too many items, the last of them in ${dottedPath(at)}. Give the longest lists the same order on both sides, then try again.`,
      [],
      {},
      { cap: "merged_pairs", maximum: MOST_PAIRS },
    );
  }
  return mergePairs(placesOf(base), ours, placesOf(theirs));
}

function placesOf(ids: Ids): Map<string, number> {
  return new Map(ids.map((id, place) => [id, place]));
}

function mergePairs(base: Map<string, number>, ours: Ids, theirs: Map<string, number>): Ids | null {
  const inBase = ours.map((id) => base.get(id) ?? Number.NaN);
  const inTheirs = ours.map((id) => theirs.get(id)!);
  const places = ours.map(() => 0);
  for (let second = 1; second < ours.length; second++) {
    for (let first = 0; first < second; first++) {
      if (inTheirs[first]! < inTheirs[second]!) places[second]! += 1;
      else if (inBase[first]! > inBase[second]!) places[second]! += 1;
      else if (inBase[first]! < inBase[second]!) places[first]! += 1;
      else return null;
    }
  }
  // The same place twice means a cycle: A before B, B before C, C before A.
  if (new Set(places).size < places.length) return null;
  const merged: string[] = [];
  for (const [thing, place] of places.entries()) merged[place] = ours[thing]!;
  return merged;
}

/** `sequence`, with each id followed by the other ids that follow it in the lists. Those of the first list come first. */
function weave(sequence: Iterable<string>, ...lists: Ids[]): string[] {
  const head: string[] = [];
  const followers = new Map<string, string[]>();
  for (const id of sequence) followers.set(id, []);
  for (const list of lists) {
    let following = head;
    for (const id of list) {
      const own = followers.get(id);
      if (own) following = own;
      else following.push(id);
    }
  }
  return [...head, ...[...followers].flatMap(([id, own]) => [id, ...own])];
}
