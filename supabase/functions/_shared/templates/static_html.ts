import { type Compiled, compileHtml } from "./liquid.ts";

const SCRIPT = /(<script\b[^>]*>)([\s\S]*?)(<\/script)/gi;

/**
 * HTML that is shown as it stands: braces that would be Liquid are none in it. It is held to what HTML with Liquid is
 * held to. Throws as compileHtml does.
 */
export function compileStatic(html: string): Compiled {
  const inScripts = html.replace(SCRIPT, (_, start: string, json: string, end: string) => {
    // JSON has its own way to write a brace, and knows no other.
    return start + json.replace(/\{(?=[{%])/g, "\\u007b") + end;
  });
  return compileHtml(inScripts.replace(/\{(?=[{%])/g, "&#123;"));
}
