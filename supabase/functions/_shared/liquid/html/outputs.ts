import { addressSoFar, OUTPUT } from "./addresses.ts";
import { attributeKind } from "./allowed_html.ts";
import type { ESCAPERS } from "./escapers.ts";
import { Misplaced, type Place } from "./place.ts";
import { tagOf } from "./tags_of_html.ts";

/** The unfinished value of an attribute. */
export interface BegunValue {
  element: string;
  attribute: string;
  quote: string;
  /** The value so far, decoded, with OUTPUT for outputs. */
  value: string;
  /** The value as it is written in the text, with entities. */
  written: string;
  /** The text of the tag up to the value. */
  before: string;
}

/** The quoted value at the end of an unfinished tag; null if the tag does not end inside a quoted value. */
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

/** The beginning of an entity, which an inserted value could complete. */
const HALF_ENTITY = /&#?[a-z0-9]*$/i;

/** The escaper for an output in a context, and the context after it. Throws Misplaced if the context cannot be made safe. */
export function putOutput(
  place: Place,
  textBefore: string,
): [keyof typeof ESCAPERS | string, Place] {
  const { begun, open, inString } = place;
  if (HALF_ENTITY.test(textBefore)) throw new Misplaced("write &amp; for a & before an output", 0);
  const element = open.at(-1);
  if (begun === "") {
    if (element === "script") return [inString ? "escape json string" : "escape json value", place];
    return [element === "textarea" ? "escape attribute" : "escape text", place];
  }
  if (begun.startsWith("<!")) throw new Misplaced("an output cannot be in a comment", 0);
  const within = begunValue(begun);
  if (!within) {
    throw new Misplaced("an output in a tag must be in the quoted value of an attribute", 0);
  }
  // Adjacent outputs count as one, because the whole tag is read again for each.
  const behind = begun.endsWith(OUTPUT) ? begun : begun + OUTPUT;
  return [escaperOf(within, open), { ...place, begun: behind }];
}

function escaperOf({ element, attribute, value }: BegunValue, open: readonly string[]): string {
  const kind = attributeKind(element, attribute, open);
  if (kind === null) throw new Misplaced(`<${element}> cannot have ${attribute}`, 0);
  if (element === "script") throw new Misplaced("an output cannot be in the tag of a script", 0);
  if (kind === "text") return "escape attribute";
  if (kind === "address") return addressEscaper(value);
  if (kind === "addresses") {
    if (value === "") return "escape addresses";
    throw new Misplaced(`${attribute} must be a single output, as the filter srcset makes it`, 0);
  }
  const declaration = value.slice(value.lastIndexOf(";") + 1);
  if (
    !/^\s*[a-z-]+\s*:/.test(declaration) ||
    /^\s*(?:position|animation|font-family)\b/.test(declaration)
  ) {
    throw new Misplaced("an output in a style must be the value of a property", 0);
  }
  return "escape style";
}

function addressEscaper(value: string): string {
  const far = addressSoFar(value.trimStart());
  if (far === "empty") return "escape address";
  if (far === "decided") return "escape address part";
  throw new Misplaced("an address must begin with an output, a complete host or a path", 0);
}
