import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkedRichText,
  emptyRichText,
  type RichTextNode,
} from "../../supabase/functions/_shared/content/rich_text.ts";
import { ApiError } from "../../supabase/functions/_shared/http/errors.ts";
import { isSafeHref, isSafeSrc } from "../../supabase/functions/_shared/values/links.ts";
import { SEED } from "../random.js";
import { doc, goodDocuments, linked, node, paragraph, text, wildDocuments } from "./rich_texts.js";
import { ADDRESSES, DOCUMENTS } from "./xss.js";

fc.configureGlobal({ seed: SEED });

const checked = (value: unknown) => checkedRichText(value, "content");

/** The error of a refused document. */
function refusalOf(value: unknown, field = "content"): ApiError {
  try {
    checkedRichText(value, field);
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
  throw new Error(`This was accepted: ${JSON.stringify(value)}`);
}

const faultsOf = (value: unknown) =>
  refusalOf(value).fields.map(({ field, message }) => `${field} ${message}`);

const ASSET = "0b0e7c5c-6d0c-4ba8-8f9f-5d0c1d5a3b11";

describe("a valid rich text", () => {
  const table = (...cells: unknown[]) => node("table", null, node("tableRow", null, ...cells));
  const item = node("listItem", null, paragraph(text("one")));
  it.each<[what: string, document: unknown]>([
    ["nothing", doc()],
    ["the initial document of an editor", emptyRichText],
    ["words", doc(paragraph(text("one"), node("hardBreak", null), text("two")))],
    ["headings", doc(...[1, 2, 3, 4, 5, 6].map((level) => node("heading", { level }, text("x"))))],
    ["lists", doc(node("bulletList", null, item), node("orderedList", { start: 0 }, item, item))],
    [
      "lists in lists",
      doc(
        node(
          "bulletList",
          null,
          node("listItem", null, paragraph(), node("bulletList", null, item)),
        ),
      ),
    ],
    ["quotes", doc(node("blockquote", null, paragraph(text("x")), node("horizontalRule", null)))],
    ["code", doc(node("codeBlock", { language: "c++" }, text("a < b")), node("codeBlock", null))],
    ["images of the library", doc(node("image", { asset_id: ASSET, alt: "", title: "A lamp" }))],
    ["images from elsewhere", doc(node("image", { src: "https://a.example/lamp.png" }))],
    [
      "tables",
      doc(
        table(
          node("tableHeader", { colspan: 2, rowspan: 1 }, paragraph(text("x"))),
          node("tableCell", { colspan: 100 }, paragraph(), node("bulletList", null, item)),
        ),
      ),
    ],
    ["bold code", doc(paragraph(text("x", { type: "bold" }, { type: "code" })))],
    ["links", linked({ href: "https://a.example/", target: "_blank", rel: "noopener nofollow" })],
    ["links to a record", linked({ ref: { type: "products", id: "lamp" } })],
  ])("%s", (_, document) => {
    expect(checked(document)).toEqual(document);
  });

  it("TipTap's links, tables and lists, without unset attributes", () => {
    expect(
      checked(
        doc(
          node("heading", { level: 2, textAlign: null }, text("Lamps")),
          paragraph(
            text("here", {
              type: "link",
              attrs: {
                href: "/",
                target: "_blank",
                rel: "noopener noreferrer nofollow",
                class: null,
              },
            }),
          ),
          node("orderedList", { start: 1, type: null }, node("listItem", null, paragraph())),
          table(node("tableCell", { colspan: 1, rowspan: 1, colwidth: null }, paragraph())),
          node("codeBlock", { language: null }, text("x")),
        ),
      ),
    ).toEqual(
      doc(
        node("heading", { level: 2 }, text("Lamps")),
        paragraph(
          text("here", {
            type: "link",
            attrs: { href: "/", target: "_blank", rel: "noopener noreferrer nofollow" },
          }),
        ),
        node("orderedList", { start: 1 }, node("listItem", null, paragraph())),
        table(node("tableCell", { colspan: 1, rowspan: 1 }, paragraph())),
        node("codeBlock", null, text("x")),
      ),
    );
  });
});

describe("the canonical form", () => {
  it.each<[what: string, sent: unknown, kept: unknown]>([
    ["unknown attributes", doc(node("paragraph", { onclick: "x", style: "y" })), doc(paragraph())],
    [
      "unknown attributes of marks",
      doc(paragraph(text("x", { type: "bold", attrs: { class: "y" } }))),
      doc(paragraph(text("x", { type: "bold" }))),
    ],
    ["unknown fields next to attributes", { ...doc(), html: "<p>" }, doc()],
    ["null", { type: "doc", attrs: null, content: null, marks: null }, doc()],
    ["empty lists", { type: "doc", content: [], marks: [] }, doc()],
    ["the level of a heading", doc(node("heading", null)), doc(node("heading", { level: 1 }))],
    [
      "the case of an id",
      doc(node("image", { asset_id: ASSET.toUpperCase() })),
      doc(node("image", { asset_id: ASSET })),
    ],
    [
      "the order of marks",
      doc(paragraph(text("x", { type: "code" }, { type: "italic" }, { type: "bold" }))),
      doc(paragraph(text("x", { type: "bold" }, { type: "italic" }, { type: "code" }))),
    ],
    [
      "other fields of a ref than its type and id",
      linked({ ref: { type: "products", id: "lamp", title: "x" } }),
      linked({ ref: { type: "products", id: "lamp" } }),
    ],
  ])("%s", (_, sent, kept) => {
    expect(checked(sent)).toEqual(kept);
  });

  it("does not change when it is normalised again", () => {
    fc.assert(
      fc.property(goodDocuments, (document) => {
        const once = checked(document);
        expect(checked(once)).toEqual(once);
        expect(wordsOf(once)).toBe(wordsOf(document as RichTextNode));
      }),
    );
  });

  it("does not change its argument", () => {
    fc.assert(
      fc.property(wildDocuments, (document) => {
        const before = structuredClone(document);
        try {
          const once = checked(document);
          expect(checked(once)).toEqual(once);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ApiError);
        }
        expect(document).toEqual(before);
      }),
    );
  });
});

function wordsOf({ text, content = [] }: RichTextNode): string {
  return text ?? content.map(wordsOf).join("");
}

describe("a fault is reported on its path", () => {
  const inQuote = (...content: unknown[]) => doc(paragraph(), node("blockquote", null, ...content));
  it.each<[document: unknown, ...faults: string[]]>([
    [undefined, "content is missing"],
    [null, "content must be an object"],
    ["<p>", "content must be an object"],
    [[], "content must be an object"],
    [{}, "content.type is missing"],
    [paragraph(), "content.type must be doc"],
    [text("x"), "content.type must be doc"],
    [{ type: 1 }, "content.type must be a string"],
    [{ type: "doc", content: {} }, "content.content must be a list"],
    [doc(null), "content.content[0] must be an object"],
    [doc(paragraph(), node("script", null)), "content.content[1].type is not known here"],
    [doc(node("Paragraph", null)), "content.content[0].type is not known here"],
    [doc(node("toString", null)), "content.content[0].type is not known here"],
    [
      inQuote(paragraph(text("x", { type: "bold" }, { type: "blink" }))),
      "content.content[1].content[0].content[0].marks[1].type is not known here",
    ],
    [
      doc(
        paragraph(),
        paragraph(),
        paragraph(text("x", { type: "link", attrs: { href: "javascript:x" } })),
      ),
      "content.content[2].content[0].marks[0].attrs.href must be an address of http, https or mailto, or a relative one",
    ],
    [linked({}), "content.content[0].content[0].marks[0].attrs.href is missing"],
    [linked(null), "content.content[0].content[0].marks[0].attrs.href is missing"],
    [linked([]), "content.content[0].content[0].marks[0].attrs must be an object"],
    [linked({ href: 1 }), "content.content[0].content[0].marks[0].attrs.href must be a string"],
    [
      linked({ href: "/", target: "_top" }),
      "content.content[0].content[0].marks[0].attrs.target must be one of _blank, _self",
    ],
    [
      linked({ ref: { type: "products" } }),
      "content.content[0].content[0].marks[0].attrs.ref.id is missing",
    ],
    [
      doc(paragraph(text("x", { type: "bold" }, { type: "bold" }))),
      "content.content[0].content[0].marks[1].type must not occur twice",
    ],
    [
      doc(paragraph({ type: "text", text: "x", marks: {} })),
      "content.content[0].content[0].marks must be a list",
    ],
    [doc(paragraph(text(""))), "content.content[0].content[0].text must have at least 1 character"],
    [doc(paragraph({ type: "text" })), "content.content[0].content[0].text is missing"],
    [
      doc(paragraph({ type: "text", text: 1 })),
      "content.content[0].content[0].text must be a string",
    ],
    [doc(node("heading", { level: 7 })), "content.content[0].attrs.level must be at most 6"],
    [doc(node("heading", { level: 0 })), "content.content[0].attrs.level must be at least 1"],
    [doc(node("heading", { level: "1" })), "content.content[0].attrs.level must be a number"],
    [doc(node("heading", { level: 1.5 })), "content.content[0].attrs.level must be a whole number"],
    [doc(node("heading", "h1")), "content.content[0].attrs must be an object"],
    [
      doc(node("codeBlock", { language: "a b" })),
      "content.content[0].attrs.language must be a word such as ts or c++",
    ],
    [doc(node("image", {})), "content.content[0].attrs.asset_id is missing"],
    [doc(node("image", { asset_id: "lamp" })), "content.content[0].attrs.asset_id must be a UUID"],
    [
      doc(node("image", { src: "mailto:a@b.example" })),
      "content.content[0].attrs.src must be an address of http or https, or a relative one",
    ],
    [
      doc(node("orderedList", { start: -1 }), node("orderedList", { start: 1_000_001 })),
      "content.content[0].attrs.start must be at least 0",
      "content.content[1].attrs.start must be at most 1000000",
    ],
    [
      doc(node("tableCell", { colspan: 0, rowspan: 101 })),
      "content.content[0].attrs.colspan must be at least 1",
      "content.content[0].attrs.rowspan must be at most 100",
    ],
  ])("%j", (document, ...faults) => {
    expect(faultsOf(document)).toEqual(faults);
  });

  it("nodes in the wrong place", () => {
    expect(faultsOf(doc(text("x")))).toEqual([
      expect.stringMatching(/^content\.content\[0\]\.type must be one of paragraph, heading, /),
    ]);
    expect(faultsOf(doc(paragraph(paragraph())))).toEqual([
      "content.content[0].content[0].type must be one of text, hardBreak",
    ]);
    expect(faultsOf(doc(paragraph(node("image", { src: "/x.png" }))))).toEqual([
      "content.content[0].content[0].type must be one of text, hardBreak",
    ]);
    expect(faultsOf(doc(node("bulletList", null, paragraph())))).toEqual([
      "content.content[0].content[0].type must be listItem",
    ]);
    expect(faultsOf(doc(node("bulletList", null)))).toEqual([
      "content.content[0].content must have at least 1 entry",
    ]);
    expect(
      faultsOf(doc(node("bulletList", null, node("listItem", null, node("bulletList", null))))),
    ).toEqual(["content.content[0].content[0].content[0].type must be paragraph"]);
    expect(faultsOf(doc(node("horizontalRule", null, paragraph())))).toEqual([
      "content.content[0].content must be an empty list",
    ]);
    expect(faultsOf(doc(node("codeBlock", null, text("x", { type: "bold" }))))).toEqual([
      "content.content[0].content[0].marks must be an empty list",
    ]);
    expect(faultsOf(doc({ ...paragraph(), marks: [{ type: "bold" }] }))).toEqual([
      "content.content[0].marks must be an empty list",
    ]);
    expect(faultsOf(doc(node("blockquote", null), paragraph(), node("table", null)))).toEqual([
      "content.content[0].content must have at least 1 entry",
      "content.content[2].content must have at least 1 entry",
    ]);
    expect(faultsOf(doc(doc()))).toHaveLength(1);
  });

  it("names the path inside the field", () => {
    const { code, status, message, fields } = refusalOf(
      doc(node("script", null)),
      "blocks[3].content.text",
    );
    const field = "blocks[3].content.text.content[0].type";
    expect({ code, status, message, fields }).toEqual({
      code: "VALIDATION_ERROR",
      status: 422,
      message: `${field}: is not known here`,
      fields: [{ field, message: "is not known here" }],
    });
  });

  it.each(DOCUMENTS.map((document) => [document]))("the hostile document %j", (document) => {
    expect(refusalOf(document).code).toBe("VALIDATION_ERROR");
  });

  it("every other value is refused with an ApiError", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { status, fields } = refusalOf(value);
        expect(status).toBe(422);
        expect(fields[0]?.field).toMatch(/^content/);
      }),
    );
  });
});

describe("bounds", () => {
  const nested = (levels: number) => {
    let inner: unknown = paragraph();
    for (let i = 0; i < levels; i += 1) inner = node("blockquote", null, inner);
    return doc(inner);
  };
  it("40 levels of objects and lists", () => {
    // The document and its list, two levels for each quote, and the paragraph.
    expect(checked(nested(18))).toEqual(nested(18));
    expect(refusalOf(nested(19))).toMatchObject({
      code: "NESTING_TOO_DEEP",
      status: 400,
      message: "content is nested more than 40 levels deep.",
      fields: [{ field: "content" }],
    });
    expect(refusalOf(nested(100_000)).code).toBe("NESTING_TOO_DEEP");
  });

  it("levels of dropped attributes count too", () => {
    const list = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(refusalOf({ type: "doc", attrs: { x: list } }).code).toBe("NESTING_TOO_DEEP");
    expect(refusalOf(list).code).toBe("NESTING_TOO_DEEP");
  });

  it("10,000 nodes", () => {
    const wide = (nodes: number) => doc(...Array.from({ length: nodes - 1 }, () => paragraph()));
    expect(checked(wide(10_000)).content).toHaveLength(9_999);
    expect(faultsOf(wide(10_001))).toEqual(["content must have at most 10000 nodes"]);
  });
});

describe("addresses", () => {
  const everywhere = [
    "https://a.example",
    "http://a.example:8080/x?y=1&z=2#w",
    "HTTPS://A.EXAMPLE/",
    "https://пример.example/путь",
    "https://[2001:db8::1]/",
    "https://a.example/a:b,(c)//d?e=https://f.example",
    "/",
    "/shop/lamps?color=red&size=2",
    "/a:b",
    "#",
    "#chapter-2",
    "?page=2",
    "lamps",
    "lamps/red.html#top",
    "./lamps",
    "../lamps",
    "лампы/красные",
    "/می\u200cخواهم",
    "caf%C3%A9",
    "/%6Aavascript:x",
  ];
  it.each(everywhere)("%s is safe", (address) => {
    expect(isSafeHref(address)).toBe(true);
    expect(isSafeSrc(address)).toBe(true);
  });
  it.each([
    "mailto:a@b.example",
    "MAILTO:a@b.example?subject=x%20y",
    "mailto:?subject=x",
  ])("%s is safe for links", (address) => {
    expect(isSafeHref(address)).toBe(true);
    expect(isSafeSrc(address)).toBe(false);
  });
  it.each([...ADDRESSES, "tel:+43123", "sms:+43123", "x:y"])("%j is not safe", (address) => {
    expect(isSafeHref(address)).toBe(false);
    expect(isSafeSrc(address)).toBe(false);
    expect(refusalOf(linked({ href: address })).fields[0]?.field).toMatch(/attrs\.href$/);
    expect(refusalOf(doc(node("image", { src: address }))).fields[0]?.field).toMatch(/attrs\.src$/);
  });

  it("no safe address has another scheme in a browser", () => {
    const bits = [
      "java",
      "script",
      ":",
      "/",
      "\\",
      "\t",
      " ",
      "https",
      "data",
      "@",
      "&colon;",
      "x",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...bits), fc.string()), { maxLength: 8 }),
        (list) => {
          const address = list.join("");
          fc.pre(isSafeHref(address));
          const { protocol, host } = new URL(address, "https://shop.example/folder/page");
          if (/^[a-z]+:/i.test(address)) expect(["http:", "https:", "mailto:"]).toContain(protocol);
          else expect(host).toBe("shop.example");
        },
      ),
    );
  });
});
