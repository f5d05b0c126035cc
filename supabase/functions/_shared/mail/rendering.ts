import { createBudget } from "../templates/budget.ts";
import { createLocale } from "../templates/formats.ts";
import { compileHtml, compilePlain, type Page, render } from "../templates/liquid.ts";
import { TemplateLimit, TemplateMistake } from "../templates/mistakes.ts";
import { bytesOf } from "../templates/texts.ts";
import { isRightToLeft } from "../templates/translations.ts";
import { documentOf } from "./document.ts";
import { inlined } from "./inlining.ts";
import { type Choice, chooseTogether, type Localized, saidIn } from "./languages.ts";
import { subjectLine } from "./one_line.ts";
import { textOfHtml } from "./plain_text.ts";
import { addressOf, type LetterMarketplace } from "./scope.ts";
import { takeApart } from "./source.ts";
import { letterStyles } from "./style_sheet.ts";

/** What a letter says, in Liquid. */
export interface LetterTexts {
  subject: Localized;
  html_content: Localized;
  /** Made from the HTML where there is none. */
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

/** For whom a letter is written, and about whose marketplace. */
export interface Reader {
  languages: readonly string[];
  timeZone: string;
  marketplace: LetterMarketplace | null;
}

export interface RenderOptions {
  /** The most steps that rendering takes. */
  steps?: number;
  /** The subject of a letter whose own one comes to nothing; without one that is a mistake. */
  untitled?: string | null;
}

/** HTML and text together, in bytes: larger letters are cut short by mail programs. */
export const MOST_BYTES = 90_000;
const MOST_STEPS = 20_000;

/** Control characters but tabs and the ends of lines: no text has a use for them, and some servers refuse them. */
const UNSEEN = /(?![\t\n])\p{Cc}/gu;

/**
 * Checks the texts of a letter, in each of their languages, as they are rendered.
 *
 * @throws TemplateMistake and TemplateLimit, as `compileHtml` of templates does.
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
 * A letter in the language that serves its reader best.
 *
 * @throws TemplateMistake where its texts are wrong, or it says nothing.
 * @throws TemplateLimit when it takes more steps or bytes than a letter may.
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
  const said = (text: Localized, name: string): string => {
    const { language } =
      typeof text === "string"
        ? choice
        : chooseTogether([choice.language, ...reader.languages], [text]);
    const found = saidIn(text, language);
    if (found === null) throw new TemplateMistake(`the letter has no ${name}`);
    return found;
  };
  const page = pageFor(choice, reader, steps);
  const { body, styles } = takeApart(said(html_content, "html_content"));
  const sheet = letterStyles(styles);
  const written = await render(compilePlain(said(subject, "subject")), scope, page);
  const line = subjectLine(written) || subjectLine(untitled ?? "");
  if (line === "") throw new TemplateMistake("the letter's subject is empty");
  const inside = await render(compileHtml(body), scope, page);
  // In another language than the HTML a text would say something else: it is made from the HTML then.
  const own = text_content ? saidIn(text_content, choice.language) : null;
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

/** What the texts of one letter share. Amounts and days are as the reader's own country writes them. */
function pageFor(
  { language, wanted }: Choice,
  { timeZone, marketplace }: Reader,
  steps: number,
): Page {
  return {
    budget: createBudget({ steps, output: MOST_BYTES }),
    locale: createLocale(wanted || language, undefined, marketplace?.currency, timeZone),
    translate: (key) => key,
    asset: () => undefined,
    warn: () => {},
  };
}
