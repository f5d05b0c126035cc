import { isSafeHref } from "../../values/links.ts";
import { SafeHtml, scalarText } from "../texts.ts";
import { safeCandidates } from "./addresses.ts";

// Escapers write a value so that it cannot leave its context. Their names have a blank, so that no text can use them.

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // Old browsers treat it as a quote.
  "`": "&#96;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (one) => ENTITIES[one] as string);
}

/** The text of a value: the items of lists one after the other, nothing for records, and safe HTML without its tags. */
function plain(value: unknown): string {
  if (value instanceof SafeHtml) return withoutTags(value.toString());
  if (Array.isArray(value)) return value.map(plain).join("");
  return scalarText(value);
}

/** The text of checked HTML, in which every `<` begins a tag. */
function withoutTags(html: string): string {
  const named = new Map(Object.entries(ENTITIES).map(([one, entity]) => [entity, one]));
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:[a-z]+|#\d+);/g, (entity) => named.get(entity) ?? entity);
}

/** Percent-encodes a text. Halves of surrogate pairs, which cannot be encoded, become U+FFFD. */
function percentEncoded(text: string): string {
  const whole = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(whole).replace(
    /['()*!]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** JSON for a script element: it has no `<`, `>` or `&`, and no line separators. Safe HTML becomes text. */
function json(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_, one) =>
    one instanceof SafeHtml ? plain(one) : one,
  );
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Words, numbers and colours. They cannot end a declaration or begin another one. */
const PLAIN_STYLE = /^(?:[\w#%.+, -]|(?:rgb|rgba|hsl|hsla)\([\d.,%/ ]*\))+$/i;

/** The escapers by name. Each takes a value and returns the text to write. */
export const ESCAPERS: Record<string, (value: unknown, ...args: unknown[]) => string> = {
  "escape text": (value) => (value instanceof SafeHtml ? value.toString() : escaped(plain(value))),
  "escape attribute": (value) => escaped(plain(value)),
  "escape address": (value) => {
    const address = plain(value).trim();
    return address === "" || isSafeHref(address) ? escaped(address) : "#";
  },
  "escape address part": (value) => percentEncoded(plain(value)),
  "escape addresses": (value) => escaped(safeCandidates(plain(value)).join(", ")),
  "escape style": (value) => {
    const text = plain(value).trim();
    return PLAIN_STYLE.test(text) ? text : "unset";
  },
  "escape json string": (value) => json(plain(value)).slice(1, -1),
  "escape json value": json,
};
