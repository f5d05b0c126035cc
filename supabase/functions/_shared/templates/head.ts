import { isObject } from "../values/depth.ts";
import { isSafeSrc } from "../values/links.ts";
import { parseUrl } from "../values/urls.ts";
import type { Scope } from "./conditions.ts";
import type { Inputs, Marketplace, Product } from "./inputs.ts";
import type { Translate } from "./translations.ts";

/** The metadata of a page, for the `head` of a document. */
export interface Head {
  title: string;
  meta: { name: string; content: string }[];
  open_graph: Record<string, string>;
  json_ld: object[];
  links: { rel: string; href: string; hreflang?: string }[];
}

/** Makes the head of a page. `scope` has the bound values, for lists of products and breadcrumbs. */
export function headOf(inputs: Inputs, scope: Scope, translate: Translate): Head {
  const { marketplace, language } = inputs;
  const { title, description, image } = subjectOf(inputs, translate);
  const address = addressOf(inputs);
  const site = marketplace?.name;
  const robots = isPrivate(inputs) ? [{ name: "robots", content: "noindex" }] : [];
  const described = description ? [{ name: "description", content: description }] : [];
  return {
    title: site && site !== title ? `${title} – ${site}` : title,
    meta: [...described, ...robots, ...metaOf(marketplace)],
    open_graph: {
      "og:title": title,
      "og:type": inputs.product ? "product" : "website",
      "og:locale": language.replace("-", "_"),
      ...(description && { "og:description": description }),
      ...(site && { "og:site_name": site }),
      ...(address && { "og:url": address }),
      ...(image && { "og:image": image }),
      ...marketplace?.seo?.og_tags,
    },
    json_ld: jsonLdOf(inputs, scope, address),
    links: linksOf(inputs, address),
  };
}

interface Subject {
  title: string;
  description?: string;
  image?: string;
}

/** Titles of pages without a product or a category. */
const NAMES: Partial<Record<Inputs["template"]["type"], string>> = {
  checkout: "shop.checkout",
  profile: "shop.account",
  search_results: "shop.search",
};

function subjectOf(
  { template, marketplace, product, category }: Inputs,
  translate: Translate,
): Subject {
  const { seo, branding, name, description } = marketplace ?? {};
  const logo = branding?.logo_url;
  if (template.type === "product" && product) {
    const image = product.images?.[0]?.url ?? logo;
    return { title: product.name, description: shortened(product.description), image };
  }
  if (template.type === "category" && category) {
    return {
      title: category.name,
      description: seo?.description ?? description ?? "",
      image: logo,
    };
  }
  const called = NAMES[template.type];
  return {
    title: called ? translate(called) : (seo?.title ?? name ?? template.name),
    description: seo?.description ?? shortened(description ?? ""),
    image: logo,
  };
}

/** Longest description, in characters: search engines show about this much. */
const DESCRIPTION_CHARACTERS = 160;

function shortened(text = ""): string {
  const words = text.replace(/\s+/g, " ").trim();
  if (words.length <= DESCRIPTION_CHARACTERS) return words;
  const cut = words.slice(0, DESCRIPTION_CHARACTERS + 1);
  const end = cut.lastIndexOf(" ");
  // Cut between words, or between characters if there is no blank.
  return `${end > 0 ? cut.slice(0, end) : [...cut].slice(0, -1).join("")}…`;
}

/** Page types that search engines must not index: they are for one visitor or one search. */
const isPrivate = ({ template }: Inputs) =>
  ["checkout", "profile", "search_results"].includes(template.type);

function metaOf(marketplace: Marketplace | null): { name: string; content: string }[] {
  const { keywords, meta_tags } = marketplace?.seo ?? {};
  return [
    ...(keywords?.length ? [{ name: "keywords", content: keywords.join(", ") }] : []),
    ...Object.entries(meta_tags ?? {}).map(([name, content]) => ({ name, content })),
  ];
}

const PATHS: Record<string, string> = {
  homepage: "/",
  checkout: "/checkout",
  profile: "/profile",
  search_results: "/search",
};

/** The canonical address of the page; undefined if the marketplace has no domain. */
function addressOf(inputs: Inputs): string | undefined {
  const { template, product, category, marketplace } = inputs;
  const path =
    template.type === "product"
      ? product && `/products/${product.slug}`
      : template.type === "category"
        ? category && `/categories/${category.id}`
        : PATHS[template.type];
  const site = siteOf(marketplace);
  return path && site ? new URL(path, site).href : undefined;
}

function siteOf(marketplace: Marketplace | null): string | undefined {
  const { seo, domain } = marketplace ?? {};
  const address = seo?.canonical_url ?? (domain ? `https://${domain}/` : undefined);
  return address && isSafeSrc(address) && parseUrl(address) ? address : undefined;
}

function linksOf(inputs: Inputs, address: string | undefined): Head["links"] {
  const favicon = inputs.marketplace?.branding?.favicon_url;
  const icon = favicon && isSafeSrc(favicon) ? [{ rel: "icon", href: favicon }] : [];
  if (!address || isPrivate(inputs)) return icon;
  const original = inputs.marketplace?.language;
  const inLanguage = (language: string) => {
    const url = new URL(address);
    if (language !== original) url.searchParams.set("language", language);
    return url.href;
  };
  const languages = inputs.languages.length > 1 ? inputs.languages : [];
  return [
    { rel: "canonical", href: inLanguage(inputs.language) },
    ...languages.map((language) => ({
      rel: "alternate",
      href: inLanguage(language),
      hreflang: language,
    })),
    ...(languages.length > 0 ? [{ rel: "alternate", href: address, hreflang: "x-default" }] : []),
    ...icon,
  ];
}

const CONTEXT = { "@context": "https://schema.org" };

function jsonLdOf(inputs: Inputs, scope: Scope, address: string | undefined): object[] {
  const { template, product, marketplace, category } = inputs;
  const site = siteOf(marketplace);
  const crumbs = breadcrumbs(inputs, site);
  switch (template.type) {
    case "product":
      return product ? [productLd(product, address), ...crumbs] : [];
    case "category":
      return category ? [...listLd(scope.products, site), ...crumbs] : [];
    case "homepage":
      return [
        ...(marketplace ? [websiteLd(marketplace, site)] : []),
        ...listLd(scope.products, site),
      ];
    default:
      return [];
  }
}

function websiteLd({ name, language }: Marketplace, site: string | undefined): object {
  return {
    ...CONTEXT,
    "@type": "WebSite",
    name,
    inLanguage: language,
    ...(site && {
      url: site,
      potentialAction: {
        "@type": "SearchAction",
        target: `${new URL("/search", site).href}?query={search_term_string}`,
        "query-input": "required name=search_term_string",
      },
    }),
  };
}

function productLd(product: Product, address: string | undefined): object {
  const { name, description, images, brand, variants, price, currency } = product;
  const sku = variants?.find((variant) => variant.sku)?.sku;
  return {
    ...CONTEXT,
    "@type": "Product",
    name,
    ...(description && { description: shortened(description) }),
    ...(images?.length && { image: images.slice(0, 5).map(({ url }) => url) }),
    ...(brand && { brand: { "@type": "Brand", name: brand } }),
    ...(sku && { sku }),
    offers: {
      "@type": "Offer",
      price,
      priceCurrency: currency,
      availability: `https://schema.org/${isInStock(product) ? "InStock" : "OutOfStock"}`,
      ...(address && { url: address }),
    },
  };
}

function isInStock({ status, track_inventory, inventory }: Product): boolean {
  if (status === "out_of_stock") return false;
  return track_inventory === false || !inventory || inventory.quantity - inventory.reserved > 0;
}

const LISTED_AT_MOST = 24;

/** A list of products, as the API returns it, or its `products`. */
function listLd(products: unknown, site: string | undefined): object[] {
  const rows = isObject(products) ? products.products : products;
  if (!Array.isArray(rows) || rows.length === 0) return [];
  const items = rows.filter(isObject).slice(0, LISTED_AT_MOST);
  return [
    {
      ...CONTEXT,
      "@type": "ItemList",
      itemListElement: items.map(({ slug, id, name }, i) => ({
        "@type": "ListItem",
        position: i + 1,
        name,
        ...(site && { url: new URL(`/products/${slug ?? id}`, site).href }),
      })),
    },
  ];
}

function breadcrumbs(
  { template, product, category, marketplace }: Inputs,
  site: string | undefined,
): object[] {
  if (!site || !marketplace) return [];
  const steps = [
    { name: marketplace.name, path: "/" },
    ...(category ? [{ name: category.name, path: `/categories/${category.id}` }] : []),
    ...(template.type === "product" && product
      ? [{ name: product.name, path: `/products/${product.slug}` }]
      : []),
  ];
  return [
    {
      ...CONTEXT,
      "@type": "BreadcrumbList",
      itemListElement: steps.map(({ name, path }, i) => ({
        "@type": "ListItem",
        position: i + 1,
        name,
        item: new URL(path, site).href,
      })),
    },
  ];
}
