import { type ComponentChild, h } from "preact";

/** A part of a parsed HTML text: a text or an element. Comments are left out. */
export type HtmlNode = string | HtmlElement;

export interface HtmlElement {
  tag: string;
  attributes: Record<string, string>;
  children: HtmlNode[];
}

/** Reads an HTML text into a tree. The browser and the server have different parsers. */
export type ParseHtml = (html: string) => HtmlNode[];

/** The first element of a tree that a test accepts. */
export function findElement(
  nodes: readonly HtmlNode[],
  isWanted: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  for (const node of nodes) {
    if (typeof node === "string") continue;
    const found = isWanted(node) ? node : findElement(node.children, isWanted);
    if (found) return found;
  }
  return undefined;
}

/** Attributes that hold if they are there. Preact would read their empty value as false. */
const SWITCHES = new Set(
  "checked controls disabled hidden itemscope loop multiple muted novalidate open readonly required reversed selected".split(
    " ",
  ),
);
/** Attributes that mean something else to Preact, and `style`, which the policy of the page refuses. */
const LEFT_OUT = new Set(["children", "key", "ref", "style"]);
/** The value of a field is the visitor's once the field is shown. */
const FIRST_VALUES: Record<string, string> = { checked: "defaultChecked", value: "defaultValue" };

function propsOf({ tag, attributes }: HtmlElement): Record<string, unknown> {
  const props = Object.entries(attributes)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => [
      (tag === "input" && FIRST_VALUES[name]) || name,
      SWITCHES.has(name) ? true : value,
    ]);
  return Object.fromEntries(props);
}

/** Shows a tree. `instead` returns what is shown in place of an element, or undefined. */
export function showHtml(
  nodes: readonly HtmlNode[],
  instead: (element: HtmlElement) => ComponentChild,
): ComponentChild[] {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const other = instead(node);
    if (other !== undefined) return other;
    const { tag, children } = node;
    // Scripts hold data. Their text is not escaped.
    if (tag === "script") {
      return h(tag, { ...propsOf(node), dangerouslySetInnerHTML: { __html: children.join("") } });
    }
    return h(tag, propsOf(node), showHtml(children, instead));
  });
}
