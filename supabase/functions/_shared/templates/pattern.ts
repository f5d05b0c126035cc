import { RE2JS } from "re2js";
import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";

const LONGEST_PATTERN = 500;

/** Maximum number of states of a pattern. `(\\pL{30}){33}` is short, and has a thousand. */
const MOST_STATES = 2_000;

/** Maximum of states times characters, for all patterns of a page together. It takes about 25 milliseconds. */
const MOST_WORK = 500_000;

/** Compiling a state takes about as long as this number of characters. */
const CHARACTERS_A_COMPILATION = 100;

/** What the patterns of a page may still cost: states times characters. */
export interface PatternWork {
  left: number;
}

export const patternWork = (): PatternWork => ({ left: MOST_WORK });

export interface Pattern {
  /** Whether a text contains the pattern. Throws TemplateLimit if the text is too long for it. */
  test(text: string): boolean;
}

/**
 * Compiles a pattern for RE2, which runs in linear time. It takes from `work`, and so do its tests.
 *
 * @throws TemplateLimit when no work is left.
 * @throws TemplateMistake when the pattern is too long, or RE2 does not support it: it has no back-references and no lookaround.
 */
export function compilePattern(pattern: string, work = patternWork()): Pattern {
  if (pattern.length > LONGEST_PATTERN) {
    throw new TemplateMistake(`A pattern has at most ${LONGEST_PATTERN} characters.`);
  }
  if (work.left <= 0) throw new TemplateLimit("bytes", 0);
  const compiled = compiledBy(pattern);
  const states = compiled.programSize();
  if (states > MOST_STATES) throw new TemplateMistake("The pattern repeats too much.");
  work.left -= states * CHARACTERS_A_COMPILATION;
  return {
    test(text) {
      const longest = Math.max(0, Math.floor(work.left / states));
      if (text.length > longest) throw new TemplateLimit("bytes", longest);
      work.left -= states * text.length;
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
