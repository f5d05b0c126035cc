import { BUILT_IN, type BuiltInLetter } from "./letters/index.ts";

const builtIn = (key: string): BuiltInLetter | undefined =>
  Object.hasOwn(BUILT_IN, key) ? BUILT_IN[key as keyof typeof BUILT_IN] : undefined;

/** What a letter of this key tells, as it might be. One of a tenant's own tells of an order. */
export const samplesOf = (key: string): Record<string, unknown> =>
  (builtIn(key) ?? BUILT_IN.order_placed).sample;

/** With which texts one begins who writes a letter that is built in anew; none of a key of one's own. */
export const builtInTexts = (key: string) => builtIn(key)?.texts;
