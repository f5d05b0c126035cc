import { RE2JS } from "re2js";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";

const LONGEST_PATTERN = 500;

/** The most states that a pattern takes: `(\\pL{30}){33}` is short, and a thousand of them. */
const MOST_STATES = 2_000;

/** Each character may meet each state: this much of that takes a tenth of a second. */
const MOST_WORK = 2_000_000;

export interface Pattern {
  /** Whether the pattern is found in a text. Throws a TemplateLimit when the text is too long for it. */
  test(text: string): boolean;
}

/**
 * A pattern that somebody wrote, for an engine that never goes back: no pattern makes it hang.
 *
 * @throws TemplateMistake when it is too long, or none that RE2 knows (it has no back-references and looks nowhere around).
 */
export function compilePattern(pattern: string): Pattern {
  if (pattern.length > LONGEST_PATTERN) {
    throw new TemplateMistake(`A pattern has at most ${LONGEST_PATTERN} characters.`);
  }
  const compiled = compiledBy(pattern);
  if (compiled.programSize() > MOST_STATES) {
    throw new TemplateMistake("The pattern repeats too much.");
  }
  const longest = Math.floor(MOST_WORK / compiled.programSize());
  return {
    test(text) {
      if (text.length > longest) throw new TemplateLimit("bytes", longest);
      return compiled.test(text);
    },
  };
}

function compiledBy(pattern: string) {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new TemplateMistake(`This is no pattern: ${(error as Error).message}`);
  }
}
