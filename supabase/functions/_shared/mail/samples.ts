import { BUILT_IN, type BuiltInLetter } from "./letters/index.ts";

const builtIn = (key: string): BuiltInLetter | undefined =>
  Object.hasOwn(BUILT_IN, key) ? BUILT_IN[key as keyof typeof BUILT_IN] : undefined;

/** Sample variables for a letter of this key. For a tenant's key they are those of an order. */
export const samplesOf = (key: string): Record<string, unknown> =>
  (builtIn(key) ?? BUILT_IN.order_placed).sample;

/** The texts of a built-in letter; undefined for other keys. */
export const builtInTexts = (key: string) => builtIn(key)?.texts;
