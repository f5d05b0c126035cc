import type { compile } from "css-select";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter } from "parse5";

// The tree of HTML that parse5 makes, as selectors are tried on it.

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.Node;

type Adapter = NonNullable<NonNullable<Parameters<typeof compile<Node, Element>>[1]>["adapter"]>;

const isElement = (node: Node): node is Element => defaultTreeAdapter.isElementNode(node);
const childrenOf = (node: Node): Node[] => ("childNodes" in node ? node.childNodes : []);

/** An attribute's value; undefined where the element lacks it. */
export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((one) => one.name === name)?.value;
}

/** Gives an element an attribute, or another value of one. */
export function setAttribute({ attrs }: Element, name: string, value: string): void {
  const found = attrs.find((one) => one.name === name);
  if (found) found.value = value;
  else attrs.push({ name, value });
}

/** All elements below a node, each before those that stand in it. */
export function* elementsIn(node: Node): Generator<Element> {
  for (const child of childrenOf(node)) {
    if (isElement(child)) yield child;
    yield* elementsIn(child);
  }
}

/** What css-select asks of a tree. */
export const ADAPTER: Adapter = {
  isTag: isElement,
  getAttributeValue: attributeOf,
  getChildren: childrenOf,
  getName: ({ tagName }) => tagName,
  getParent: ({ parentNode }) => parentNode,
  getSiblings: (node) =>
    "parentNode" in node && node.parentNode ? node.parentNode.childNodes : [node],
  // Selectors that ask for a text are none of CSS.
  getText: () => "",
  hasAttrib: (element, name) => attributeOf(element, name) !== undefined,
  removeSubsets: (nodes) => nodes,
};
