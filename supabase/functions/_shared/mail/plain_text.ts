import { compile } from "html-to-text";

/** So wide is a line, where no address is longer. */
const LINE = 78;

/** Reads HTML as a text. Layout tables are paragraphs one after the other, tables of `items` and `facts` keep their columns. */
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
    // Cells of a layout stand beside each other, and do not make one word of two.
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

/** The text of a letter that has none of its own, from what stands in its body. */
export function textOfHtml(html: string): string {
  const lines = read(html)
    .split("\n")
    .map((line) => line.trimEnd());
  return `${lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}
