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

/** A part that both sides changed, each in its own way; null where it is absent. */
export interface Conflict {
  path: string;
  base: unknown;
  ours: unknown;
  theirs: unknown;
}

/** How a conflict is to end. */
export type Resolution =
  | { path: string; take: "ours" | "theirs" }
  | { path: string; value: unknown };

export interface Merged<Document> {
  /** What came of it. Where there is a conflict, it has what ours has. */
  merged: Document;
  /** What both changed, and no resolution decides. */
  conflicts: Conflict[];
  /** The paths of resolutions for which there is no conflict. */
  unknown: string[];
}

interface Sides<Part> {
  base: Part;
  ours: Part;
  theirs: Part;
}

interface Merging {
  conflicts: Conflict[];
  /** Those that have not been of use yet. */
  resolutions: Map<string, Resolution>;
}

/**
 * Merges what two sides made of a document, which is JSON. Nothing is copied that did not change: the outcome shares
 * it with the three, which stay as they are. A sequence conflicts at its list's path, with ids in place of things; so
 * do values that resolve it. A thing of a list that is resolved as null is removed.
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
  };
  const merged = mergePart(merging, [], { base, ours, theirs }) as Document;
  return { merged, conflicts: merging.conflicts, unknown: [...merging.resolutions.keys()] };
}

function mergePart(merging: Merging, at: readonly string[], sides: Sides<unknown>): unknown {
  const { base, ours, theirs } = sides;
  // Where there was nothing, both may have added: then each key, and each thing, is new.
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
  // By entries, for an assignment to "__proto__" makes no key.
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

/** The ids of all that ours or theirs has, in the sequence of the merged list. */
function sequenceOf(merging: Merging, at: readonly string[], ids: Sides<string[]>): string[] {
  const { base, ours, theirs } = ids;
  const [inOurs, inTheirs] = [new Set(ours), new Set(theirs)];
  const shared = ours.filter((id) => inTheirs.has(id));
  const sharedInTheirs = theirs.filter((id) => inOurs.has(id));
  const sequence = mergeSequences(base, shared, sharedInTheirs);
  const woven = weave(sequence ?? shared, ours, theirs);
  return sequence ? woven : weave(decide(merging, at, ids, isIds), woven);
}

/** What a resolution says about a conflict. Without one the conflict is told, and ours stays. */
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

// In which sequence the things of a merged list stand. Of two things that both sides have, the side is followed
// that changed which of them comes first. A thing that one side alone has stays behind the one it stood behind.

type Ids = readonly string[];

/** Each pair is looked at: 1,000 things take 4 ms, and ten times as many a hundred times as long. */
const MOST_IN_PAIRS = 1000;

/**
 * The sequence of the things that both sides have. null where there is none that does both justice: one side put a
 * thing before one neighbour and the other side put it behind another, or both added a thing in different places.
 */
function mergeSequences(base: Ids, ours: Ids, theirs: Ids): Ids | null {
  const inOurs = new Set(ours);
  const began = base.filter((id) => inOurs.has(id));
  if (isSame(ours, theirs) || isSame(began, theirs)) return ours;
  if (isSame(began, ours)) return theirs;
  return ours.length > MOST_IN_PAIRS ? null : mergePairs(placesOf(base), ours, placesOf(theirs));
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
  // A place that is taken twice means a circle: a thing before another, that before a third, the third before the first.
  if (new Set(places).size < places.length) return null;
  const merged: string[] = [];
  for (const [thing, place] of places.entries()) merged[place] = ours[thing]!;
  return merged;
}

/** A sequence in which each is followed by those others that follow it in the lists; the first list's come first. */
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
