import type { Scope } from "./conditions.ts";
import type { Inputs } from "./inputs.ts";
import type { Page } from "./liquid.ts";
import type { Reach } from "./reaching.ts";

/** A page while it is made: what its parts share. */
export interface Rendering {
  inputs: Inputs;
  page: Page;
  reach: Reach;
  /** What its texts see by name. */
  scope: Scope;
  /** The styles of each class, in the sequence in which they were first needed. */
  styles: Map<string, string>;
  /** Where it is at the moment, for warnings and mistakes. */
  place: { section?: string; block?: string };
  /** How many templates stand around this one, each included by the next. */
  depth: number;
  /** What stands before the ids of its blocks where the products of their grids are kept. */
  grids: string;
  /** How many sources have been read. */
  sources: { read: number };
}
