import { addressSoFar, isAllowedAddress, OUTPUT } from "./addresses.ts";
import { attributeKind } from "./allowed_html.ts";
import { type BegunValue, begunValue } from "./outputs.ts";
import type { Place } from "./place.ts";
import { joinedStyle } from "./style_values.ts";
import { judgeAttributes, tagOf } from "./tags_of_html.ts";

/** Stands for attributes that are there on one way through a text, and not on another. */
const SOMETIMES = 'data-sometimes=""';

/**
 * The place behind two ways that a text may have taken; null where what follows would mean another thing on each of
 * them.
 */
export function joined(one: Place, other: Place): Place | null {
  if (!isSameElement(one, other)) return null;
  if (one.begun === other.begun) return { ...one, isEnded: one.isEnded || other.isEnded };
  if (one.begun === "" || other.begun === "") return null;
  return joinedInValue(one, other) ?? joinedBetweenAttributes(one, other);
}

/**
 * Whether a text that leads from one place to another may be gone through once more from there: what it holds has been
 * judged at the first place alone, and has to mean the same at both.
 */
export function isRepeatable(from: Place, to: Place): boolean {
  if (!isSameElement(from, to)) return false;
  if (from.begun === to.begun) return from.isEnded === to.isEnded;
  if (from.begun === "" || to.begun === "") return false;
  const values = sameValue(from, to);
  if (!values) return !from.isEnded && !to.isEnded && isBetween(from) && isBetween(to);
  const [mine, theirs] = values;
  const kind = attributeKind(mine.element, mine.attribute, from.open);
  return kind === "text" || (kind === "address" && isDecided(mine) && isDecided(theirs));
}

function isSameElement(one: Place, other: Place): boolean {
  return (
    one.inString === other.inString &&
    one.open.length === other.open.length &&
    one.open.every((name, at) => name === other.open[at])
  );
}

/** What two ways have of the value of one attribute; null where they do not both end in it. */
function sameValue(one: Place, other: Place): [BegunValue, BegunValue] | null {
  const [mine, theirs] = [begunValue(one.begun), begunValue(other.begun)];
  if (!mine || !theirs || mine.before !== theirs.before || mine.quote !== theirs.quote) return null;
  return mine.element === "script" ? null : [mine, theirs];
}

function joinedInValue(one: Place, other: Place): Place | null {
  const values = sameValue(one, other);
  if (!values) return null;
  const [{ element, attribute, before }] = values;
  const value = joinedValue(attributeKind(element, attribute, one.open), ...values);
  return value === null ? null : { ...one, begun: before + value };
}

function joinedValue(kind: unknown, mine: BegunValue, theirs: BegunValue): string | null {
  if (kind === "text") return OUTPUT;
  if (kind === "style") return joinedStyle(mine.value, theirs.value);
  if (kind !== "address") return null;
  // The one that was not kept is not seen again.
  if (![mine, theirs].every(({ value }) => isAllowedAddress(value.trimStart()))) return null;
  if (!isDecided(mine) || !isDecided(theirs)) return OUTPUT;
  // Behind `/` alone, another one would begin a host.
  return mine.value.length < theirs.value.length ? mine.written : theirs.written;
}

const isDecided = ({ value }: BegunValue) => addressSoFar(value.trimStart()) === "decided";

/** Behind an attribute that only sometimes is there. */
function joinedBetweenAttributes(one: Place, other: Place): Place | null {
  const [name, another] = [tagNameOf(one), tagNameOf(other)];
  if (name === null || name !== another) return null;
  // The tag's name has to be over: behind it, too, an attribute could only continue it.
  if (![one, other].every(({ begun }) => /[\s"'=]/.test(begun))) return null;
  const isEnded = one.isEnded || other.isEnded || !isBetween(one) || !isBetween(other);
  return { ...one, begun: `<${name} ${SOMETIMES}${isEnded ? "" : " "}`, isEnded };
}

/** The name of a tag that could end here; null where it could not, or has attributes that it may not have. */
function tagNameOf({ begun, open }: Place): string | null {
  const tag = begun.endsWith("/") ? null : tagOf(`${begun}>`);
  // A script's type decides what it is, and is always there.
  if (!tag || tag.tagName === "script") return null;
  return judgeAttributes(tag, open, false) === null ? tag.tagName : null;
}

/** Whether the next attribute may begin here, and what stands before cannot go on: no `=` gives it a value. */
function isBetween(place: Place): boolean {
  const { begun } = place;
  return /[\s"']$/.test(begun) && tagNameOf(place) !== null && tagOf(`${begun}="">`) === null;
}
