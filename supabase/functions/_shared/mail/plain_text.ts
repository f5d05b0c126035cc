import { compile } from "html-to-text";

/** Width of a line, in characters. Addresses are not wrapped. */
const LINE = 78;

/** Converts HTML to text. Tables for layout become paragraphs; the tables `items` and `facts` keep their columns. */
const read = compile({
  wordwrap: LINE,
  selectors: [
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: "img", format: "skip" },
    { selector: ".preheader", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
      selector,
      options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 2 },
    })),
    // A space separates the cells of layout tables.
    ...["td", "th"].map((selector) => ({
      selector,
      format: "inlineSurround",
      options: { suffix: " " },
    })),
    { selector: "table.facts", format: "dataTable", options: { uppercaseHeaderCells: false } },
    {
      selector: "table.items",
      format: "dataTable",
      options: { uppercaseHeaderCells: false, maxColumnWidth: 40, colSpacing: 3 },
    },
  ],
});

/** The text part of a mail without text_content, made from its HTML. */
export function textOfHtml(html: string): string {
  const lines = read(html)
    .split("\n")
    .map((line) => line.trimEnd());
  return `${lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}
