import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

// The rules for our HTML, checked with a real HTML parser. They are independent of the renderer.

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const NONE: string[] = [];
const ELEMENTS: Record<string, string[]> = {
  a: ["href", "target", "rel"],
  img: ["src", "srcset", "width", "height", "alt", "title", "loading"],
  ol: ["start"],
  th: ["colspan", "rowspan"],
  td: ["colspan", "rowspan"],
  code: ["class"],
  ...Object.fromEntries(
    ["p", "ul", "li", "blockquote", "pre", "br", "hr", "table", "tbody", "tr"].map((n) => [
      n,
      NONE,
    ]),
  ),
  ...Object.fromEntries(
    ["h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "u"].map((n) => [n, NONE]),
  ),
};

const PAGE = "https://shop.example/folder/page";

/** The faults of HTML: forbidden elements, attributes and addresses. */
export function faultsIn(html: string): string[] {
  return parseFragment(html).childNodes.flatMap(faultsOf);
}

/** The text of HTML, as a reader sees it. */
export function wordsIn(html: string): string {
  return parseFragment(html).childNodes.map(wordsOf).join("");
}

/** The attributes of all elements with a name. */
export function elementsIn(html: string, name: string): Record<string, string>[] {
  return parseFragment(html)
    .childNodes.flatMap(elementsOf)
    .filter(({ tagName }) => tagName === name)
    .map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])));
}

function elementsOf(node: Node): Element[] {
  return "tagName" in node ? [node, ...node.childNodes.flatMap(elementsOf)] : [];
}

function wordsOf(node: Node): string {
  if ("tagName" in node) return node.childNodes.map(wordsOf).join("");
  return "value" in node ? node.value : "";
}

function faultsOf(node: Node): string[] {
  if (node.nodeName === "#text") return [];
  if (!("tagName" in node)) return [`a ${node.nodeName}`];
  const { tagName, namespaceURI, attrs, childNodes } = node;
  const mayHave = Object.hasOwn(ELEMENTS, tagName) ? ELEMENTS[tagName] : undefined;
  if (!mayHave || namespaceURI !== "http://www.w3.org/1999/xhtml") return [`<${tagName}>`];
  const faults = attrs
    .filter(({ name, value }) => !mayHave.includes(name) || !isRight(tagName, name, value))
    .map(({ name, value }) => `<${tagName} ${name}="${value}">`);
  const { target, rel = "" } = Object.fromEntries(attrs.map(({ name, value }) => [name, value]));
  if (target === "_blank" && !rel.split(" ").includes("noopener")) faults.push("an opener");
  return [...faults, ...childNodes.flatMap(faultsOf)];
}

function isRight(element: string, name: string, value: string): boolean {
  switch (name) {
    case "href":
      return leadsTo(value, ["http:", "https:", "mailto:"]);
    case "src":
      return leadsTo(value, ["http:", "https:"]);
    case "srcset":
      return value
        .split(",")
        .every((one) => leadsTo(one.trim().split(" ")[0] as string, ["http:", "https:"]));
    case "target":
      return value === "_blank" || value === "_self";
    case "rel":
      return /^[a-z -]+$/.test(value) && !value.split(" ").includes("opener");
    case "class":
      return element === "code" && /^language-[\w+#.-]+$/.test(value);
    case "start":
    case "width":
    case "height":
    case "colspan":
    case "rowspan":
      return /^\d+$/.test(value);
    default:
      return true;
  }
}

/** Whether a browser follows an address with an allowed scheme, and leaves the site only if the address shows it. */
function leadsTo(address: string, schemes: string[]): boolean {
  const { protocol, host } = new URL(address, PAGE);
  return (
    schemes.includes(protocol) &&
    (host === "shop.example" || /^(https?:\/\/|mailto:)/i.test(address))
  );
}
