import { isSafeHref } from "../content/links.ts";
import { safeCandidates } from "./addresses.ts";
import { SafeHtml } from "./texts.ts";

// How a value is written where it stands, so that it stays there. The names have a blank, so that no text names them.

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // Of an unquoted value in old browsers.
  "`": "&#96;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (one) => ENTITIES[one] as string);
}

/** Lists one item after the other, records not at all: as what is written elsewhere. Safe HTML is a text like others. */
function plain(value: unknown): string {
  if (value instanceof SafeHtml) return withoutTags(value.toString());
  if (Array.isArray(value)) return value.map(plain).join("");
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return ["string", "number", "boolean", "bigint"].includes(typeof value) ? String(value) : "";
}

/** What is read of checked HTML, in which every `<` begins a tag. */
function withoutTags(html: string): string {
  const named = new Map(Object.entries(ENTITIES).map(([one, entity]) => [entity, one]));
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:[a-z]+|#\d+);/g, (entity) => named.get(entity) ?? entity);
}

/** Half a character cannot be encoded, and stands for nothing. */
function percentEncoded(text: string): string {
  const whole = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(whole).replace(
    /['()*!]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Nothing of a text that stands in a script begins a tag, and no line ends in it where JavaScript sees one. Safe HTML
 * is the text that is read.
 */
function json(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_, one) =>
    one instanceof SafeHtml ? plain(one) : one,
  );
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A word, a number, a colour or several of them: nothing that ends a declaration or begins another. */
const PLAIN_STYLE = /^(?:[\w#%.+, -]|(?:rgb|rgba|hsl|hsla)\([\d.,%/ ]*\))+$/i;

/** The escapers by the names that outputs are given. Each takes a value and answers what is written. */
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
