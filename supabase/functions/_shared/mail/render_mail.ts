import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import type { ZoneOffsets } from "../liquid/zones.ts";
import { BUILT_IN, type BuiltInKey } from "./built_in/index.ts";
import { subjectLine } from "./one_line.ts";
import { type MailTexts, type RenderedMail, renderTexts } from "./rendering.ts";
import { type MailMarketplace, scopeOf } from "./scope.ts";

export type { Localized } from "./languages.ts";
export { checkMailTexts, type MailTexts } from "./rendering.ts";
export type { MailMarketplace } from "./scope.ts";

/** The input for rendering a mail. */
export interface MailInput {
  /** The key of a built-in mail, or of a tenant's. */
  key: string;
  /** The tenant's texts for this key. */
  own: MailTexts | null;
  /** BCP 47 tags in the order of preference. */
  languages: readonly string[];
  timeZone: string;
  /** The offsets of the time zone, as the database has them. */
  offsets?: ZoneOffsets | undefined;
  marketplace: MailMarketplace | null;
  tenant: { name: string };
  /** The data of its event: order, customer, and so on. */
  variables: Record<string, unknown>;
  unsubscribeUrl: string | null;
}

export interface MadeMail extends RenderedMail {
  /** The reason why the built-in mail replaces the tenant's; null if it does not. */
  error: string | null;
}

/** A mail that cannot be rendered, and has no built-in mail that could replace it. */
export class RenderingFailed extends Error {
  override name = "RenderingFailed";
}

/** Step limit of built-in mails. It is higher than that of tenants, because an order may be long. */
const BUILT_IN_STEPS = 100_000;

/**
 * Renders a mail from the tenant's texts; from the built-in ones if there are none or they fail.
 *
 * @throws RenderingFailed if there is no built-in mail of that key.
 */
export async function renderMail(input: MailInput): Promise<MadeMail> {
  const { key, own } = input;
  let error: string | null = null;
  if (own) {
    try {
      return { ...(await renderOwnMail(own, input)), error };
    } catch (failure) {
      error = reasonOf(failure);
    }
  }
  if (!isBuiltIn(key)) throw new RenderingFailed(error ?? `There is no mail ${subjectLine(key)}.`);
  const { texts } = BUILT_IN[key];
  const scope = scopeOf(input);
  return { ...(await renderTexts(texts, scope, input, { steps: BUILT_IN_STEPS })), error };
}

/**
 * Renders a mail from the tenant's texts.
 *
 * @throws TemplateMistake and TemplateLimit as `renderTexts` does.
 */
export function renderOwnMail(own: MailTexts, input: MailInput): Promise<RenderedMail> {
  const scope = scopeOf(input);
  const untitled = isBuiltIn(input.key) ? null : scope.brand.name || input.key;
  return renderTexts(own, scope, input, { untitled });
}

const isBuiltIn = (key: string): key is BuiltInKey => Object.hasOwn(BUILT_IN, key);

/** The mistake in a tenant's texts, as one sentence. Rethrows other errors. */
function reasonOf(failure: unknown): string {
  if (failure instanceof TemplateLimit) {
    return `The mail takes more than ${failure.maximum} (${failure.limit}).`;
  }
  if (!(failure instanceof TemplateMistake)) throw failure;
  const { message, line, column } = failure;
  const place = line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`;
  return `${subjectLine(message.charAt(0).toUpperCase() + message.slice(1))}${place}.`;
}
