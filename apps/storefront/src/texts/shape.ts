import type { en } from "./en";

/** A text, or its plural forms by the names of `Intl.PluralRules`. */
export type Text = string | { other: string; [form: string]: string };
export type Key = keyof typeof en;
/** The texts that every language has. */
export type Texts = Record<Key, Text>;
