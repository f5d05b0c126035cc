import type { HtmlNode, ParseHtml } from "./html";

/** Reads HTML with the parser of the browser. The pictures in it are not loaded yet. */
export const parseHtml: ParseHtml = (html) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  return nodesOf(template.content);
};

function nodesOf({ childNodes }: Node): HtmlNode[] {
  return [...childNodes].flatMap((node): HtmlNode[] => {
    if (node instanceof Text) return [node.data];
    if (!(node instanceof Element)) return [];
    const attributes = [...node.attributes].map(({ name, value }) => [name, value]);
    return [
      {
        tag: node.localName,
        attributes: Object.fromEntries(attributes),
        children: nodesOf(node),
      },
    ];
  });
}
