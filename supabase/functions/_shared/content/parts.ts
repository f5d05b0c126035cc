import { isObject } from "../http/depth.ts";

// What of a document is compared and merged for itself: the keys of an object, and the things of a list by
// their id. All else is one part, rich text too: half of one sentence and half of another is neither.
//
// undefined stands for what is absent, which null is not.

export type Keyed = Record<string, unknown>;

/** The things of a list, by their id and in their sequence. */
export type Things = Map<string, Keyed>;

/** Whether something is an object whose keys are parts: no list, and no rich text. */
export function isKeyed(value: unknown): value is Keyed {
  return isObject(value) && !(value.type === "doc" && Array.isArray(value.content));
}

/** The things of a list; null where it is none, something in it has no id, or two have the same. */
export function thingsOf(value: unknown): Things | null {
  if (!Array.isArray(value)) return null;
  const things: Things = new Map();
  for (const thing of value) {
    if (!isObject(thing) || typeof thing.id !== "string") return null;
    things.set(thing.id, thing);
  }
  return things.size === value.length ? things : null;
}

/** The keys under which an object has something. */
export function keysOf(object: Keyed): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

/** What an object itself has under a key: "constructor" is not what all objects inherit. */
export function partAt(object: Keyed, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether two parts are the same, whatever the sequence of their keys. */
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

/** Where a part stands: `blocks.<id>.content.title`. A dot in a key is `\.`, so that each path is one part's. */
export function dottedPath(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, "\\$&")).join(".");
}
