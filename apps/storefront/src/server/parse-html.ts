import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import type { HtmlNode, ParseHtml } from "../ui/html";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Reads HTML as browsers do. */
export const parseHtml: ParseHtml = (html) => nodesOf(parseFragment(html).childNodes);

const nodesOf = (nodes: readonly Node[]): HtmlNode[] =>
  nodes.flatMap((node): HtmlNode[] => {
    if ("value" in node) return [node.value];
    if (!("tagName" in node)) return [];
    const attributes = node.attrs.map(({ prefix, name, value }) => [
      prefix ? `${prefix}:${name}` : name,
      value,
    ]);
    return [
      {
        tag: node.tagName,
        attributes: Object.fromEntries(attributes),
        children: nodesOf(node.childNodes),
      },
    ];
  });
