import type { compile } from "css-select";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter } from "parse5";

// An adapter of the tree of parse5 for css-select.

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.Node;

type Adapter = NonNullable<NonNullable<Parameters<typeof compile<Node, Element>>[1]>["adapter"]>;

const isElement = (node: Node): node is Element => defaultTreeAdapter.isElementNode(node);
const childrenOf = (node: Node): Node[] => ("childNodes" in node ? node.childNodes : []);

/** The value of an attribute; undefined if the element does not have it. */
export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((one) => one.name === name)?.value;
}

/** Sets an attribute of an element. */
export function setAttribute({ attrs }: Element, name: string, value: string): void {
  const found = attrs.find((one) => one.name === name);
  if (found) found.value = value;
  else attrs.push({ name, value });
}

/** All elements below a node, parents first. */
export function* elementsIn(node: Node): Generator<Element> {
  for (const child of childrenOf(node)) {
    if (isElement(child)) yield child;
    yield* elementsIn(child);
  }
}

/** The interface of css-select to the tree. */
export const ADAPTER: Adapter = {
  isTag: isElement,
  getAttributeValue: attributeOf,
  getChildren: childrenOf,
  getName: ({ tagName }) => tagName,
  getParent: ({ parentNode }) => parentNode,
  getSiblings: (node) =>
    "parentNode" in node && node.parentNode ? node.parentNode.childNodes : [node],
  // CSS has no selectors for texts.
  getText: () => "",
  hasAttrib: (element, name) => attributeOf(element, name) !== undefined,
  removeSubsets: (nodes) => nodes,
};
