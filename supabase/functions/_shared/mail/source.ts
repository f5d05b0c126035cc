import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { LONGEST_TEMPLATE } from "../liquid/parsing.ts";

/** The HTML of a letter, split into its body and its styles. */
export interface Source {
  body: string;
  styles: string;
}

/**
 * Splits the HTML of a letter. It removes `html`, `head` and the doctype, which `documentOf` writes. The rest is checked
 * like the HTML of templates. Line numbers do not change.
 *
 * @throws TemplateMistake if there is Liquid in its styles.
 * @throws TemplateLimit if it is too long.
 */
export function takeApart(html: string): Source {
  if (html.length > LONGEST_TEMPLATE) throw new TemplateLimit("bytes", LONGEST_TEMPLATE);
  const styles: string[] = [];
  const withoutStyles = without(html, "style", (css, line) => {
    if (/\{[{%]/.test(css)) {
      const instead = "use a style attribute for values";
      throw new TemplateMistake(`there is no Liquid in <style>: ${instead}`, line, 1);
    }
    styles.push(css);
  });
  const body = without(withoutStyles, "head", () => {})
    .replace(/<!doctype[^<>]{0,500}>/i, lines)
    .replace(/<\/?html(?:\s[^<>]{0,1000})?>/gi, lines)
    .replace(/<body(?=[\s>])/gi, "<div")
    .replace(/<\/body\s{0,10}>/gi, "</div>");
  return { body, styles: styles.join("\n") };
}

/** The line ends of a text. */
const lines = (text: string) => text.replace(/[^\n]+/g, "");

/** A text without the elements of one name. Takes linear time. */
function without(html: string, name: string, take: (inside: string, line: number) => void): string {
  const begin = new RegExp(`<${name}(?:\\s[^<>]{0,500})?>`, "gi");
  const end = new RegExp(`</${name}\\s{0,10}>`, "gi");
  const kept: string[] = [];
  let from = 0;
  for (let start = begin.exec(html); start; start = begin.exec(html)) {
    end.lastIndex = begin.lastIndex;
    const stop = end.exec(html);
    if (!stop) break;
    kept.push(html.slice(from, start.index), lines(html.slice(start.index, end.lastIndex)));
    take(html.slice(begin.lastIndex, stop.index), html.slice(0, start.index).split("\n").length);
    from = begin.lastIndex = end.lastIndex;
  }
  return kept.join("") + html.slice(from);
}
