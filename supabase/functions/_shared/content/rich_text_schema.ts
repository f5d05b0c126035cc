import { z } from "@hono/zod-openapi";
import { type AttributeSpec, Schema } from "prosemirror-model";
import { isSafeHref, isSafeSrc } from "../values/links.ts";

// The nodes and marks of a rich text. Names and content rules are TipTap's, so its editor and we accept each other's
// documents.

const RELATIONS = [
  "author",
  "bookmark",
  "external",
  "help",
  "license",
  "me",
  "next",
  "nofollow",
  "noopener",
  "noreferrer",
  "prev",
  "privacy-policy",
  "sponsored",
  "tag",
  "terms-of-service",
  "ugc",
];

/** The words in `rel` of a link. */
export function relationsOf(rel: string): string[] {
  return rel.toLowerCase().split(/\s+/).filter(Boolean);
}

const span = z.int().min(1).max(100).optional();
const cell = z.object({ colspan: span, rowspan: span });

const ref = z.object({ type: z.string().min(1).max(100), id: z.string().min(1).max(200) });

/** A record that a link leads to. Its address is resolved when the text is read. */
export type Ref = z.infer<typeof ref>;

/** The attributes of nodes and marks. All others have none. */
export const ATTRIBUTES = {
  heading: z.object({ level: z.int().min(1).max(6).default(1) }),
  orderedList: z.object({ start: z.int().min(0).max(1_000_000).optional() }),
  codeBlock: z.object({
    language: z
      .string()
      .regex(/^[A-Za-z0-9_+#.-]{1,50}$/, "must be a word such as ts or c++")
      .optional(),
  }),
  image: z
    .object({
      // Lower case, as Postgres writes ids.
      asset_id: z.guid().toLowerCase().optional(),
      src: z
        .string()
        .refine(isSafeSrc, "must be an address of http or https, or a relative one")
        .optional(),
      alt: z.string().optional(),
      title: z.string().optional(),
    })
    .refine(({ asset_id, src }) => asset_id ?? src, { path: ["asset_id"], error: "is missing" }),
  tableHeader: cell,
  tableCell: cell,
  link: z
    .object({
      href: z
        .string()
        .refine(isSafeHref, "must be an address of http, https or mailto, or a relative one")
        .optional(),
      ref: ref.optional(),
      target: z.enum(["_blank", "_self"]).optional(),
      rel: z
        .string()
        .refine(
          (rel) => relationsOf(rel).every((word) => RELATIONS.includes(word)),
          `must be of ${RELATIONS.join(", ")}`,
        )
        .optional(),
    })
    .refine(({ href, ref }) => href ?? ref, { path: ["href"], error: "is missing" }),
};

/** The name of a node or mark with attributes. */
export type Attributed = keyof typeof ATTRIBUTES;

export function hasAttributes(name: string): name is Attributed {
  return Object.hasOwn(ATTRIBUTES, name);
}

/** Declares the attributes to ProseMirror. ATTRIBUTES has the rules for their values. */
function carried(name: Attributed): { attrs: Record<string, AttributeSpec> } {
  const names = Object.keys(ATTRIBUTES[name].shape);
  return { attrs: Object.fromEntries(names.map((name) => [name, { default: null }])) };
}

export const schema = new Schema({
  nodes: {
    doc: { content: "block*" },
    paragraph: { group: "block", content: "inline*" },
    text: { group: "inline" },
    heading: { group: "block", content: "inline*", ...carried("heading") },
    bulletList: { group: "block", content: "listItem+" },
    orderedList: { group: "block", content: "listItem+", ...carried("orderedList") },
    listItem: { content: "paragraph block*" },
    blockquote: { group: "block", content: "block+" },
    codeBlock: { group: "block", content: "text*", marks: "", ...carried("codeBlock") },
    hardBreak: { group: "inline", inline: true },
    horizontalRule: { group: "block" },
    image: { group: "block", ...carried("image") },
    table: { group: "block", content: "tableRow+" },
    tableRow: { content: "(tableCell | tableHeader)*" },
    tableHeader: { content: "block+", ...carried("tableHeader") },
    tableCell: { content: "block+", ...carried("tableCell") },
  },
  // The first mark is outermost. Code may be bold, as in Markdown.
  marks: { link: carried("link"), bold: {}, italic: {}, strike: {}, underline: {}, code: {} },
});

/** The names of the marks, outermost first. */
export const MARKS = Object.keys(schema.marks);
