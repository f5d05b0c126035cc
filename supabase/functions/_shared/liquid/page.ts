import { Context, Drop, type Liquid } from "liquidjs";
import type { Budget } from "./budget.ts";
import { MOST_ITEMS } from "./budget.ts";
import type { Locale } from "./formats.ts";
import { TemplateLimit } from "./mistakes.ts";
import { plainValue } from "./texts.ts";

export interface Warning {
  code: string;
  message: string;
}

/** A picture: its address, and the addresses of its sizes. */
export interface Picture {
  url: string;
  srcset?: string | undefined;
}

/** The shared state of all texts of a page. */
export interface Page {
  budget: Budget;
  locale: Locale;
  translate(key: string, count?: number): string;
  /** An asset that the texts name. */
  asset(id: string): Picture | undefined;
  /** Any other asset, which the database is asked for. */
  findAsset?(id: string): Promise<Picture | undefined>;
  warn(warning: Warning): void;
}

/** The limits of the engine's interface. Its own implementations count per text, and only between nodes. */
function limiter(budget: Budget) {
  return {
    use(count: number) {
      if (count > MOST_ITEMS) throw new TemplateLimit("items", MOST_ITEMS);
      if (count > 0) budget.step(Math.floor(count / 10));
    },
    // The renderer checks its time limit before each node. The driver counts steps instead.
    check() {},
  };
}

/** The variables of a text, and the page that it is part of. */
export class PageContext extends Context {
  constructor(
    scope: object,
    liquid: Liquid,
    readonly page: Page,
  ) {
    const limits = limiter(page.budget) as unknown as Context["memoryLimit"];
    super(scope, liquid.options, {}, { memoryLimit: limits, renderLimit: limits, liquid });
  }

  /** The engine would convert the first name of a path to a text, which is unbounded for lists. */
  override *_get(paths: (string | number | Drop)[]): IterableIterator<unknown> {
    if (!isName(plainValue(paths[0]))) return undefined;
    return yield super._get(paths);
  }

  override readProperty(of: object, key: string | number | Drop): unknown {
    // `empty` and `blank` are objects of the engine. Templates cannot read their properties.
    if (of instanceof Drop) return undefined;
    // `size` is an ordinary name here. The number of variables is not readable.
    if (this.#isScope(of) && !Object.hasOwn(of, key as string)) return undefined;
    return ownProperty(of, key);
  }

  #isScope(of: unknown): of is object {
    if (of === this.environments || of === this.globals) return true;
    return typeof of === "object" && of !== null && Object.getPrototypeOf(of) === null;
  }
}

/** The page of a filter, a tag or an operator. */
export function pageOf(context: Context): Page {
  return (context as PageContext).page;
}

function isName(key: unknown): key is string | number {
  return typeof key === "string" || typeof key === "number";
}

/**
 * Reads a property of a value: own properties only, never those of a prototype. Lists and texts have `size`, `first` and
 * `last`, and negative indexes count from the end. Records have `size`.
 */
export function ownProperty(of: unknown, name: unknown): unknown {
  const value = plainValue(of);
  const key = plainValue(name);
  if (value === null || value === undefined || !isName(key)) return undefined;
  if (Array.isArray(value) || typeof value === "string") return partOf(value, key);
  if (typeof value !== "object") return undefined;
  if (Object.hasOwn(value, key)) {
    const own = (value as Record<string, unknown>)[key];
    return typeof own === "function" ? undefined : own;
  }
  return key === "size" ? Object.keys(value).length : undefined;
}

function partOf(value: unknown[] | string, key: string | number): unknown {
  if (key === "size" || key === "length") return value.length;
  if (key === "first") return value[0];
  if (key === "last") return value.at(-1);
  const index = typeof key === "number" ? key : /^-?\d{1,9}$/.test(key) ? Number(key) : undefined;
  return index !== undefined && Array.isArray(value) ? value.at(index) : undefined;
}
