import { RE2JS } from "re2js";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";

const LONGEST_PATTERN = 500;

/** Maximum number of states of a pattern. `(\\pL{30}){33}` is short, and has a thousand. */
const MOST_STATES = 2_000;

/** Maximum number of states times characters. It takes a tenth of a second. */
const MOST_WORK = 2_000_000;

export interface Pattern {
  /** Whether a text contains the pattern. Throws TemplateLimit if the text is too long for it. */
  test(text: string): boolean;
}

/**
 * Compiles a pattern for RE2, which runs in linear time.
 *
 * @throws TemplateMistake when the pattern is too long, or RE2 does not support it: it has no back-references and no lookaround.
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
    throw new TemplateMistake(`This pattern is invalid: ${(error as Error).message}`);
  }
}
