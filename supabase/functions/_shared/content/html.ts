import type { z } from "@hono/zod-openapi";
import { escapeToBuffer } from "hono/utils/html";
import { isObject, RICH_TEXT_LEVELS } from "../values/depth.ts";
import { isSafeHref, isSafeSrc } from "../values/links.ts";
import type { RichText } from "./rich_text.ts";
import { ATTRIBUTES, type Attributed, MARKS, type Ref, relationsOf } from "./rich_text_schema.ts";

/** A media asset as readers see it. */
export interface Asset {
  url: string;
  srcset?: string;
  width?: number;
  height?: number;
  alt?: string;
}

/** Resolves the ids in a document. undefined: the reader may not see the record. */
export interface Resolve {
  asset(id: string): Asset | undefined;
  link(ref: Ref): string | undefined;
}

/**
 * A document as HTML. The HTML is safe even if the document was never checked: only the elements and attributes in this file
 * are written, texts are escaped, and addresses are checked again. An unknown node is left out and its content stays.
 */
export function htmlOf(doc: RichText, resolve: Resolve): string {
  return htmlOfNode(doc, resolve, 0);
}

/** A node takes two levels: itself and its list of nodes. */
const NODES_IN_ONE_ANOTHER = RICH_TEXT_LEVELS / 2;

function htmlOfNode(node: unknown, resolve: Resolve, depth: number): string {
  if (!isObject(node) || depth > NODES_IN_ONE_ANOTHER) return "";
  const { type, attrs, content, text } = node;
  if (type === "text") return typeof text === "string" ? marked(text, node.marks, resolve) : "";
  const inner = Array.isArray(content)
    ? content.map((child) => htmlOfNode(child, resolve, depth + 1)).join("")
    : "";
  return NODES.get(type)?.(inner, attrs, resolve) ?? inner;
}

/** A text inside its marks, in the order of the schema. */
function marked(text: string, marks: unknown, resolve: Resolve): string {
  const sent = Array.isArray(marks) ? marks.filter(isObject) : [];
  return MARKS.toReversed().reduce((inner, type) => {
    const mark = sent.find((one) => one.type === type);
    return (mark && MARK_RENDERERS.get(type)?.(inner, mark.attrs, resolve)) ?? inner;
  }, escaped(text));
}

type Render = (inner: string, attrs: unknown, resolve: Resolve) => string;

const NODES = new Map<unknown, Render>([
  ["paragraph", (inner) => element("p", {}, inner)],
  ["heading", (inner, attrs) => element(`h${kept("heading", attrs).level ?? 1}`, {}, inner)],
  ["bulletList", (inner) => element("ul", {}, inner)],
  ["orderedList", (inner, attrs) => element("ol", kept("orderedList", attrs), inner)],
  ["listItem", (inner) => element("li", {}, inner)],
  ["blockquote", (inner) => element("blockquote", {}, inner)],
  ["codeBlock", codeBlock],
  ["hardBreak", () => element("br")],
  ["horizontalRule", () => element("hr")],
  ["image", image],
  ["table", (inner) => element("table", {}, element("tbody", {}, inner))],
  ["tableRow", (inner) => element("tr", {}, inner)],
  ["tableHeader", (inner, attrs) => element("th", kept("tableHeader", attrs), inner)],
  ["tableCell", (inner, attrs) => element("td", kept("tableCell", attrs), inner)],
]);

const MARK_RENDERERS = new Map<unknown, Render>([
  ["link", link],
  ["bold", (inner) => element("strong", {}, inner)],
  ["italic", (inner) => element("em", {}, inner)],
  ["strike", (inner) => element("s", {}, inner)],
  ["underline", (inner) => element("u", {}, inner)],
  ["code", (inner) => element("code", {}, inner)],
]);

function codeBlock(inner: string, attrs: unknown): string {
  const { language } = kept("codeBlock", attrs);
  return element("pre", {}, element("code", { class: language && `language-${language}` }, inner));
}

function image(_: string, attrs: unknown, resolve: Resolve): string {
  const { asset_id, src, alt, title } = kept("image", attrs);
  const asset = asset_id === undefined ? src && { url: src } : resolve.asset(asset_id);
  if (!asset || !isSafeSrc(asset.url)) return "";
  const { url, srcset, width, height, alt: described } = asset;
  return element("img", {
    src: url,
    srcset: srcset && isSafeSrcset(srcset) ? srcset : undefined,
    width,
    height,
    alt: alt ?? described ?? "",
    title,
    loading: "lazy",
  });
}

const CANDIDATE = /^(\S+)(?: [\d.]+[wx])?$/;

/** Whether a srcset is a list of safe addresses, each with a width or density. */
function isSafeSrcset(srcset: string): boolean {
  return srcset.split(",").every((one) => isSafeSrc(CANDIDATE.exec(one.trim())?.[1] ?? ""));
}

function link(inner: string, attrs: unknown, resolve: Resolve): string {
  const { href, ref, target, rel = "" } = kept("link", attrs);
  const address = ref ? resolve.link(ref) : href;
  if (address === undefined || !isSafeHref(address)) return inner;
  // Without noopener, a page in a new window could control this one.
  const relations = new Set([...relationsOf(rel), ...(target === "_blank" ? ["noopener"] : [])]);
  return element("a", { href: address, target, rel: [...relations].join(" ") || undefined }, inner);
}

/** The valid attributes. Each is checked separately. */
function kept<T extends Attributed>(
  type: T,
  sent: unknown,
): Partial<z.output<(typeof ATTRIBUTES)[T]>> {
  const checked = Object.entries(ATTRIBUTES[type].shape).map(([name, schema]) => [
    name,
    schema.safeParse(isObject(sent) ? (sent[name] ?? undefined) : undefined).data,
  ]);
  return Object.fromEntries(checked);
}

/** An element with escaped attributes. Without `inner` it is a void element. */
export function element(
  name: string,
  attributes: Record<string, string | number | undefined> = {},
  inner?: string,
): string {
  const set = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const start = `<${name}${set.join("")}>`;
  return inner === undefined ? start : `${start}${inner}</${name}>`;
}

/** A text, escaped for HTML. */
export function escaped(text: string): string {
  const buffer: [string] = [""];
  escapeToBuffer(text, buffer);
  return buffer[0];
}
