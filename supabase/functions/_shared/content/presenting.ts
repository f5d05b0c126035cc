import { isObject } from "../values/depth.ts";
import { htmlOf, type Resolve } from "./html.ts";
import type { RichText } from "./rich_text.ts";
import { type Content, content } from "./schema.ts";

/** A record as the database returns it, with the addresses of its links. */
export type StoredContent = Content & { links?: Record<string, string | null> };

/**
 * A record as the API returns it: with rich texts as HTML, or, for readers, with resolved links. A link whose target is not
 * published is removed.
 */
export function presented(
  { links = {}, ...record }: StoredContent,
  format: "json" | "html",
): Content {
  const resolve: Resolve = {
    asset: (id) => {
      const { url, srcset, width, height, alt } = record.assets[id] ?? {};
      return url === undefined
        ? undefined
        : {
            url,
            alt,
            srcset: srcset ?? undefined,
            width: width ?? undefined,
            height: height ?? undefined,
          };
    },
    link: ({ type, id }) => links[`${type}/${id}`] ?? undefined,
  };
  const rendered = (text: unknown) => {
    // A wrong stored value must not pass as HTML.
    if (!isRichText(text)) return null;
    if (format === "html") return htmlOf(text, resolve);
    // Editors save the text again, so their links stay as they are.
    return record.is_draft ? text : withLinks(text, resolve);
  };
  return content.parse({
    ...record,
    content: rendered(record.content),
    blocks: record.blocks.map((block) =>
      block.type === "text" && block.content
        ? { ...block, content: { ...block.content, text: rendered(block.content.text) } }
        : block,
    ),
  });
}

const isRichText = (value: unknown): value is RichText => isObject(value) && value.type === "doc";

/** A text in which links to content, products and categories have an address, or are removed. */
function withLinks<Node extends RichText["content"] extends (infer N)[] | undefined ? N : never>(
  node: Node,
  resolve: Resolve,
): Node {
  return {
    ...node,
    ...(node.content && { content: node.content.map((child) => withLinks(child, resolve)) }),
    ...(node.marks && {
      marks: node.marks.flatMap((mark) => {
        const ref = mark.attrs?.ref as { type: string; id: string } | undefined;
        if (!ref) return [mark];
        const href = resolve.link(ref);
        return href === undefined ? [] : [{ ...mark, attrs: { ...mark.attrs, href } }];
      }),
    }),
  };
}
