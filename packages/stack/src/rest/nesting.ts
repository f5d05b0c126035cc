import { invalidBody, parseError } from "./errors.js";

/** Maximum nesting: deeper than real documents, and far below the limit of Postgres' stack. */
const MAX_DEPTH = 1000;

/** Throws PGRST102 for a body whose arrays and objects are nested too deeply. */
export function refuseDeepBody(json: string): void {
  if (deeper(json, "[{", "]}", true)) throw invalidBody("The body is nested too deeply");
}

/** Throws PGRST100 for a URL value that some data type would parse as too deeply nested. */
export function refuseDeepValue(value: string): void {
  if (!deeper(value, "([{", ")]}", false)) return;
  throw parseError('"failed to parse filter" (line 1, column 1)', "the value is nested too deeply");
}

function deeper(text: string, opening: string, closing: string, quotes: boolean): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (char === '"' && quotes) quoted = true;
    else if (closing.includes(char)) depth--;
    else if (opening.includes(char) && ++depth > MAX_DEPTH) return true;
  }
  return false;
}
