import { TemplateLimit, TemplateMistake } from "../templates/mistakes.ts";
import { BUILT_IN, type BuiltInKey } from "./letters/index.ts";
import { subjectLine } from "./one_line.ts";
import { type LetterTexts, type RenderedLetter, renderLetter } from "./rendering.ts";
import { type LetterMarketplace, scopeOf } from "./scope.ts";

export type { Localized } from "./languages.ts";
export { checkLetter, type LetterTexts } from "./rendering.ts";
export type { LetterMarketplace } from "./scope.ts";

/** A letter that is to be made. */
export interface LetterWish {
  /** `order_placed`, or the key of a letter that a tenant made up. */
  key: string;
  /** The tenant's own texts for it. */
  own: LetterTexts | null;
  /** By BCP 47, the one that is wanted most first. */
  languages: readonly string[];
  timeZone: string;
  marketplace: LetterMarketplace | null;
  tenant: { name: string };
  /** What its event carries: order, customer, and so on. */
  variables: Record<string, unknown>;
  unsubscribeUrl: string | null;
}

export interface Letter extends RenderedLetter {
  /** Why the built-in letter stands in the place of the tenant's own. */
  error: string | null;
}

/** A letter that cannot be made, and has no built-in one that could stand in its place. */
export class LetterFailed extends Error {
  override name = "LetterFailed";
}

/** What the built-in letters may take: they are ours, and an order may be long. */
const STEPS_OF_OURS = 100_000;

/**
 * Makes a letter of the tenant's own texts; of the built-in ones where it has none, or they fail.
 *
 * @throws LetterFailed when there is no built-in one of that key.
 */
export async function makeLetter(wish: LetterWish): Promise<Letter> {
  const { key, own } = wish;
  const scope = scopeOf(wish);
  let error: string | null = null;
  if (own) {
    try {
      const untitled = isBuiltIn(key) ? null : scope.brand.name || key;
      return { ...(await renderLetter(own, scope, wish, { untitled })), error };
    } catch (failure) {
      error = reasonOf(failure);
    }
  }
  if (!isBuiltIn(key)) throw new LetterFailed(error ?? `There is no letter ${subjectLine(key)}.`);
  const { texts } = BUILT_IN[key];
  return { ...(await renderLetter(texts, scope, wish, { steps: STEPS_OF_OURS })), error };
}

const isBuiltIn = (key: string): key is BuiltInKey => Object.hasOwn(BUILT_IN, key);

/** What went wrong in somebody's texts, in one sentence. What went wrong in ours is thrown on. */
function reasonOf(failure: unknown): string {
  if (failure instanceof TemplateLimit) {
    return `The letter takes more than ${failure.maximum} (${failure.limit}).`;
  }
  if (!(failure instanceof TemplateMistake)) throw failure;
  const { message, line, column } = failure;
  const place = line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`;
  return `${subjectLine(message.charAt(0).toUpperCase() + message.slice(1))}${place}.`;
}
