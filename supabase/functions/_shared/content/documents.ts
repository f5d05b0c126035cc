import { isObject } from "../values/depth.ts";
import { checkedRichText } from "./rich_text.ts";

/** The parts of a document that a body may have. */
const PARTS = [
  "slug",
  "title",
  "content",
  "blocks",
  "fields",
  "layout",
  "seo",
  "visibility",
  "visible_to",
  "localizations",
] as const;

export type DocumentParts = Partial<Record<(typeof PARTS)[number], unknown>>;

/**
 * The parts of a document in a body, with rich texts in canonical form, and with ids for all blocks, so that a repeated save
 * saves the same. The database checks everything else. Errors: as checkedRichText.
 */
export function documentIn(body: object): DocumentParts {
  const sent = Object.entries(body).filter(
    ([name, value]) => (PARTS as readonly string[]).includes(name) && value !== undefined,
  );
  return Object.fromEntries(sent.map(([name, value]) => [name, checkedPart(name, value)]));
}

/** The same for a translation. `at` is the prefix of its path, such as `localizations.de.`. */
export function translationIn(texts: object, at = ""): Record<string, unknown> {
  const checked = Object.entries(texts).map(([name, value]) => [
    name,
    checkedPart(name, value, at),
  ]);
  return Object.fromEntries(checked);
}

/** A document with the sent texts of one language. null removes a text. */
export function withTranslation(
  document: DocumentParts,
  language: string,
  { title, ...texts }: Record<string, unknown>,
): DocumentParts {
  const titles = {
    ...(document.title as object),
    ...(title !== undefined && { [language]: title }),
  };
  const localizations = document.localizations as Record<string, object>;
  return {
    ...document,
    title: withoutNulls(titles),
    localizations: {
      ...localizations,
      [language]: withoutNulls({ ...localizations[language], ...texts }),
    },
  };
}

const withoutNulls = (texts: object) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));

function checkedPart(name: string, value: unknown, at = ""): unknown {
  if (value === null) return value;
  switch (name) {
    case "content":
      return checkedRichText(value, `${at}content`);
    case "blocks":
      return (value as object[]).map((block, i) => checkedBlock(block, `${at}blocks[${i}]`));
    case "localizations":
      return Object.fromEntries(
        Object.entries(value as Record<string, object>).map(([language, texts]) => [
          language,
          translationIn(texts, `${at}localizations.${language}.`),
        ]),
      );
    default:
      return value;
  }
}

function checkedBlock(block: object, at: string): object {
  const { content, ...rest } = block as { content: unknown };
  const hasText = isObject(content) && isObject(content.text);
  return {
    id: crypto.randomUUID(),
    ...rest,
    content: hasText
      ? { ...content, text: checkedRichText(content.text, `${at}.content.text`) }
      : content,
  };
}
