import { addressSoFar, isAllowedAddress, OUTPUT } from "./addresses.ts";
import { attributeKind } from "./allowed_html.ts";
import { type BegunValue, begunValue } from "./outputs.ts";
import type { Place } from "./place.ts";
import { joinedStyle } from "./style_values.ts";
import { judgeAttributes, tagOf } from "./tags_of_html.ts";

/** Stands for attributes that only some branches of a text write. */
const SOMETIMES = 'data-sometimes=""';

/** The context after two branches of a text; null if the following text would mean different things after each of them. */
export function joined(one: Place, other: Place): Place | null {
  if (!isSameElement(one, other)) return null;
  if (one.begun === other.begun) return { ...one, isEnded: one.isEnded || other.isEnded };
  if (one.begun === "" || other.begun === "") return null;
  return joinedInValue(one, other) ?? joinedBetweenAttributes(one, other);
}

/**
 * Whether the body of a loop, which leads from one context to another, may be repeated. Its outputs were checked in the
 * first context only, and must mean the same in both.
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

/** The common value of an attribute after two branches; null if not both of them end inside it. */
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
  // The other value is not kept, so it must be safe already.
  if (![mine, theirs].every(({ value }) => isAllowedAddress(value.trimStart()))) return null;
  if (!isDecided(mine) || !isDecided(theirs)) return OUTPUT;
  // After `/` alone, another `/` would begin a host.
  return mine.value.length < theirs.value.length ? mine.written : theirs.written;
}

const isDecided = ({ value }: BegunValue) => addressSoFar(value.trimStart()) === "decided";

/** The context after an attribute that only some branches write. */
function joinedBetweenAttributes(one: Place, other: Place): Place | null {
  const [name, another] = [tagNameOf(one), tagNameOf(other)];
  if (name === null || name !== another) return null;
  // The name of the tag must have ended: otherwise the attribute would continue the name.
  if (![one, other].every(({ begun }) => /[\s"'=]/.test(begun))) return null;
  const isEnded = one.isEnded || other.isEnded || !isBetween(one) || !isBetween(other);
  return { ...one, begun: `<${name} ${SOMETIMES}${isEnded ? "" : " "}`, isEnded };
}

/** The name of a tag that could end here; null if it could not, or has attributes that are not allowed. */
function tagNameOf({ begun, open }: Place): string | null {
  const tag = begun.endsWith("/") ? null : tagOf(`${begun}>`);
  // The type of a script decides how its text is read, so no branch may leave it out.
  if (!tag || tag.tagName === "script") return null;
  return judgeAttributes(tag, open, false) === null ? tag.tagName : null;
}

/** Whether a new attribute may begin here, so that a following `=` cannot give a value to the attribute before. */
function isBetween(place: Place): boolean {
  const { begun } = place;
  return /[\s"']$/.test(begun) && tagNameOf(place) !== null && tagOf(`${begun}="">`) === null;
}
