/** An item of a list in a form: a variant, a picture, an attribute. */
interface Keyed {
  key: string;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isKeyed = (value: unknown): value is Keyed[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item.key === "string");

/** The typed values that differ from those before. */
export function changedIn<Values extends object>(
  before: object,
  typed: Partial<Values>,
): Partial<Values> {
  const was = new Map<string, unknown>(Object.entries(before));
  const differing = Object.entries(typed).filter(([name, value]) => !isSame(value, was.get(name)));
  return Object.fromEntries(differing) as Partial<Values>;
}

/**
 * Typed values on a newer state of the record. What was typed stays, and what others changed beside it is taken over, also
 * inside objects and in the items of lists.
 */
export function onFresh<Values extends object>(
  before: Values,
  typed: Partial<Values>,
  fresh: Values,
): Partial<Values> {
  const moved = Object.entries(typed).map(([name, value]) => {
    const field = name as keyof Values;
    return [name, valueOnFresh(before[field], value, fresh[field])];
  });
  return Object.fromEntries(moved) as Partial<Values>;
}

function valueOnFresh(before: unknown, typed: unknown, fresh: unknown): unknown {
  if (isSame(before, typed)) return fresh;
  if (isKeyed(before) && isKeyed(typed) && isKeyed(fresh)) return listOnFresh(before, typed, fresh);
  if (isObject(before) && isObject(typed) && isObject(fresh)) {
    return { ...fresh, ...onFresh(before, typed, fresh) };
  }
  return typed;
}

function listOnFresh(before: Keyed[], typed: Keyed[], fresh: Keyed[]): Keyed[] {
  const itemIn = (list: readonly Keyed[], { key }: Keyed) => list.find((one) => one.key === key);
  const kept = typed.flatMap((item) => {
    const was = itemIn(before, item);
    const now = itemIn(fresh, item);
    if (!was) return [item];
    // Somebody else has removed it.
    if (!now) return [];
    return [valueOnFresh(was, item, now) as Keyed];
  });
  const added = fresh.filter((item) => !itemIn(before, item) && !itemIn(typed, item));
  return [...kept, ...added];
}
