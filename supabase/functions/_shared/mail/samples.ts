import { BUILT_IN, type BuiltInMail } from "./built_in/index.ts";

const builtIn = (key: string): BuiltInMail | undefined =>
  Object.hasOwn(BUILT_IN, key) ? BUILT_IN[key as keyof typeof BUILT_IN] : undefined;

/** Sample variables for a mail of this key. For a tenant's key they are those of an order. */
export const samplesOf = (key: string): Record<string, unknown> =>
  (builtIn(key) ?? BUILT_IN.order_placed).sample;

/** The texts of a built-in mail; undefined for other keys. */
export const builtInTexts = (key: string) => builtIn(key)?.texts;
