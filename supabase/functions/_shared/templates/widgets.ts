import { type Asset, element, escaped, htmlOf, type Resolve } from "../content/html.ts";
import type { RichText } from "../content/rich_text.ts";
import type { Locale } from "../liquid/formats.ts";
import { TemplateMistake } from "../liquid/mistakes.ts";
import { isObject } from "../values/depth.ts";
import { isSafeHref, isSafeSrc } from "../values/links.ts";
import type { Product } from "./inputs.ts";
import type { Widget } from "./template.ts";

/** The records that widgets show beside their content. */
export interface Shown {
  asset(id: string): Asset | undefined;
  products: readonly Product[];
  locale: Locale;
}

/**
 * Renders a block type of content. Its texts are escaped, and its addresses are checked. Errors: TemplateMistake if there is
 * no such widget.
 */
export function widgetHtml({ widget, ...content }: Widget, shown: Shown): string {
  const draw = WIDGETS.get(widget);
  if (!draw) throw new TemplateMistake(`There is no widget ${widget}.`);
  return draw(content, shown);
}

type Draw = (content: Record<string, unknown>, shown: Shown) => string;

const WIDGETS = new Map<string, Draw>([
  ["text", ({ text }, shown) => (isRichText(text) ? htmlOf(text, resolving(shown)) : "")],
  ["image", (content, shown) => figure(content, shown)],
  ["video", video],
  ["gallery", gallery],
  ["product_grid", (_, shown) => productGrid(shown)],
  ["banner", banner],
  ["testimonials", testimonials],
]);

const isRichText = (value: unknown): value is RichText => isObject(value) && value.type === "doc";

/** Links to products and categories use the paths of the shop. A reader without access finds nothing there. */
function resolving(shown: Shown): Resolve {
  return {
    asset: shown.asset,
    link: ({ type, id }) =>
      type === "products" || type === "categories"
        ? `/${type}/${encodeURIComponent(id)}`
        : undefined,
  };
}

/** An image as rich texts show it, with its size, srcset and lazy loading. */
function picture({ asset_id, alt, title }: Record<string, unknown>, shown: Shown): string {
  const doc = { type: "doc", content: [{ type: "image", attrs: { asset_id, alt, title } }] };
  return htmlOf(doc as RichText, resolving(shown));
}

function figure(content: Record<string, unknown>, shown: Shown): string {
  const image = picture(content, shown);
  return image && element("figure", { class: "souk-image" }, image);
}

function video({ asset_id, title }: Record<string, unknown>, { asset }: Shown): string {
  const { url } = (typeof asset_id === "string" && asset(asset_id)) || {};
  if (url === undefined || !isSafeSrc(url)) return "";
  const named = text(title) ?? undefined;
  const player = element(
    "video",
    { class: "souk-video", src: url, controls: "", preload: "metadata", "aria-label": named },
    "",
  );
  return element("figure", {}, player);
}

function gallery({ images }: Record<string, unknown>, shown: Shown): string {
  const items = objectsIn(images)
    .map((image) => picture(image, shown))
    .filter(Boolean)
    .map((image) => element("li", {}, image));
  return items.length > 0 ? element("ul", { class: "souk-gallery" }, items.join("")) : "";
}

function banner(content: Record<string, unknown>, shown: Shown): string {
  const { title, text: words, href } = content;
  const inner = [
    typeof content.asset_id === "string" ? picture({ ...content, title: undefined }, shown) : "",
    text(title) ? element("h2", {}, escaped(text(title) ?? "")) : "",
    text(words) ? element("p", {}, escaped(text(words) ?? "")) : "",
  ].join("");
  if (!inner) return "";
  const address = text(href);
  return address && isSafeHref(address)
    ? element("a", { class: "souk-banner", href: address }, inner)
    : element("div", { class: "souk-banner" }, inner);
}

function testimonials({ items }: Record<string, unknown>): string {
  const quotes = objectsIn(items).map(({ author, text: words }) => {
    const caption = element("figcaption", {}, escaped(text(author) ?? ""));
    const quote = element("blockquote", {}, element("p", {}, escaped(text(words) ?? "")));
    return element("figure", {}, quote + caption);
  });
  return quotes.length > 0 ? element("div", { class: "souk-testimonials" }, quotes.join("")) : "";
}

function productGrid({ products, locale }: Shown): string {
  const items = products.map((product) => element("li", {}, productCard(product, locale)));
  return items.length > 0 ? element("ul", { class: "souk-products" }, items.join("")) : "";
}

function productCard({ slug, name, price, currency, images }: Product, locale: Locale): string {
  const [image] = images ?? [];
  const shown =
    image && isSafeSrc(image.url)
      ? element("img", {
          src: image.url,
          alt: image.alt ?? "",
          width: image.width ?? undefined,
          height: image.height ?? undefined,
          loading: "lazy",
        })
      : "";
  const inner =
    shown +
    element("span", { class: "souk-product-name" }, escaped(name)) +
    element("span", { class: "souk-product-price" }, escaped(locale.money(price, currency)));
  return element("a", { href: `/products/${encodeURIComponent(slug)}` }, inner);
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const objectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
