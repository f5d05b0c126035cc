import { type Compiled, compileHtml } from "../liquid/engine.ts";

const SCRIPT = /(<script\b[^>]*>)([\s\S]*?)(<\/script)/gi;

/**
 * Compiles HTML without Liquid: braces are literal text. The same rules hold as for HTML with Liquid. Throws as compileHtml
 * does.
 */
export function compileStatic(html: string): Compiled {
  const inScripts = html.replace(SCRIPT, (_, start: string, json: string, end: string) => {
    // In JSON a brace is escaped as JSON does it, and not as an entity.
    return start + json.replace(/\{(?=[{%])/g, "\\u007b") + end;
  });
  return compileHtml(inScripts.replace(/\{(?=[{%])/g, "&#123;"));
}
