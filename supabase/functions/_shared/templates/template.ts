// The content of templates as the database stores it.

export interface TemplateContent {
  layout?: Layout | null;
  /** The ids of the sections in the sidebar, if the layout has one. */
  sidebar?: string[] | null;
  sections?: Section[];
  variables?: Variable[];
  bindings?: Binding[];
  inheritance?: Inheritance | null;
  /** CSS for this page only. */
  styles?: string | null;
}

export const PAGE_TYPES = [
  "homepage",
  "category",
  "product",
  "checkout",
  "profile",
  "search_results",
] as const;
export type PageType = (typeof PAGE_TYPES)[number];

export type Layout = "default" | "full_width" | "sidebar_left" | "sidebar_right";

export interface Section {
  id: string;
  name?: string;
  order?: number;
  blocks: Block[];
  conditions?: RenderCondition[] | null;
  responsive?: ResponsiveRule[] | null;
}

export interface Block {
  id: string;
  name?: string;
  type: "static_content" | "dynamic_content" | "component" | "widget" | "include" | "conditional";
  /** If the block fails, the page fails. Otherwise the block is left out. */
  required?: boolean;
  content: unknown;
  settings?: { element?: string | null; class?: string | null; label?: string | null } | null;
  permissions?: { roles?: string[] | null } | null;
}

/** The content of a block by its type, if it is not a text. */
export interface ComponentUse {
  component_id: string;
  props?: Record<string, unknown> | null;
  variant?: string | null;
}
export interface Conditional {
  expression: Expression;
  then: Block[];
  else?: Block[] | null;
}
export interface Widget {
  widget: string;
  [field: string]: unknown;
}

export interface Variable {
  name: string;
  type: "string" | "number" | "boolean" | "array" | "object" | "image" | "color" | "date";
  default_value?: unknown;
  required?: boolean;
  description?: string | null;
  validation?: Validation | null;
}

export interface Validation {
  min?: number | string | null;
  max?: number | string | null;
  min_length?: number | null;
  max_length?: number | null;
  pattern?: string | null;
  options?: unknown[] | null;
}

export interface Binding {
  variable: string;
  source: {
    type: "api" | "database" | "static" | "computed";
    endpoint?: string;
    query?: string;
    value?: unknown;
    formula?: string;
  };
  transformation?: string | null;
  caching?: { duration?: number | null } | null;
}

export type Operator =
  | "equals"
  | "not_equals"
  | "greater_than"
  | "less_than"
  | "contains"
  | "exists";

export interface Comparison {
  variable: string;
  operator: Operator;
  value?: unknown;
  logic?: "AND" | "OR" | null;
}

export type Expression =
  | Comparison
  | { operator: "AND" | "OR" | "NOT"; conditions: Expression[] }
  | Comparison[];

export interface RenderCondition {
  id?: string | null;
  expression: Expression;
  action: "show" | "hide";
}

export interface ResponsiveRule {
  breakpoint: Device;
  styles?: Record<string, string> | null;
  visibility?: { show_on?: Device[] | null; hide_on?: Device[] | null } | null;
}

export type Device = "mobile" | "tablet" | "desktop";

export interface Inheritance {
  parent_id: string;
  overrides?: Override[] | null;
  extensions?: Section[] | null;
}

export interface Override {
  block_id: string;
  action: "replace" | "extend" | "prepend" | "append";
  content: unknown;
}

/** A component as the database stores it. */
export interface Component {
  id: string;
  name: string;
  content: string;
  props?: Variable[] | null;
  styles?: string | null;
  variants?: Variant[] | null;
  responsive?: ResponsiveRule[] | null;
}

export interface Variant {
  name: string;
  props?: Record<string, unknown> | null;
  styles?: string | null;
  content?: string | null;
}

export interface Caching {
  strategy: "memory" | "redis" | "filesystem" | "cdn";
  /** In seconds. */
  duration: number;
  invalidation?: string[] | null;
  compression?: boolean | null;
}

/** A problem that does not prevent the page from being shown. */
export interface Warning {
  code: string;
  message: string;
  section?: string;
  block?: string;
}
