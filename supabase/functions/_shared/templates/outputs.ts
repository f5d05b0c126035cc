import { addressSoFar, OUTPUT } from "./addresses.ts";
import { attributeKind } from "./allowed_html.ts";
import type { ESCAPERS } from "./escapers.ts";
import { Misplaced, type Place } from "./place.ts";
import { tagOf } from "./tags_of_html.ts";

/** An attribute's value that has begun. */
export interface BegunValue {
  element: string;
  attribute: string;
  quote: string;
  /** The value so far, with OUTPUT for what was put in. */
  value: string;
  /** The same as it stands in the text, entities and all. */
  written: string;
  /** The tag up to the value. */
  before: string;
}

/** The quoted value in which a tag that has begun stands; null where it stands in none. */
export function begunValue(begun: string): BegunValue | null {
  for (const quote of ['"', "'"]) {
    const tag = tagOf(`${begun}${OUTPUT}${quote}>`);
    const attr = tag?.attrs.at(-1);
    if (!tag || !attr?.value.endsWith(OUTPUT)) continue;
    const value = attr.value.slice(0, -OUTPUT.length);
    const before = begun.slice(0, begun.lastIndexOf(quote) + 1);
    const written = begun.slice(before.length);
    return { element: tag.tagName, attribute: attr.name, quote, value, written, before };
  }
  return null;
}

/** What would be written as the entity of another character, together with what is put in behind it. */
const HALF_ENTITY = /&#?[a-z0-9]*$/i;

/** How what is put in at a place is escaped, and the place behind it. Throws Misplaced where nothing can be put in. */
export function putOutput(
  place: Place,
  textBefore: string,
): [keyof typeof ESCAPERS | string, Place] {
  const { begun, open, inString } = place;
  if (HALF_ENTITY.test(textBefore)) throw new Misplaced("& before an output is written &amp;", 0);
  const element = open.at(-1);
  if (begun === "") {
    if (element === "script") return [inString ? "escape json string" : "escape json value", place];
    return [element === "textarea" ? "escape attribute" : "escape text", place];
  }
  if (begun.startsWith("<!")) throw new Misplaced("nothing is put into a comment", 0);
  const within = begunValue(begun);
  if (!within) {
    throw new Misplaced("nothing is put into a tag but into an attribute's value in quotes", 0);
  }
  // Several in a row are as one: each is read again with all that stand before it.
  const behind = begun.endsWith(OUTPUT) ? begun : begun + OUTPUT;
  return [escaperOf(within, open), { ...place, begun: behind }];
}

function escaperOf({ element, attribute, value }: BegunValue, open: readonly string[]): string {
  const kind = attributeKind(element, attribute, open);
  if (kind === null) throw new Misplaced(`<${element}> may not have ${attribute}`, 0);
  if (element === "script") throw new Misplaced("nothing is put into a script's tag", 0);
  if (kind === "text") return "escape attribute";
  if (kind === "address") return addressEscaper(value);
  if (kind === "addresses") {
    if (value === "") return "escape addresses";
    throw new Misplaced(`${attribute} is put in as a whole, as the filter srcset makes it`, 0);
  }
  const declaration = value.slice(value.lastIndexOf(";") + 1);
  if (
    !/^\s*[a-z-]+\s*:/.test(declaration) ||
    /^\s*(?:position|animation|font-family)\b/.test(declaration)
  ) {
    throw new Misplaced("of a style, only a property's value is put in", 0);
  }
  return "escape style";
}

function addressEscaper(value: string): string {
  const far = addressSoFar(value.trimStart());
  if (far === "empty") return "escape address";
  if (far === "decided") return "escape address part";
  throw new Misplaced("an address begins with an output, a whole host or a path", 0);
}
