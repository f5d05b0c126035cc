import {
  AssignTag,
  BreakTag,
  CaptureTag,
  CaseTag,
  CommentTag,
  ContinueTag,
  type Filter,
  ForTag,
  IfTag,
  Output,
  type Template,
  TokenKind,
  UnlessTag,
} from "liquidjs";
import { isRepeatable, joined } from "./joining.ts";
import { TemplateMistake } from "./mistakes.ts";
import { putOutput } from "./outputs.ts";
import { advance, Misplaced, type Place, START } from "./place.ts";
import { Remark } from "./tags.ts";

/** A walk over the tree of a text. */
interface Walk {
  text: string;
  /** The escaper of a name, to be put behind an output's own filters. */
  escaper(name: string): Filter;
  /** How many characters of tags have been read again so far. */
  reread: number;
}

/** What is read again, for all that is put into tags: this much takes half a second. */
const MOST_REREAD = 2_000_000;

/**
 * Finds where in HTML each output of a text stands, and puts the escaper for that place behind its filters.
 *
 * @throws TemplateMistake where an output stands where nothing can be put in, HTML that is not allowed, or ways through
 *   the text that end in different places.
 */
export function putEscapersIn(
  templates: Template[],
  text: string,
  escaper: (name: string) => Filter,
): void {
  const walk = { text, escaper, reread: 0 };
  const end = through(templates, START, walk);
  refuseUnended(end, () => mistakeAt(text, text.length, unended(end)));
}

/** Checks HTML in which there is nothing to put in. Throws TemplateMistake as `putEscapersIn` does. */
export function checkHtml(html: string): void {
  const end = placed(html, 0, () => advance(START, html));
  refuseUnended(end, () => mistakeAt(html, html.length, unended(end)));
}

function refuseUnended({ begun, open }: Place, mistake: () => TemplateMistake): void {
  if (begun !== "" || open.length > 0) throw mistake();
}

function unended({ begun, open }: Place): string {
  return begun === "" ? `<${open.at(-1)}> has no end: write </${open.at(-1)}>` : "a tag has no end";
}

function through(templates: readonly Template[], from: Place, walk: Walk, loop?: Place): Place {
  let place = from;
  for (const template of templates) place = past(template, place, walk, loop);
  return place;
}

/** The place behind one node of the tree. What is not known here is refused: it could write anything. */
function past(template: Template, place: Place, walk: Walk, loop?: Place): Place {
  const { begin } = template.token;
  walk.reread += place.begun.length;
  if (walk.reread > MOST_REREAD) {
    throw mistakeAt(walk.text, begin, "too much stands in tags that are so long");
  }
  if (template instanceof Output) {
    const before = walk.text.slice(Math.max(begin - 40, 0), begin);
    const [name, behind] = placed(walk.text, begin, () => putOutput(place, before));
    template.value.filters.push(walk.escaper(name));
    return behind;
  }
  if (template instanceof CaptureTag) {
    const end = through(template.templates, START, walk);
    refuseUnended(end, () => mistakeAt(walk.text, begin, `in capture, ${unended(end)}`));
    return place;
  }
  if (template instanceof IfTag || template instanceof UnlessTag || template instanceof CaseTag) {
    const ways = [...template.branches.map((one) => one.templates), template.elseTemplates ?? []];
    return ways
      .map((way) => through(way, place, walk, loop))
      .reduce((one, other) => together(one, other, begin, walk));
  }
  if (template instanceof ForTag) {
    const around = through(template.templates, place, walk, place);
    if (!isRepeatable(place, around)) throw mistakeAt(walk.text, begin, NOT_AROUND);
    const otherwise = through(template.elseTemplates ?? [], place, walk, loop);
    return together(place, otherwise, begin, walk);
  }
  if (template instanceof BreakTag || template instanceof ContinueTag) {
    // Rendering would end here, and with it whatever element or attribute has begun.
    if (!loop) throw mistakeAt(walk.text, begin, "this stands in a loop");
    if (!isRepeatable(loop, place)) throw mistakeAt(walk.text, begin, NOT_AROUND);
    return place;
  }
  if (
    template instanceof AssignTag ||
    template instanceof CommentTag ||
    template instanceof Remark
  ) {
    return place;
  }
  if (isLiteral(template)) return placed(walk.text, begin, () => advance(place, template.str));
  throw mistakeAt(walk.text, begin, "nobody knows what this tag writes");
}

/** Text as it stands. The engine does not export its class. */
function isLiteral(template: Template): template is Template & { str: string } {
  return template.token.kind === TokenKind.HTML && "str" in template;
}

const NOT_AROUND =
  "each turn of a loop has to end in the same element, attribute and part of an address that it begins in";

function together(one: Place, other: Place, begin: number, { text }: Walk): Place {
  const behind = joined(one, other);
  if (behind) return behind;
  const message =
    "each way through this tag has to end in the same element, attribute and part of an address";
  throw mistakeAt(text, begin, message);
}

/** What a part of the text leads to, its mistakes told by their place in the whole. */
function placed<T>(text: string, begin: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Misplaced) throw mistakeAt(text, begin + error.at, error.message);
    throw error;
  }
}

function mistakeAt(text: string, at: number, message: string): TemplateMistake {
  const lines = text.slice(0, at).split("\n");
  return new TemplateMistake(message, lines.length, (lines.at(-1) as string).length + 1);
}
