import { isObject } from "../values/depth.ts";

// The parts of a document that are compared and merged separately: the keys of an object, and the items of a list by their
// id. Everything else is one part. A rich text is one part too: half of one sentence and half of another is no sentence.
//
// undefined stands for an absent part, null for a part with the value null.

export type Keyed = Record<string, unknown>;

/** The items of a list by their id, in the order of the list. */
export type Things = Map<string, Keyed>;

/** Whether a value is an object whose keys are parts: no list, and no rich text. */
export function isKeyed(value: unknown): value is Keyed {
  return isObject(value) && !(value.type === "doc" && Array.isArray(value.content));
}

/** The items of a list by their id; null if it is no list, an item has no id, or two have the same id. */
export function thingsOf(value: unknown): Things | null {
  if (!Array.isArray(value)) return null;
  const things: Things = new Map();
  for (const thing of value) {
    if (!isObject(thing) || typeof thing.id !== "string") return null;
    things.set(thing.id, thing);
  }
  return things.size === value.length ? things : null;
}

/** The keys of an object that have a value. */
export function keysOf(object: Keyed): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

/** The own value of an object under a key. "constructor" does not return what all objects inherit. */
export function partAt(object: Keyed, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether two parts are equal, in any order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((part, place) => isSame(part, other[place]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = keysOf(one);
  if (keys.length !== keysOf(other).length) return false;
  return keys.every((key) => isSame(partAt(one, key), partAt(other, key)));
}

/** The path of a part: `blocks.<id>.content.title`. A dot in a key is written `\.`, so each path names one part. */
export function dottedPath(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, "\\$&")).join(".");
}
