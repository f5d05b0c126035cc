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
import { TemplateMistake } from "../mistakes.ts";
import { Remark } from "../tags.ts";
import { isRepeatable, joined } from "./joining.ts";
import { putOutput } from "./outputs.ts";
import { advance, Misplaced, type Place, START } from "./place.ts";

/** A walk through the tree of a text. */
interface Walk {
  text: string;
  /** Returns the filter of an escaper, which is added after the filters of an output. */
  escaper(name: string): Filter;
  /** Characters of tags that were read again so far. */
  reread: number;
}

/** Limit of characters that are read again for outputs in tags. It takes half a second. */
const MOST_REREAD = 2_000_000;

/**
 * Finds the context of each output in the HTML of a text, and adds the escaper for that context after its filters.
 *
 * @throws TemplateMistake for an output in a context that cannot be made safe, for HTML that is not allowed, and for
 *   branches that end in different contexts.
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

/** Checks HTML without outputs. Throws TemplateMistake as `putEscapersIn` does. */
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

/** The context after a node of the tree. Unknown tags are refused, because they could write anything. */
function past(template: Template, place: Place, walk: Walk, loop?: Place): Place {
  const { begin } = template.token;
  walk.reread += place.begun.length;
  if (walk.reread > MOST_REREAD) {
    throw mistakeAt(walk.text, begin, "there are too many outputs in long tags");
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
    // Rendering would end here, inside an open element or attribute.
    if (!loop) throw mistakeAt(walk.text, begin, "break and continue must be inside a loop");
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
  throw mistakeAt(walk.text, begin, "this tag is not known here");
}

/** Literal text. The engine does not export its class. */
function isLiteral(template: Template): template is Template & { str: string } {
  return template.token.kind === TokenKind.HTML && "str" in template;
}

const NOT_AROUND =
  "the body of a loop must end in the same element, attribute and part of an address where it begins";

function together(one: Place, other: Place, begin: number, { text }: Walk): Place {
  const behind = joined(one, other);
  if (behind) return behind;
  const message =
    "all branches of this tag must end in the same element, attribute and part of an address";
  throw mistakeAt(text, begin, message);
}

/** Runs `work` for a part of the text. Its mistakes get their place in the whole text. */
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
