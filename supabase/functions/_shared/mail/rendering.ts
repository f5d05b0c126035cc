import { createBudget } from "../liquid/budget.ts";
import { compileHtml, compilePlain, type Page, render } from "../liquid/engine.ts";
import { createLocale } from "../liquid/formats.ts";
import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { bytesOf } from "../liquid/texts.ts";
import type { ZoneOffsets } from "../liquid/zones.ts";
import { isRightToLeft } from "../values/languages.ts";
import { documentOf } from "./document.ts";
import { inlined } from "./inlining.ts";
import { type Choice, chooseTogether, type Localized, textIn } from "./languages.ts";
import { subjectLine } from "./one_line.ts";
import { textOfHtml } from "./plain_text.ts";
import { addressOf, type LetterMarketplace } from "./scope.ts";
import { takeApart } from "./source.ts";
import { letterStyles } from "./style_sheet.ts";

/** The texts of a letter, in Liquid. */
export interface LetterTexts {
  subject: Localized;
  html_content: Localized;
  /** Made from the HTML if it is missing. */
  text_content?: Localized | null;
}

/** A letter, ready to be sent. */
export interface RenderedLetter {
  subject: string;
  html: string;
  text: string;
  language: string;
  rtl: boolean;
}

/** The reader of a letter, and the marketplace that it comes from. */
export interface Reader {
  languages: readonly string[];
  timeZone: string;
  /** The offsets of the time zone, as the database has them. */
  offsets?: ZoneOffsets | undefined;
  marketplace: LetterMarketplace | null;
}

export interface RenderOptions {
  /** Maximum number of steps of rendering. */
  steps?: number;
  /** The subject of a letter whose own one is empty; if null, an empty subject is a mistake. */
  untitled?: string | null;
}

/** Maximum size of HTML and text together, in bytes. Mail programs cut off larger letters. */
export const MOST_BYTES = 90_000;
const MOST_STEPS = 20_000;

/** Control characters other than tabs and line ends. Some servers refuse them. */
const UNSEEN = /(?![\t\n])\p{Cc}/gu;

/**
 * Checks the texts of a letter in all their languages.
 *
 * @throws TemplateMistake and TemplateLimit as `compileHtml` does.
 */
export function checkLetter({ subject, html_content, text_content }: LetterTexts): void {
  for (const text of textsOf(subject)) compilePlain(text);
  for (const text of textsOf(html_content)) {
    const { body, styles } = takeApart(text);
    compileHtml(body);
    letterStyles(styles);
  }
  for (const text of textsOf(text_content ?? "")) compilePlain(text);
}

const textsOf = (text: Localized) => (typeof text === "string" ? [text] : Object.values(text));

/**
 * Renders a letter in the language that suits its reader best.
 *
 * @throws TemplateMistake if its texts have a mistake or are empty.
 * @throws TemplateLimit if it exceeds a limit of steps or bytes.
 */
export async function renderLetter(
  texts: LetterTexts,
  scope: Record<string, unknown>,
  reader: Reader,
  { steps = MOST_STEPS, untitled = null }: RenderOptions = {},
): Promise<RenderedLetter> {
  const { subject, html_content, text_content } = texts;
  const present = [html_content, subject, ...(text_content ? [text_content] : [])];
  const choice = chooseTogether(reader.languages, present);
  const textOf = (text: Localized, name: string): string => {
    const { language } =
      typeof text === "string"
        ? choice
        : chooseTogether([choice.language, ...reader.languages], [text]);
    const found = textIn(text, language);
    if (found === null) throw new TemplateMistake(`the letter has no ${name}`);
    return found;
  };
  const page = pageFor(choice, reader, steps);
  const { body, styles } = takeApart(textOf(html_content, "html_content"));
  const sheet = letterStyles(styles);
  const written = await render(compilePlain(textOf(subject, "subject")), scope, page);
  const line = subjectLine(written) || subjectLine(untitled ?? "");
  if (line === "") throw new TemplateMistake("the letter's subject is empty");
  const inside = await render(compileHtml(body), scope, page);
  // A text in another language than the HTML is not used. The text part is made from the HTML then.
  const own = text_content ? textIn(text_content, choice.language) : null;
  const text = own === null ? null : await render(compilePlain(own), scope, page);
  const { language } = choice;
  const rtl = isRightToLeft(language);
  const document = documentOf({ language, rtl, subject: line, body: inside, styles: sheet.kept });
  const html = inlined(document, sheet, addressOf(reader.marketplace));
  const plain = (text ?? textOfHtml(html)).replaceAll("\r\n", "\n").replace(UNSEEN, " ");
  const letter = { subject: line, html, text: plain, language, rtl };
  if (bytesOf(letter.html) + bytesOf(letter.text) > MOST_BYTES) {
    throw new TemplateLimit("output", MOST_BYTES);
  }
  return letter;
}

/** The context of all texts of a letter. Amounts and dates have the formats of the reader's language. */
function pageFor(
  { language, wanted }: Choice,
  { timeZone, offsets, marketplace }: Reader,
  steps: number,
): Page {
  return {
    budget: createBudget({ steps, output: MOST_BYTES }),
    locale: createLocale(wanted || language, undefined, marketplace?.currency, timeZone, offsets),
    translate: (key) => key,
    asset: () => undefined,
    warn: () => {},
  };
}
