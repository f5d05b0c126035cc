import type { Caching, Component, PageType, TemplateContent } from "./template.ts";
import type { Localization } from "./translations.ts";

/** A template of a page: its own, or an included one. */
export interface Version {
  id: string;
  version: number;
  content: TemplateContent;
}

/** Everything that renders a page, as far as the caller may see it. The database returns it in one call. */
export interface Inputs {
  tenant_id: string;
  time_zone: string;
  template: {
    id: string | null;
    name: string;
    type: PageType;
    marketplace_id: string | null;
    caching: Caching | null;
  };
  version: number;
  /** Null for the built-in template. */
  content: TemplateContent | null;
  /** The parents, nearest first. */
  parents: Version[];
  /** All included templates, also indirect ones, by id. */
  includes: Record<string, Version & { parents: Version[] }>;
  components: Record<string, Component>;
  /** In order of preference. */
  localizations: Localization[];
  marketplace: Marketplace | null;
  product: Product | null;
  category: Category | null;
  language: string;
  languages: string[];
  assets: Record<string, ShownAsset>;
  /** The products of grids, by the id of the block; in an included template by `<template>/<block>`. */
  products: Record<string, Product[]>;
  /** The role of the reader, or `visitor`. A reader of a preview without a session counts as a customer. */
  role: string | null;
  /** Changes whenever any of the other inputs does. */
  key: string;
}

export interface Marketplace {
  id: string;
  name: string;
  description?: string | null;
  language: string;
  currency: string;
  domain?: string | null;
  branding?: {
    logo_url?: string;
    favicon_url?: string;
    colors?: Record<string, string>;
    hosts?: string[];
  } | null;
  seo?: {
    title?: string;
    description?: string;
    keywords?: string[];
    canonical_url?: string;
    meta_tags?: Record<string, string>;
    og_tags?: Record<string, string>;
  } | null;
}

export interface ShownAsset {
  url: string;
  srcset?: string | null;
  width?: number | null;
  height?: number | null;
  alt?: string | null;
}

export interface Product {
  id: string;
  name: string;
  slug: string;
  description?: string;
  /** HTML that the database has reduced to allowed elements. */
  description_html?: string | null;
  price: number;
  currency: string;
  images?: (ShownAsset & { alt?: string })[];
  brand?: string | null;
  variants?: { name: string; sku?: string | null; price: number; inventory?: Stock }[];
  inventory?: Stock;
  track_inventory?: boolean;
  status?: string;
  [field: string]: unknown;
}

interface Stock {
  quantity: number;
  reserved: number;
}

export interface Category {
  id: string;
  name: string;
  parent_id?: string | null;
  [field: string]: unknown;
}

/** The context of a request for a page. */
export interface RenderContext {
  language?: string;
  device?: "mobile" | "tablet" | "desktop";
  marketplace_id?: string;
  product_id?: string;
  category_id?: string;
  version?: number;
  preview?: string;
}
