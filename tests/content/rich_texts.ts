import fc from "fast-check";
import { ATTRIBUTES } from "../../supabase/functions/_shared/content/rich_text_schema.ts";
import { ADDRESSES, TEXTS } from "./xss.js";

// Rich texts for tests. The generated ones are almost valid, so that some pass the first checks.

export const text = (words: string, ...marks: unknown[]) => ({
  type: "text",
  text: words,
  ...(marks.length > 0 && { marks }),
});
export const node = (type: string, attrs: unknown, ...content: unknown[]) => ({
  type,
  ...(attrs !== null && { attrs }),
  ...(content.length > 0 && { content }),
});
export const paragraph = (...content: unknown[]) => node("paragraph", null, ...content);
export const doc = (...content: unknown[]) => node("doc", null, ...content);
export const linked = (attrs: unknown) => doc(paragraph(text("here", { type: "link", attrs })));

const NODES = ["paragraph", "heading", "bulletList", "orderedList", "listItem", "blockquote"];
const MORE_NODES = ["codeBlock", "image", "table", "tableRow", "tableHeader", "tableCell"];
const LEAVES = ["hardBreak", "horizontalRule", "image", "doc", "script", "__proto__", "bold"];
const MARKS = ["bold", "italic", "strike", "underline", "code", "link", "blink", "constructor"];
const NAMES = Object.values(ATTRIBUTES).flatMap(({ shape }) => Object.keys(shape));

const value = fc.oneof(
  fc.constantFrom<unknown>(...TEXTS, ...ADDRESSES),
  fc.constantFrom<unknown>("/", "https://a.example/", "_blank", "nofollow", "ts", 1, 2, 7, null),
  fc.constantFrom<unknown>(
    { type: "products", id: "lamp" },
    "0b0e7c5c-6d0c-4ba8-8f9f-5d0c1d5a3b11",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

const attrs = fc.oneof(
  fc.dictionary(fc.constantFrom(...NAMES, "onclick", "style", "class"), value, { maxKeys: 4 }),
  value,
);

const marks = fc.array(
  fc.record({ type: fc.constantFrom(...MARKS), attrs }, { requiredKeys: ["type"] }),
  {
    maxLength: 3,
  },
);

const { anyNode } = fc.letrec<{ anyNode: unknown }>((tie) => ({
  anyNode: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({ type: fc.constant("text"), text: fc.constantFrom(...TEXTS), marks }),
    fc.record({ type: fc.constantFrom(...LEAVES), attrs, marks }, { requiredKeys: ["type"] }),
    fc.record(
      {
        type: fc.constantFrom(...NODES, ...MORE_NODES),
        attrs,
        content: fc.array(tie("anyNode"), { maxLength: 4 }),
      },
      { requiredKeys: ["type", "content"] },
    ),
    value,
  ),
}));

/** Documents with mostly known nodes, and few of them valid. */
export const wildDocuments = fc.array(anyNode, { maxLength: 4 }).map((content) => doc(...content));

const address = fc.constantFrom(
  "/",
  "#top",
  "?a=1&b=2",
  "https://a.example/x?y=1&z",
  "mailto:a@b.example",
);
const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const link = fc.record(
  {
    href: address,
    target: fc.constantFrom("_blank", "_self", null),
    rel: fc.constantFrom("nofollow", "NOOPENER ugc", null),
    class: fc.constant(null),
  },
  { requiredKeys: ["href"] },
);
const goodMarks = fc.uniqueArray(
  fc.oneof(
    fc.record({ type: fc.constantFrom("bold", "italic", "strike", "underline", "code") }),
    fc.record({ type: fc.constant("link"), attrs: link }),
  ),
  { selector: ({ type }) => type, maxLength: 4 },
);
const inline = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("text"), text: word, marks: goodMarks }),
    fc.record({ type: fc.constant("hardBreak") }),
  ),
  { maxLength: 3 },
);
const span = fc.integer({ min: 1, max: 100 });
const cellAttrs = fc.record({ colspan: span, rowspan: span, colwidth: fc.constant(null) });

const { block } = fc.letrec<{ block: unknown; item: unknown; cell: unknown }>((tie) => {
  const blocks = fc.array(tie("block"), { minLength: 1, maxLength: 2 });
  const items = fc.array(tie("item"), { minLength: 1, maxLength: 3 });
  const list = { content: items };
  return {
    block: fc.oneof(
      { maxDepth: 2 },
      inline.map((content) => paragraph(...content)),
      fc
        .tuple(fc.integer({ min: 1, max: 6 }), inline)
        .map(([level, content]) => node("heading", { level, textAlign: null }, ...content)),
      word.map((words) => node("codeBlock", { language: "c++" }, text(words))),
      fc.constant(node("horizontalRule", null)),
      fc
        .record({ src: address.filter((one) => !one.startsWith("mailto:")), alt: word })
        .map((attrs) => node("image", attrs)),
      fc.record({ type: fc.constant("bulletList"), ...list }),
      fc.record({
        type: fc.constant("orderedList"),
        attrs: fc.record({ start: fc.nat(9) }),
        ...list,
      }),
      fc.record({ type: fc.constant("blockquote"), content: blocks }),
      fc
        .array(tie("cell"), { maxLength: 3 })
        .map((cells) => node("table", null, node("tableRow", null, ...cells))),
    ),
    item: blocks.map((content) => node("listItem", null, paragraph(), ...content)),
    cell: fc.record({
      type: fc.constantFrom("tableCell", "tableHeader"),
      attrs: cellAttrs,
      content: blocks,
    }),
  };
});

/** Valid documents, as an editor sends them. */
export const goodDocuments = fc.array(block, { maxLength: 4 }).map((content) => doc(...content));
