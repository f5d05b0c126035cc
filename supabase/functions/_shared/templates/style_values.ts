import { OUTPUT } from "./addresses.ts";
import { TemplateMistake } from "./mistakes.ts";
import { checkDeclarations } from "./styles.ts";

/** Within these, what looks like a declaration is none. */
const HIDING = /["'()\\]|\/\*/;

/** The property whose value a `style` has come to, or "" where a declaration may begin; null where neither is sure. */
function propertyAtEnd(style: string): string | null {
  if (HIDING.test(style)) return null;
  const last = style.slice(style.lastIndexOf(";") + 1);
  if (last.trim() === "") return "";
  return /^\s*([a-z-]+)\s*:/.exec(last)?.[1] ?? null;
}

/**
 * A `style` that stands for two that a text may have come to, on one way and another; null where what follows would
 * mean another thing in each of them, or one has what no style may have.
 */
export function joinedStyle(one: string, other: string): string | null {
  const property = propertyAtEnd(one);
  if (property === null || property !== propertyAtEnd(other)) return null;
  if (![one, other].every(isAllowedStyle)) return null;
  return property === "" ? "" : `${property}:${OUTPUT}`;
}

function isAllowedStyle(style: string): boolean {
  try {
    checkDeclarations(style);
    return true;
  } catch (error) {
    if (error instanceof TemplateMistake) return false;
    throw error;
  }
}
