import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlOf, type Resolve } from "../../supabase/functions/_shared/content/html.ts";
import {
  checkedRichText,
  type RichText,
} from "../../supabase/functions/_shared/content/rich_text.ts";
import { SEED } from "../random.js";
import { doc, goodDocuments, linked, node, paragraph, text, wildDocuments } from "./rich_texts.js";
import { elementsIn, faultsIn, wordsIn } from "./safe_html.js";
import { ADDRESSES, DOCUMENTS, TEXTS } from "./xss.js";

fc.configureGlobal({ seed: SEED });

const ASSET = "0b0e7c5c-6d0c-4ba8-8f9f-5d0c1d5a3b11";
const GONE = "0b0e7c5c-6d0c-4ba8-8f9f-5d0c1d5a3b12";

const resolve: Resolve = {
  asset: (id) =>
    id === ASSET
      ? {
          url: "https://cdn.example/lamp.png?width=800&x=1",
          srcset: "https://cdn.example/lamp.png?width=400 400w, /lamp.png 800w",
          width: 800,
          height: 600,
          alt: "A lamp",
        }
      : undefined,
  link: ({ type, id }) => (id === "gone" ? undefined : `/${type}/${id}`),
};

/** Renders any value as a document. */
const html = (document: unknown, by = resolve) => htmlOf(document as RichText, by);

describe("HTML of valid documents", () => {
  const row = (...cells: unknown[]) => node("tableRow", null, ...cells);
  it.each<[document: unknown, html: string]>([
    [doc(), ""],
    [doc(paragraph()), "<p></p>"],
    [doc(paragraph(text("a"), node("hardBreak", null), text("b"))), "<p>a<br>b</p>"],
    [doc(node("heading", { level: 3 }, text("a"))), "<h3>a</h3>"],
    [
      doc(node("bulletList", null, node("listItem", null, paragraph()))),
      "<ul><li><p></p></li></ul>",
    ],
    [doc(node("orderedList", { start: 3 })), '<ol start="3"></ol>'],
    [doc(node("orderedList", null)), "<ol></ol>"],
    [doc(node("blockquote", null, paragraph())), "<blockquote><p></p></blockquote>"],
    [
      doc(node("codeBlock", { language: "c++" }, text("\na < b"))),
      '<pre><code class="language-c++">\na &lt; b</code></pre>',
    ],
    [doc(node("codeBlock", null)), "<pre><code></code></pre>"],
    [doc(node("horizontalRule", null)), "<hr>"],
    [
      doc(
        node(
          "table",
          null,
          row(node("tableHeader", null), node("tableCell", { colspan: 2, rowspan: 3 })),
        ),
      ),
      '<table><tbody><tr><th></th><td colspan="2" rowspan="3"></td></tr></tbody></table>',
    ],
    [
      doc(node("image", { asset_id: ASSET, title: "x" })),
      '<img src="https://cdn.example/lamp.png?width=800&amp;x=1" ' +
        'srcset="https://cdn.example/lamp.png?width=400 400w, /lamp.png 800w" ' +
        'width="800" height="600" alt="A lamp" title="x" loading="lazy">',
    ],
    [doc(node("image", { src: "/a.png", alt: "b" })), '<img src="/a.png" alt="b" loading="lazy">'],
    [doc(node("image", { src: "/a.png" })), '<img src="/a.png" alt="" loading="lazy">'],
    [linked({ href: "/?a=1&b=2" }), '<p><a href="/?a=1&amp;b=2">here</a></p>'],
    [linked({ ref: { type: "products", id: "lamp" } }), '<p><a href="/products/lamp">here</a></p>'],
    [
      linked({ href: "/", target: "_blank", rel: "Nofollow  ugc" }),
      '<p><a href="/" target="_blank" rel="nofollow ugc noopener">here</a></p>',
    ],
    [
      linked({ href: "/", target: "_blank", rel: "noopener" }),
      '<p><a href="/" target="_blank" rel="noopener">here</a></p>',
    ],
    [linked({ href: "/", target: "_self" }), '<p><a href="/" target="_self">here</a></p>'],
    [doc(paragraph(text(`<&>"'`))), "<p>&lt;&amp;&gt;&quot;&#39;</p>"],
  ])("%j", (document, expected) => {
    expect(html(document)).toBe(expected);
    expect(faultsIn(expected)).toEqual([]);
  });

  it("marks in one order", () => {
    const sent = ["bold", "italic", "strike", "underline", "code"].map((type) => ({ type }));
    const marks = [...sent, { type: "link", attrs: { href: "/" } }];
    const drawn = '<p><a href="/"><strong><em><s><u><code>x</code></u></s></em></strong></a></p>';
    expect(html(doc(paragraph(text("x", ...marks))))).toBe(drawn);
    expect(html(doc(paragraph(text("x", ...marks.toReversed(), ...marks))))).toBe(drawn);
  });

  it("every valid document without faults", () => {
    fc.assert(
      fc.property(goodDocuments, (document) => {
        const taken = checkedRichText(document, "content");
        const drawn = html(taken);
        expect(faultsIn(drawn)).toEqual([]);
        // The unchecked document renders the same.
        expect(html(document)).toBe(drawn);
      }),
    );
  });
});

describe("HTML leaves out", () => {
  it("the link to a record that the reader may not see; its text stays", () => {
    expect(html(linked({ ref: { type: "products", id: "gone" } }))).toBe("<p>here</p>");
    expect(html(linked({ ref: { type: "products", id: "gone" }, href: "/" }))).toBe("<p>here</p>");
  });

  it("an image whose asset is gone", () => {
    expect(html(doc(node("image", { asset_id: GONE, src: "/a.png", alt: "x" })))).toBe("");
  });

  it("an unknown node; its content stays", () => {
    const unknown = node(
      "callout",
      { onclick: "x" },
      paragraph(text("a")),
      node("bold", null, text("b")),
    );
    expect(html(doc(unknown))).toBe("<p>a</p>b");
  });

  it("a wrong attribute; the others stay", () => {
    expect(html(linked({ href: "/", target: "_blank", rel: "opener" }))).toBe(
      '<p><a href="/" target="_blank" rel="noopener">here</a></p>',
    );
    expect(html(doc(node("heading", { level: 7 }, text("a"))))).toBe("<h1>a</h1>");
  });

  it("nodes that are too deep", () => {
    let inner: unknown = paragraph(text("x"));
    for (let i = 0; i < 100_000; i += 1) inner = node("blockquote", null, inner);
    expect(html(doc(inner))).toMatch(/^(<blockquote>){20}(<\/blockquote>){20}$/);
  });

  it.each([
    undefined,
    null,
    1,
    "x",
    [],
    {},
    { content: "x" },
    { type: "text", text: 1 },
  ])("%j, which is not a document", (value) => {
    expect(html(value)).toBe("");
  });
});

/** Every place of a document that can hold a text of its author. */
const PLACES: [place: string, document: (sent: string) => unknown][] = [
  ["a text", (sent) => doc(paragraph(text(sent)))],
  ["a text with marks", (sent) => doc(paragraph(text(sent, { type: "bold" }, { type: "code" })))],
  ["a text outside a paragraph", (sent) => text(sent)],
  ["code", (sent) => doc(node("codeBlock", null, text(sent)))],
  ["a heading", (sent) => doc(node("heading", { level: 1 }, text(sent)))],
  [
    "a cell",
    (sent) =>
      doc(
        node("table", null, node("tableRow", null, node("tableCell", null, paragraph(text(sent))))),
      ),
  ],
  ["a cell without a table", (sent) => doc(paragraph(node("tableCell", null, text(sent))))],
  ["a table's own text", (sent) => doc(node("table", null, text(sent), paragraph(text(sent))))],
  [
    "the text of a link",
    (sent) => doc(paragraph(text(sent, { type: "link", attrs: { href: "/" } }))),
  ],
  ["a link in a link", (sent) => node("link", { href: sent }, linked({ href: sent }))],
  ...["href", "target", "rel", "class", "style", "onclick", "title", "ref"].map(
    (name): (typeof PLACES)[number] => [
      `a link's ${name}`,
      (sent) => linked({ href: "/", [name]: sent }),
    ],
  ),
  ["a ref's type", (sent) => linked({ ref: { type: sent, id: "x" } })],
  ["a ref's id", (sent) => linked({ ref: { type: "x", id: sent } })],
  ...["src", "srcset", "alt", "title", "width", "height", "loading", "onerror", "asset_id"].map(
    (name): (typeof PLACES)[number] => [
      `an image's ${name}`,
      (sent) => doc(node("image", { src: "/", [name]: sent })),
    ],
  ),
  ["a picture's alt", (sent) => doc(node("image", { asset_id: ASSET, alt: sent, title: sent }))],
  ["a level", (sent) => doc(node("heading", { level: sent }, text("x")))],
  ["a start", (sent) => doc(node("orderedList", { start: sent }))],
  ["a language", (sent) => doc(node("codeBlock", { language: sent }, text("x")))],
  [
    "a span",
    (sent) =>
      doc(
        node(
          "table",
          null,
          node("tableRow", null, node("tableHeader", { colspan: sent, rowspan: sent })),
        ),
      ),
  ],
  ["the name of a node", (sent) => doc(node(sent, { href: sent }, text(sent)))],
  [
    "the name of a mark",
    (sent) => doc(paragraph(text("x", { type: sent, attrs: { href: sent } }))),
  ],
  [
    "the name of an attribute",
    (sent) => doc(node("image", { src: "/", [sent]: sent }), node("paragraph", { [sent]: sent })),
  ],
  ["attributes", (sent) => doc(node("image", sent), node("heading", [sent]))],
];

/** Resolved values come from our database, and are not trusted either. */
const resolved = (sent: string): Resolve => ({
  asset: () => ({ url: "/a.png", srcset: sent, alt: sent }),
  link: () => sent,
});

describe("HTML has no script and no unknown element, attribute or scheme", () => {
  it.each(PLACES)("by %s", (_, document) => {
    for (const sent of [...TEXTS, ...ADDRESSES]) {
      const drawn = html(document(sent));
      expect(faultsIn(drawn), `${JSON.stringify(sent)} became ${drawn}`).toEqual([]);
    }
  });

  it("by the values that an id resolves to", () => {
    for (const sent of [...TEXTS, ...ADDRESSES]) {
      const image = doc(node("image", { asset_id: ASSET }));
      const link = linked({ ref: { type: "products", id: "lamp" } });
      for (const document of [image, link]) {
        expect(faultsIn(html(document, resolved(sent))), sent).toEqual([]);
      }
    }
    for (const url of ADDRESSES) {
      const drawn = html(doc(node("image", { asset_id: ASSET })), {
        ...resolve,
        asset: () => ({ url }),
      });
      expect(drawn).toBe("");
    }
  });

  it.each(DOCUMENTS.map((document) => [document]))("by %j", (document) => {
    expect(faultsIn(html(document))).toEqual([]);
  });

  it("by any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(faultsIn(html(value))).toEqual([]);
        expect(faultsIn(html(doc(value)))).toEqual([]);
      }),
    );
  });

  it("by almost valid documents", () => {
    fc.assert(
      fc.property(wildDocuments, (document) => {
        expect(faultsIn(html(document))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("while every text stays the same", () => {
    // HTML parsers normalise line ends and drop NUL.
    const kept = TEXTS.filter((sent) => !/[\r\0]/.test(sent));
    expect(kept.length).toBeGreaterThan(120);
    for (const sent of kept) {
      expect(wordsIn(html(doc(paragraph(text(sent)))))).toBe(sent);
      const [image] = elementsIn(
        html(doc(node("image", { src: "/", alt: sent, title: sent }))),
        "img",
      );
      expect(image).toMatchObject({ alt: sent, title: sent });
    }
  });
});
