import { type Token, Tokenizer, TokenizerMode } from "parse5";
import { isAllowedElement, mayCloseItself, VOID } from "./allowed_html.ts";
import { TemplateMistake } from "./mistakes.ts";
import { judgeAttributes } from "./tags_of_html.ts";

/** Where in HTML a text has come to. */
export interface Place {
  /** A tag or comment that has begun, from its `<`, with OUTPUT for what was put in. Empty between tags. */
  readonly begun: string;
  /** The elements that stand open, the innermost last. */
  readonly open: readonly string[];
  /** Within JSON-LD: whether in one of its strings. */
  readonly inString: boolean;
  /** Whether the attribute that stands last in `begun` is over, though only a blank would show it. */
  readonly isEnded: boolean;
}

export const START: Place = { begun: "", open: [], inString: false, isEnded: false };

/** Elements in whose text tags do not begin. */
const TEXTS = new Set(["script", "textarea"]);

/** Each output in a tag has all of the tag read again. */
const LONGEST_TAG = 4096;
/** A tag without outputs has at most so many times as much. */
const MOST_PIECES = 12;
const MOST_OPEN = 100;

/** A mistake at so many characters into the text that was read. */
export class Misplaced extends TemplateMistake {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Where a text leads from a place. Throws Misplaced where it is no HTML that a template may be written in. */
export function advance(place: Place, text: string): Place {
  if (text === "") return place;
  const odd = /[\ue000\0]/.exec(text);
  if (odd) throw new Misplaced("there is a character that no text has", odd.index);
  if (place.isEnded && !/^[\s>]/.test(text)) {
    throw new Misplaced("an attribute that only sometimes is there is followed by a blank", 0);
  }
  let reached: Reached = [place, 0];
  while (reached[1] < text.length) {
    const [here, from] = reached;
    const [next, by] = shifted(from, () => further(here, text.slice(from)));
    reached = [next, from + by];
  }
  return reached[0];
}

/** A place, and how many characters of a text lead to it. */
type Reached = [Place, number];

function further(place: Place, text: string): Reached {
  const element = place.open.at(-1) ?? "";
  if (place.begun === "" && TEXTS.has(element)) return furtherInText(place, element, text);
  return furtherInTags(place, text);
}

/** In a script or a textarea: everything is text, until it ends. */
function furtherInText(place: Place, element: string, text: string): Reached {
  const sign = text.indexOf("<");
  const inside = sign === -1 ? text : text.slice(0, sign);
  const inString = element === "script" && endsInString(place.inString, inside);
  if (sign === -1) return [{ ...place, inString }, text.length];
  if (!new RegExp(`^</${element}\\s*>`, "i").test(text.slice(sign))) {
    const instead = element === "script" ? "\\u003c" : "&lt;";
    throw new Misplaced(`in a ${element}, < is written ${instead}`, sign);
  }
  if (inString) throw new Misplaced("a string of the JSON does not end", sign);
  const [behind, by] = shifted(sign, () => furtherInTags(place, text.slice(sign)));
  return [behind, sign + by];
}

/** Whether JSON that began in a string, or not, ends in one. Throws Misplaced where it ends within an escape. */
function endsInString(began: boolean, json: string): boolean {
  let inString = began;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') inString = !inString;
    else if (inString && json[at] === "\\" && ++at === json.length) {
      throw new Misplaced("\\ stands together with the character that it escapes", at - 1);
    }
  }
  return inString;
}

/** Between tags and in them, up to the text of a script or textarea. */
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
    throw new Misplaced(`a tag has at most ${LONGEST_TAG} characters`, text.length);
  }
  return [{ ...START, begun: left, open: read.open }, text.length];
}

interface Read {
  open: readonly string[];
  /** Where the last tag or comment ended. */
  end: number;
  /** Where the text of a script or textarea begins; null where none has. */
  textAt: number | null;
}

/** Reads tags that are whole, and opens and closes their elements. */
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
        if (open.length === MOST_OPEN) refuse(`elements stand at most ${MOST_OPEN} deep`, at);
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
      onDoctype: ({ location }) => refuse("a block has no doctype", location?.startOffset ?? 0),
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
 * Has a text read, a piece at a time. Each attribute of a tag is compared with all before it, so that a tag of many
 * pieces would take seconds.
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

/** What browsers read as everybody means it. */
const HARMLESS = new Set<string>([
  "missing-semicolon-after-character-reference",
  "unknown-named-character-reference",
]);

function explained(code: string): string {
  if (code === "invalid-first-character-of-tag-name") return "< that begins no tag is written &lt;";
  return `this is no HTML: ${code.replaceAll("-", " ")}`;
}

function notAllowed(name: string, open: readonly string[]): string {
  return open.includes("svg")
    ? `a drawing has no <${name}>: docs/templates.md lists what it has`
    : `<${name}> is not allowed: docs/templates.md lists what is`;
}

function unexpectedEnd(name: string, last: string | undefined): string {
  return last === undefined
    ? `</${name}> ends what did not begin here`
    : `</${name}> stands where <${last}> has to end`;
}

/** What a part of a text answers, or its mistake as the whole text has it. */
function shifted<T>(by: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Misplaced) throw new Misplaced(error.message, error.at + by);
    throw error;
  }
}
