import type { Caching, Component, PageType, TemplateContent } from "./template.ts";
import type { Localization } from "./translations.ts";

/** A template of a page, its own or one that it includes. */
export interface Version {
  id: string;
  version: number;
  content: TemplateContent;
}

/** All that a page is made of, as the database tells it in one answer: what of it the caller may see. */
export interface Inputs {
  template: {
    id: string | null;
    name: string;
    type: PageType;
    marketplace_id: string | null;
    caching: Caching | null;
  };
  version: number;
  /** Null where nobody has made a template of this type: then the built-in one is shown. */
  content: TemplateContent | null;
  /** What it inherits from, nearest first. */
  parents: Version[];
  /** By their ids, those that these include among them. */
  includes: Record<string, Version & { parents: Version[] }>;
  components: Record<string, Component>;
  /** Nearest to the language that was asked for first. */
  localizations: Localization[];
  marketplace: Marketplace | null;
  product: Product | null;
  category: Category | null;
  language: string;
  languages: string[];
  assets: Record<string, ShownAsset>;
  /** What product grids show, by the ids of their blocks; of an included template by `<template>/<block>`. */
  products: Record<string, Product[]>;
  /** Null for who is not signed in. */
  role: string | null;
  /** Changes whenever any of this does. */
  key: string;
}

export interface Marketplace {
  id: string;
  name: string;
  description?: string | null;
  language: string;
  currency: string;
  domain?: string | null;
  branding?: { logo_url?: string; favicon_url?: string; colors?: Record<string, string> } | null;
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
  description?: string;
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

/** What a page is asked for beside its variables. */
export interface RenderContext {
  language?: string;
  device?: "mobile" | "tablet" | "desktop";
  marketplace_id?: string;
  product_id?: string;
  category_id?: string;
  version?: number;
  preview?: string;
}
