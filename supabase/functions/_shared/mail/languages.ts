/** A text, or one for each language by its BCP 47 tag. */
export type Localized = string | Record<string, string>;

/** A language that was chosen, and the one that was wanted, whose formats are those of its reader. */
export interface Choice {
  language: string;
  wanted: string;
}

/** What one writes in where nothing else is there. */
const ENGLISH = "en";

/** A tag and those that it is a kind of: `zh-Hant-TW`, `zh-Hant`, `zh`. */
function* kindsOf(tag: string): Generator<string> {
  for (let kind = tag; kind !== ""; kind = kind.slice(0, Math.max(kind.lastIndexOf("-"), 0))) {
    yield kind;
  }
}

/** The language of those that are there that serves best: wanted ones first, then English, then any. */
export function choose(wanted: readonly string[], there: readonly string[]): Choice | null {
  for (const tag of [...wanted, ENGLISH]) {
    for (const kind of kindsOf(tag)) {
      const found = there.find((one) => one.toLowerCase() === kind.toLowerCase());
      if (found !== undefined) return { language: found, wanted: tag };
    }
  }
  const [any] = there;
  return any === undefined ? null : { language: any, wanted: any };
}

/** The languages that a text is there in; null where it is one for all of them. */
export function languagesOf(text: Localized): string[] | null {
  if (typeof text === "string") return null;
  return Object.keys(text).filter((tag) => isText(text[tag]));
}

const isText = (text: unknown): text is string => typeof text === "string" && text.trim() !== "";

/** What a text says in a language, in whatever writing its tag is; null where it says nothing. */
export function saidIn(text: Localized, language: string): string | null {
  if (typeof text === "string") return isText(text) ? text : null;
  const tag = languagesOf(text)?.find((one) => one.toLowerCase() === language.toLowerCase());
  return tag === undefined ? null : (text[tag] as string);
}

/**
 * The language for texts that belong together: one that all of them are there in, or else the one that serves the first
 * of them best. The reader's own where each is one text for all languages.
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
