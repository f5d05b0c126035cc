import type { Translation } from "../translations.ts";

/** A text, or a text per plural category. */
export type Texts<Key extends string = string> = Record<
  Key,
  string | NonNullable<Translation["plural_forms"]>
>;
