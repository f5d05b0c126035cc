import { createMemory } from "../http/memory.ts";
import {
  compileFormula,
  compileTransformation,
  compileUrl,
  evaluate,
  type Page,
  render,
} from "../liquid/engine.ts";
import { TemplateLimit } from "../liquid/mistakes.ts";
import type { Scope } from "./conditions.ts";
import type { Reach } from "./reaching.ts";
import type { Binding } from "./template.ts";

/** Maximum number of sources of a page, with those of included templates. */
export const SOURCES_AT_MOST = 10;

/** Values of sources that may be kept, for all pages of this process. */
const memory = createMemory(8 * 1024 * 1024);

/**
 * Reads the values of bindings, by variable. They are read concurrently; a binding that names an earlier one waits for it. A
 * source that fails gives null and a warning. Errors: TemplateLimit.
 */
export async function readSources(
  bindings: readonly Binding[],
  scope: Scope,
  page: Page,
  reach: Reach,
): Promise<Record<string, unknown>> {
  const read = new Map<string, Promise<unknown>>();
  for (const binding of bindings) {
    const needed = [...read].filter(([name]) => names(binding, name));
    read.set(binding.variable, readOne(binding, scope, needed, page, reach));
  }
  const values = await Promise.all([...read].map(async ([name, value]) => [name, await value]));
  return Object.fromEntries(values);
}

/** Whether a binding may depend on a variable: whether one of its texts contains the name. */
function names({ source, transformation }: Binding, name: string): boolean {
  const { endpoint, query, formula } = source;
  return [endpoint, query, formula, transformation].some((text) =>
    text?.split(/[^a-z0-9_]+/).includes(name),
  );
}

async function readOne(
  binding: Binding,
  around: Scope,
  needed: readonly (readonly [string, Promise<unknown>])[],
  page: Page,
  reach: Reach,
): Promise<unknown> {
  try {
    const before = await Promise.all(needed.map(async ([name, value]) => [name, await value]));
    const scope = { ...around, ...Object.fromEntries(before) };
    const value = await valueIn(binding, scope, page, reach);
    const chain = binding.transformation;
    if (!chain) return value;
    return (await evaluate(compileTransformation(chain), { ...scope, value }, page)) ?? null;
  } catch (error) {
    // The limits of the page hold for its sources, too.
    if (error instanceof TemplateLimit) throw error;
    page.warn({
      code: "SOURCE_FAILED",
      message: `The source of ${binding.variable} is empty: ${reasonOf(error)}.`,
    });
    return null;
  }
}

async function valueIn(
  { source, caching }: Binding,
  scope: Scope,
  page: Page,
  reach: Reach,
): Promise<unknown> {
  switch (source.type) {
    case "static":
      return source.value ?? null;
    case "computed":
      return (await evaluate(compileFormula(source.formula ?? ""), scope, page)) ?? null;
    case "api":
    case "database": {
      const text = (source.type === "api" ? source.endpoint : source.query) ?? "";
      const address = await render(compileUrl(text), scope, page);
      return readKept(source.type, address, caching?.duration ?? 0, reach);
    }
    default:
      throw new Error("there is no such type of source");
  }
}

async function readKept(
  kind: "api" | "database",
  address: string,
  seconds: number,
  reach: Reach,
): Promise<unknown> {
  if (seconds <= 0) return reach.read(kind, address);
  const key = JSON.stringify([reach.rights, kind, address]);
  const kept = memory.get(key);
  if (kept) return JSON.parse(kept.text);
  const value = await reach.read(kind, address);
  memory.put(key, JSON.stringify(value), seconds);
  return value;
}

/** The reason of an error, without details of the environment. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it could not be read";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "it took too long";
  return error instanceof TypeError || error instanceof SyntaxError
    ? "it could not be read"
    : error.message.replace(/\.$/, "");
}

/** Whether a source can change at any time, and depends on the rights of the reader. */
export const isLive = ({ source }: Binding): boolean =>
  source.type === "api" || source.type === "database";
