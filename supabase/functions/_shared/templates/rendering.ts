import type { Asset } from "../content/html.ts";
import type { Page } from "../liquid/engine.ts";
import type { Scope } from "./conditions.ts";
import type { Inputs } from "./inputs.ts";
import type { PatternWork } from "./pattern.ts";
import type { Reach } from "./reaching.ts";

/** The state of a page while it is rendered. */
export interface Rendering {
  inputs: Inputs;
  page: Page;
  reach: Reach;
  /** Whether an address may have values in it; undefined for built-in pages, which no tenant writes. */
  mayHoldValues: ((address: string) => boolean) | undefined;
  /** The values that its texts can read, by name. */
  scope: Scope;
  /** The styles by class, in the order of first use. */
  styles: Map<string, string>;
  /** The current section and block, for warnings and mistakes. */
  place: { section?: string; block?: string };
  /** Renders an included template. It is here because an included template has sections with blocks of its own. */
  include(id: string, rendering: Rendering): Promise<string>;
  /** Depth of includes. */
  depth: number;
  /** The prefix of block ids in the products of grids. */
  grids: string;
  /** The assets that were looked up while the page was rendered, by id. */
  lookups: Map<string, Promise<Asset | undefined>>;
  /** Number of sources read so far. */
  sources: { read: number };
  /** What the patterns of its variables may still cost. */
  patterns: PatternWork;
}
