import { type Token, Tokenizer, TokenizerMode } from "parse5";
import { TemplateMistake } from "../mistakes.ts";
import { isAllowedElement, mayCloseItself, VOID } from "./allowed_html.ts";
import { judgeAttributes } from "./tags_of_html.ts";

/** The context in HTML at a point of a text. */
export interface Place {
  /** The text of an unfinished tag or comment, from its `<`, with OUTPUT for outputs. Empty between tags. */
  readonly begun: string;
  /** The open elements, the innermost last. */
  readonly open: readonly string[];
  /** In JSON-LD: whether the point is inside a string. */
  readonly inString: boolean;
  /** Whether the last attribute of `begun` has ended, although no blank follows it. */
  readonly isEnded: boolean;
}

export const START: Place = { begun: "", open: [], inString: false, isEnded: false };

/** Elements whose text contains no tags. */
const TEXTS = new Set(["script", "textarea"]);

/** Longest tag with outputs, in characters. The whole tag is read again for each output. */
const LONGEST_TAG = 4096;
/** Maximum number of pieces, each of LONGEST_TAG, of a tag without outputs. */
const MOST_PIECES = 12;
const MOST_OPEN = 100;

/** A mistake at an offset of the text, in characters. */
export class Misplaced extends TemplateMistake {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** The context after a text. Throws Misplaced if the text is not HTML that templates may contain. */
export function advance(place: Place, text: string): Place {
  if (text === "") return place;
  const odd = /[\ue000\0]/.exec(text);
  if (odd) throw new Misplaced("this character is not allowed", odd.index);
  if (place.isEnded && !/^[\s>]/.test(text)) {
    throw new Misplaced(
      "an attribute that only some branches write must be followed by a blank",
      0,
    );
  }
  let reached: Reached = [place, 0];
  while (reached[1] < text.length) {
    const [here, from] = reached;
    const [next, by] = shifted(from, () => further(here, text.slice(from)));
    reached = [next, from + by];
  }
  return reached[0];
}

/** A context, and the number of characters that lead to it. */
type Reached = [Place, number];

function further(place: Place, text: string): Reached {
  const element = place.open.at(-1) ?? "";
  if (place.begun === "" && TEXTS.has(element)) return furtherInText(place, element, text);
  return furtherInTags(place, text);
}

/** Reads the text of a script or textarea, up to its end tag. */
function furtherInText(place: Place, element: string, text: string): Reached {
  const sign = text.indexOf("<");
  const inside = sign === -1 ? text : text.slice(0, sign);
  const inString = element === "script" && endsInString(place.inString, inside);
  if (sign === -1) return [{ ...place, inString }, text.length];
  if (!new RegExp(`^</${element}\\s*>`, "i").test(text.slice(sign))) {
    const instead = element === "script" ? "\\u003c" : "&lt;";
    throw new Misplaced(`in a ${element}, write ${instead} for <`, sign);
  }
  if (inString) throw new Misplaced("a string of the JSON does not end", sign);
  const [behind, by] = shifted(sign, () => furtherInTags(place, text.slice(sign)));
  return [behind, sign + by];
}

/** Whether JSON ends inside a string, given whether it begins in one. Throws Misplaced if it ends within an escape. */
function endsInString(began: boolean, json: string): boolean {
  let inString = began;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') inString = !inString;
    else if (inString && json[at] === "\\" && ++at === json.length) {
      throw new Misplaced("\\ must be followed by the character that it escapes", at - 1);
    }
  }
  return inString;
}

/** Reads text and tags, up to the text of a script or textarea. */
function furtherInTags({ begun, open }: Place, text: string): Reached {
  const whole = begun + text;
  const read = readTags(whole, begun.length, open);
  if (read.textAt !== null) {
    return [{ ...START, open: read.open }, read.textAt - begun.length];
  }
  const rest = whole.slice(read.end);
  const sign = rest.indexOf("<");
  const left = sign === -1 ? "" : rest.slice(sign);
  if (left.length > LONGEST_TAG) {
    throw new Misplaced(
      `a tag with outputs can have at most ${LONGEST_TAG} characters`,
      text.length,
    );
  }
  return [{ ...START, begun: left, open: read.open }, text.length];
}

interface Read {
  open: readonly string[];
  /** The offset after the last tag or comment. */
  end: number;
  /** The offset where the text of a script or textarea begins; null if there is none. */
  textAt: number | null;
}

/** Reads complete tags, and opens and closes their elements. */
function readTags(whole: string, from: number, before: readonly string[]): Read {
  const open = [...before];
  const read: Read = { open, end: 0, textAt: null };
  const refuse = (message: string, at: number): never => {
    throw new Misplaced(message, Math.max(at - from, 0));
  };
  const skip = () => {};
  const ended = ({ location }: Token.TagToken | Token.CommentToken) => {
    read.end = location?.endOffset ?? 0;
    return location?.startOffset ?? 0;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag(tag) {
        if (read.textAt !== null) return;
        const at = ended(tag);
        if (!isAllowedElement(tag.tagName, open)) refuse(notAllowed(tag.tagName, open), at);
        const mistake = judgeAttributes(tag, open, true);
        if (mistake) refuse(mistake, at);
        if (VOID.has(tag.tagName)) return;
        if (tag.selfClosing && !mayCloseItself(tag.tagName, open)) {
          refuse(`<${tag.tagName}/> does not end: write </${tag.tagName}>`, at);
        }
        if (tag.selfClosing) return;
        if (open.length === MOST_OPEN)
          refuse(`elements can be nested at most ${MOST_OPEN} levels deep`, at);
        open.push(tag.tagName);
        if (TEXTS.has(tag.tagName)) {
          read.textAt = read.end;
          tokenizer.pause();
        }
      },
      onEndTag(tag) {
        if (read.textAt !== null) return;
        const at = ended(tag);
        const last = open.pop();
        if (last !== tag.tagName) refuse(unexpectedEnd(tag.tagName, last), at);
      },
      onComment(comment) {
        if (read.textAt === null) ended(comment);
      },
      onDoctype: ({ location }) =>
        refuse("a block cannot have a doctype", location?.startOffset ?? 0),
      onParseError({ code, startOffset }) {
        if (read.textAt === null && !HARMLESS.has(code)) refuse(explained(code), startOffset);
      },
      onCharacter: skip,
      onNullCharacter: skip,
      onWhitespaceCharacter: skip,
      onEof: skip,
    },
  );
  writeInPieces(whole, tokenizer, read);
  return read;
}

/**
 * Feeds a text to the tokenizer in pieces. It compares each attribute of a tag with all before it, so that a very long tag
 * would take seconds; such a tag is refused.
 */
function writeInPieces(whole: string, tokenizer: Tokenizer, read: Readonly<Read>): void {
  let pieces = 0;
  let endBefore = 0;
  for (let at = 0; at < whole.length && read.textAt === null; at += LONGEST_TAG) {
    tokenizer.write(whole.slice(at, at + LONGEST_TAG), false);
    const isInTag = tokenizer.state !== TokenizerMode.DATA;
    pieces = isInTag && read.end === endBefore ? pieces + 1 : 0;
    endBefore = read.end;
    if (pieces > MOST_PIECES) throw new Misplaced("a tag is too long", at);
  }
}

/** Parse errors that all browsers handle in the same, safe way. */
const HARMLESS = new Set<string>([
  "missing-semicolon-after-character-reference",
  "unknown-named-character-reference",
]);

function explained(code: string): string {
  if (code === "invalid-first-character-of-tag-name")
    return "write &lt; for a < that does not begin a tag";
  return `invalid HTML: ${code.replaceAll("-", " ")}`;
}

function notAllowed(name: string, open: readonly string[]): string {
  return open.includes("svg")
    ? `<${name}> is not allowed in an svg: docs/template-language.md lists what is`
    : `<${name}> is not allowed: docs/template-language.md lists what is`;
}

function unexpectedEnd(name: string, last: string | undefined): string {
  return last === undefined
    ? `</${name}> has no start tag here`
    : `</${name}> is not expected here: <${last}> must end first`;
}

/** Runs `work` for a part of a text. Its mistakes get their offset in the whole text. */
function shifted<T>(by: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Misplaced) throw new Misplaced(error.message, error.at + by);
    throw error;
  }
}
