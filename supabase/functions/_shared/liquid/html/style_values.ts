import { TemplateMistake } from "../mistakes.ts";
import { OUTPUT } from "./addresses.ts";
import { checkDeclarations } from "./styles.ts";

/** Inside of these, text that looks like a declaration is none. */
const HIDING = /["'()\\]|\/\*/;

/** The property whose value a `style` is in, or "" if a declaration may begin; null if it is neither for sure. */
function propertyAtEnd(style: string): string | null {
  if (HIDING.test(style)) return null;
  const last = style.slice(style.lastIndexOf(";") + 1);
  if (last.trim() === "") return "";
  return /^\s*([a-z-]+)\s*:/.exec(last)?.[1] ?? null;
}

/**
 * A `style` that stands for the ends of two branches; null if the following text would mean different things in them, or
 * one of them is not allowed.
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
