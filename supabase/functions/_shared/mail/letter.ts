import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import type { ZoneOffsets } from "../liquid/zones.ts";
import { BUILT_IN, type BuiltInKey } from "./letters/index.ts";
import { subjectLine } from "./one_line.ts";
import { type LetterTexts, type RenderedLetter, renderLetter } from "./rendering.ts";
import { type LetterMarketplace, scopeOf } from "./scope.ts";

export type { Localized } from "./languages.ts";
export { checkLetter, type LetterTexts } from "./rendering.ts";
export type { LetterMarketplace } from "./scope.ts";

/** The input for rendering a letter. */
export interface LetterInput {
  /** The key of a built-in letter, or of a tenant's. */
  key: string;
  /** The tenant's texts for this key. */
  own: LetterTexts | null;
  /** BCP 47 tags in the order of preference. */
  languages: readonly string[];
  timeZone: string;
  /** The offsets of the time zone, as the database has them. */
  offsets?: ZoneOffsets | undefined;
  marketplace: LetterMarketplace | null;
  tenant: { name: string };
  /** The data of its event: order, customer, and so on. */
  variables: Record<string, unknown>;
  unsubscribeUrl: string | null;
}

export interface Letter extends RenderedLetter {
  /** The reason why the built-in letter replaces the tenant's; null if it does not. */
  error: string | null;
}

/** A letter that cannot be rendered, and has no built-in letter that could replace it. */
export class LetterFailed extends Error {
  override name = "LetterFailed";
}

/** Step limit of built-in letters. It is higher than that of tenants, because an order may be long. */
const BUILT_IN_STEPS = 100_000;

/**
 * Renders a letter from the tenant's texts; from the built-in ones if there are none or they fail.
 *
 * @throws LetterFailed if there is no built-in letter of that key.
 */
export async function makeLetter(input: LetterInput): Promise<Letter> {
  const { key, own } = input;
  let error: string | null = null;
  if (own) {
    try {
      return { ...(await ownLetter(own, input)), error };
    } catch (failure) {
      error = reasonOf(failure);
    }
  }
  if (!isBuiltIn(key)) throw new LetterFailed(error ?? `There is no letter ${subjectLine(key)}.`);
  const { texts } = BUILT_IN[key];
  const scope = scopeOf(input);
  return { ...(await renderLetter(texts, scope, input, { steps: BUILT_IN_STEPS })), error };
}

/**
 * Renders a letter from the tenant's texts.
 *
 * @throws TemplateMistake and TemplateLimit as `renderLetter` does.
 */
export function ownLetter(own: LetterTexts, input: LetterInput): Promise<RenderedLetter> {
  const scope = scopeOf(input);
  const untitled = isBuiltIn(input.key) ? null : scope.brand.name || input.key;
  return renderLetter(own, scope, input, { untitled });
}

const isBuiltIn = (key: string): key is BuiltInKey => Object.hasOwn(BUILT_IN, key);

/** The mistake in a tenant's texts, as one sentence. Rethrows other errors. */
function reasonOf(failure: unknown): string {
  if (failure instanceof TemplateLimit) {
    return `The letter takes more than ${failure.maximum} (${failure.limit}).`;
  }
  if (!(failure instanceof TemplateMistake)) throw failure;
  const { message, line, column } = failure;
  const place = line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`;
  return `${subjectLine(message.charAt(0).toUpperCase() + message.slice(1))}${place}.`;
}
