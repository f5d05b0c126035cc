import type { en } from "./en.ts";

/** The plural forms that English does not have. */
type MoreForms<Texts> = {
  [Name in keyof Texts as Name extends `${infer Base}_other`
    ? `${Base}_${"zero" | "two" | "few" | "many"}`
    : never]?: string;
};

/** Any text in the place of each English one. */
type Translated<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>;
} & MoreForms<Texts>;

/** What every language has; one that has more plural forms has these besides. */
export type Texts = Translated<typeof en>;
