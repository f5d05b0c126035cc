import { isObject } from "../http/depth.ts";
import { htmlOf, type Resolve } from "./html.ts";
import type { RichText } from "./rich_text.ts";
import { type Content, content } from "./schema.ts";

/** A record as the database answers it: beside it, where its links lead. */
export type StoredContent = Content & { links?: Record<string, string | null> };

/**
 * A record as it is answered: with rich texts as HTML, or, for readers, with their links resolved. One whose target is
 * not published is none.
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
  const drawn = (text: unknown) => {
    // Nobody takes for HTML what is none.
    if (!isRichText(text)) return null;
    if (format === "html") return htmlOf(text, resolve);
    // Editors go on writing: a link of theirs stays what it is.
    return record.is_draft ? text : withLinks(text, resolve);
  };
  return content.parse({
    ...record,
    content: drawn(record.content),
    blocks: record.blocks.map((block) =>
      block.type === "text" && block.content
        ? { ...block, content: { ...block.content, text: drawn(block.content.text) } }
        : block,
    ),
  });
}

const isRichText = (value: unknown): value is RichText => isObject(value) && value.type === "doc";

/** The same text in which links to content, products and categories say where they lead, or are gone. */
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
