import type { en } from "./en";

/** Any text in the place of each English one. */
type Translated<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>;
};

/** What every language has. A language with more plural forms adds them beside `_one` and `_other`. */
export type Texts = Translated<typeof en>;
