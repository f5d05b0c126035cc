import type { en } from "./en.ts";

/** The plural forms that English does not have. */
type MoreForms<Texts> = {
  [Name in keyof Texts as Name extends `${infer Base}_other`
    ? `${Base}_${"zero" | "two" | "few" | "many"}`
    : never]?: string;
};

/** The same keys with any texts. */
type Translated<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>;
} & MoreForms<Texts>;

/** The texts that every language has. A language may have further plural forms. */
export type Texts = Translated<typeof en>;
