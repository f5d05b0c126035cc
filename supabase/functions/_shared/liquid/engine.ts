import { type Filter, Liquid, Output, type Template, Tokenizer, Value } from "liquidjs";
import { CompiledCache } from "./compiled_cache.ts";
import { run } from "./driver.ts";
import { checkArguments } from "./filter_arguments.ts";
import { PERCENT_ENCODING, registerFilters } from "./filters.ts";
import { putEscapersIn } from "./html/escaping.ts";
import { readExactNumbers } from "./literals.ts";
import { OPERATORS } from "./operators.ts";
import { type Page, PageContext } from "./page.ts";
import { boundFormula, explained, isOneValue, TWO_VALUES, treeOf } from "./parsing.ts";
import { boundRanges } from "./ranges.ts";
import { registerTags } from "./tags.ts";
import { plainValue, SafeHtml } from "./texts.ts";
import { readWholeValues } from "./whole_values.ts";
import { Writer } from "./writers.ts";

export type { Page, Warning } from "./page.ts";
export { SafeHtml, safeHtml } from "./texts.ts";

/** A compiled text, which can be rendered many times. */
export interface Compiled {
  readonly kind: "html" | "plain" | "url";
  readonly text: string;
  readonly templates: Template[];
}

/** A compiled formula, which can be evaluated many times. */
export interface Formula {
  readonly text: string;
  readonly value: Value;
}

/** An engine with our tags, filters and operators. It has no files, so that no text can include another one. */
function createEngine(kind: "html" | "plain"): Liquid {
  boundRanges();
  readExactNumbers();
  readWholeValues();
  const engine = new Liquid({
    operators: OPERATORS,
    ownPropertyOnly: true,
    strictFilters: true,
    jsTruthy: false,
    templates: {},
  });
  registerTags(engine, kind);
  registerFilters(engine);
  return engine;
}

const HTML = createEngine("html");
const PLAIN = createEngine("plain");

const texts = new CompiledCache<Compiled>();
const formulas = new CompiledCache<Formula>();

/**
 * Compiles HTML with Liquid. Its outputs are escaped for their context.
 *
 * @throws TemplateMistake when it is not valid Liquid, or an output is in a context that cannot be made safe.
 * @throws TemplateLimit when it is too long or nested too deep.
 */
export function compileHtml(text: string): Compiled {
  return texts.get("html", text, () => {
    const templates = treeOf(text, HTML);
    putEscapersIn(templates, text, (name) => filterNamed(name, HTML));
    return { kind: "html", text, templates };
  });
}

/** Compiles plain text with Liquid. Its outputs are not escaped. Throws as `compileHtml` does. */
export function compilePlain(text: string): Compiled {
  return texts.get("plain", text, () => ({ kind: "plain", text, templates: treeOf(text, PLAIN) }));
}

/** Compiles an address with Liquid. Its outputs are percent-encoded. Throws as `compileHtml` does. */
export function compileUrl(text: string): Compiled {
  return texts.get("url", text, () => {
    const templates = treeOf(text, PLAIN);
    encodeOutputs(templates);
    return { kind: "url", text, templates };
  });
}

/** Adds the encoding to all outputs, except inside `capture`: the captured variable is encoded where it is inserted. */
function encodeOutputs(templates: Template[]): void {
  const encoding = filterNamed(PERCENT_ENCODING, PLAIN);
  const visit = (all: Template[]) => {
    for (const template of all) {
      if (template instanceof Output) template.value.filters.push(encoding);
      if ((template as { name?: string }).name === "capture") continue;
      const children = (template as Template).children?.(false, true).next().value;
      if (Array.isArray(children)) visit(children);
    }
  };
  visit(templates);
}

/** Makes a filter by a name with a blank, which texts cannot use. */
function filterNamed(name: string, engine: Liquid): Filter {
  const token = new Tokenizer("nil | named").readFilteredValue();
  for (const filter of token.filters) filter.name = name;
  return new Value(token, engine).filters[0] as Filter;
}

/**
 * Compiles a value with filters, as it is written between the braces of an output.
 *
 * @throws TemplateMistake when it is not valid.
 * @throws TemplateLimit when it is too long.
 */
export function compileFormula(formula: string): Formula {
  return formulas.get("formula", formula, () => formulaOf(formula, ""));
}

/** Compiles a chain of filters, which is applied to the variable `value`. Throws as `compileFormula` does. */
export function compileTransformation(chain: string): Formula {
  return formulas.get("transformation", chain, () => formulaOf(chain, "value | "));
}

function formulaOf(text: string, before: string): Formula {
  boundFormula(text);
  try {
    const tokenizer = new Tokenizer(before + text, PLAIN.options.operators);
    const token = tokenizer.readFilteredValue();
    tokenizer.assert(isOneValue(token.initial), TWO_VALUES);
    const value = new Value(token, PLAIN);
    value.filters.forEach(checkArguments);
    return { text, value };
  } catch (error) {
    throw explained(error, { parsing: true, before: before.length });
  }
}

/**
 * Renders a compiled text with values.
 *
 * @throws TemplateLimit when the page exceeds a limit.
 * @throws TemplateMistake when a filter refuses a value.
 */
export async function render(compiled: Compiled, scope: object, page: Page): Promise<string> {
  const engine = compiled.kind === "html" ? HTML : PLAIN;
  const writer = new Writer(page.budget, true);
  const context = new PageContext(scope, engine, page);
  try {
    await run(engine.renderer.renderTemplates(compiled.templates, context, writer), page.budget);
  } catch (error) {
    throw explained(error);
  }
  return writer.buffer;
}

/** Evaluates a formula. Safe HTML stays marked as such. Throws as `render` does. */
export async function evaluate(formula: Formula, scope: object, page: Page): Promise<unknown> {
  const context = new PageContext(scope, PLAIN, page);
  try {
    const value = await run(formula.value.value(context), page.budget);
    return value instanceof SafeHtml ? value : plainValue(value);
  } catch (error) {
    throw explained(error);
  }
}

// The alias avoids a lint rule against the name `evaluate` in tests.
export { evaluate as valueOf };
