import {
  type Filter,
  Liquid,
  Output,
  type Template,
  type Token,
  Tokenizer,
  TokenKind,
  Value,
} from "liquidjs";
import { CompiledCache } from "./compiled_cache.ts";
import { run } from "./driver.ts";
import { putEscapersIn } from "./escaping.ts";
import { PERCENT_ENCODING, registerFilters } from "./filters.ts";
import { OPERATORS } from "./operators.ts";
import { type Page, PageContext } from "./page.ts";
import { boundFormula, explained, treeOf } from "./parsing.ts";
import { boundRanges } from "./ranges.ts";
import { registerTags } from "./tags.ts";
import { plainValue, SafeHtml } from "./texts.ts";
import { Writer } from "./writers.ts";

export type { Page, Warning } from "./page.ts";
export { SafeHtml, safeHtml } from "./texts.ts";

/** A text that can be rendered, many times. */
export interface Compiled {
  readonly kind: "html" | "plain" | "url";
  readonly text: string;
  readonly templates: Template[];
}

/** A value that can be worked out, many times. */
export interface Formula {
  readonly text: string;
  readonly value: Value;
}

/** An engine with our tags, filters and operators, and without files: no template names another one. */
function createEngine(kind: "html" | "plain"): Liquid {
  boundRanges();
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
 * A text of HTML. Its outputs are escaped for where they stand.
 *
 * @throws TemplateMistake when it is no Liquid, or nothing can be put in safely where an output stands.
 * @throws TemplateLimit when it is too long or nested too deep.
 */
export function compileHtml(text: string): Compiled {
  return texts.get("html", text, () => {
    const templates = treeOf(text, HTML);
    putEscapersIn(templates, text, (name) => filterNamed(name, HTML));
    return { kind: "html", text, templates };
  });
}

/** A text that nothing is escaped in: a subject, a property. Throws as `compileHtml` does. */
export function compilePlain(text: string): Compiled {
  return texts.get("plain", text, () => ({ kind: "plain", text, templates: treeOf(text, PLAIN) }));
}

/** An address. Its outputs are percent-encoded. Throws as `compileHtml` does. */
export function compileUrl(text: string): Compiled {
  return texts.get("url", text, () => {
    const templates = treeOf(text, PLAIN);
    encodeOutputs(templates);
    return { kind: "url", text, templates };
  });
}

/** Puts the encoding behind all outputs, but those that a variable captures: they are encoded where it is put in. */
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

/** A filter by a name that no text can give it. */
function filterNamed(name: string, engine: Liquid): Filter {
  const token = new Tokenizer("nil | named").readFilteredValue();
  for (const filter of token.filters) filter.name = name;
  return new Value(token, engine).filters[0] as Filter;
}

/**
 * A value with filters, as it stands between an output's braces.
 *
 * @throws TemplateMistake when it is none.
 * @throws TemplateLimit when it is too long.
 */
export function compileFormula(formula: string): Formula {
  return formulas.get("formula", formula, () => formulaOf(formula, ""));
}

/** Filters that are applied to the variable `value`. Throws as `compileFormula` does. */
export function compileTransformation(chain: string): Formula {
  return formulas.get("transformation", chain, () => formulaOf(chain, "value | "));
}

function formulaOf(text: string, before: string): Formula {
  boundFormula(text);
  try {
    const tokenizer = new Tokenizer(before + text, PLAIN.options.operators);
    const token = tokenizer.readFilteredValue();
    tokenizer.skipBlank();
    tokenizer.assert(tokenizer.end() && isOne(token.initial), `unexpected ${tokenizer.snapshot()}`);
    return { text, value: new Value(token, PLAIN) };
  } catch (error) {
    throw explained(error, { parsing: true, before: before.length });
  }
}

/** Whether an expression comes to one value: the engine takes `a b` for `a`. */
function isOne(expression: unknown): boolean {
  const { postfix } = expression as { postfix: Token[] };
  const isOperator = (token: Token) => token.kind === TokenKind.Operator;
  const pairing = postfix.filter((token) => isOperator(token) && token.getText() !== "not");
  return postfix.filter((token) => !isOperator(token)).length - pairing.length === 1;
}

/**
 * A text with a page's variables put in.
 *
 * @throws TemplateLimit when the page takes too much.
 * @throws TemplateMistake when a value is not what a filter takes.
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

/** What a formula says, safe HTML as such. Throws as `render` does. */
export async function evaluate(formula: Formula, scope: object, page: Page): Promise<unknown> {
  const context = new PageContext(scope, PLAIN, page);
  try {
    const value = await run(formula.value.value(context), page.budget);
    return value instanceof SafeHtml ? value : plainValue(value);
  } catch (error) {
    throw explained(error);
  }
}

// Linters take the short name for a global one where it is declared, or imported under it.
export { evaluate as valueOf };
