/** A text, or texts by BCP 47 language tag. */
export type Localized = string | Record<string, string>;

/** The language of a mail. `wanted` is the reader's language, which sets the formats of amounts and dates. */
export interface Choice {
  language: string;
  wanted: string;
}

/** The language if no wanted one is available. */
const ENGLISH = "en";

/** A tag and its parents: `zh-Hant-TW`, `zh-Hant`, `zh`. */
function* withParents(tag: string): Generator<string> {
  for (let kind = tag; kind !== ""; kind = kind.slice(0, Math.max(kind.lastIndexOf("-"), 0))) {
    yield kind;
  }
}

/** Chooses an available language: a wanted one or its parent, then English, then any. */
export function choose(wanted: readonly string[], available: readonly string[]): Choice | null {
  for (const tag of [...wanted, ENGLISH]) {
    for (const tagOrParent of withParents(tag)) {
      const found = available.find((one) => one.toLowerCase() === tagOrParent.toLowerCase());
      if (found !== undefined) return { language: found, wanted: tag };
    }
  }
  const [any] = available;
  return any === undefined ? null : { language: any, wanted: any };
}

/** The languages of a text; null if it is one text for all languages. */
export function languagesOf(text: Localized): string[] | null {
  if (typeof text === "string") return null;
  return Object.keys(text).filter((tag) => isText(text[tag]));
}

const isText = (text: unknown): text is string => typeof text === "string" && text.trim() !== "";

/** The text in a language, whatever the case of its tag; null if it is missing or blank. */
export function textIn(text: Localized, language: string): string | null {
  if (typeof text === "string") return isText(text) ? text : null;
  const tag = languagesOf(text)?.find((one) => one.toLowerCase() === language.toLowerCase());
  return tag === undefined ? null : (text[tag] as string);
}

/**
 * Chooses one language for several texts: one that all of them have, or else one that the first of them has. The first
 * wanted one if each is one text for all languages.
 */
export function chooseTogether(wanted: readonly string[], texts: readonly Localized[]): Choice {
  const all = texts.map(languagesOf).filter((languages) => languages !== null);
  const has = (languages: string[], tag: string) =>
    languages.some((one) => one.toLowerCase() === tag.toLowerCase());
  const [first] = all;
  const common = first?.filter((tag) => all.every((languages) => has(languages, tag))) ?? [];
  const own = wanted[0] ?? ENGLISH;
  return choose(wanted, common) ?? choose(wanted, first ?? []) ?? { language: own, wanted: own };
}
