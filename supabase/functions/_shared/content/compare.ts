import { dottedPath, isKeyed, isSame, keysOf, partAt, type Things, thingsOf } from "./parts.ts";

/** A part that differs between two versions. A value is null if the part is absent. */
export interface Change {
  path: string;
  from: unknown;
  to: unknown;
}

/**
 * The differences between two versions of a document. A new order of a list is one change at the list's path, from ids to
 * ids.
 */
export function changesBetween(from: unknown, to: unknown): Change[] {
  const changes: Change[] = [];
  compare(changes, [], from, to);
  return changes;
}

function compare(changes: Change[], at: readonly string[], from: unknown, to: unknown): void {
  if (isKeyed(from) && isKeyed(to)) {
    for (const key of new Set([...keysOf(from), ...keysOf(to)])) {
      compare(changes, [...at, key], partAt(from, key), partAt(to, key));
    }
    return;
  }
  const before = thingsOf(from);
  const after = thingsOf(to);
  if (before && after) {
    compareThings(changes, at, before, after);
  } else if (!isSame(from, to)) {
    changes.push({ path: dottedPath(at), from: from ?? null, to: to ?? null });
  }
}

function compareThings(changes: Change[], at: readonly string[], from: Things, to: Things): void {
  for (const id of new Set([...from.keys(), ...to.keys()])) {
    compare(changes, [...at, id], from.get(id), to.get(id));
  }
  const stayed = [...from.keys()].filter((id) => to.has(id));
  const stayedIn = [...to.keys()].filter((id) => from.has(id));
  // Added and removed items are changes of their own. Only items in both lists can have moved.
  if (!isSame(stayed, stayedIn)) {
    changes.push({ path: dottedPath(at), from: [...from.keys()], to: [...to.keys()] });
  }
}
