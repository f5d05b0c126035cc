import {
  type Atrule,
  type CssNode,
  type Declaration,
  generate,
  parse,
  type Rule,
  type StyleSheet,
  walk,
} from "css-tree";
import { OUTPUT } from "./addresses.ts";
import { MOST_ITEMS } from "./budget.ts";
import { checkDeclaration, checkNames, mistakeIn } from "./declarations.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";
import { scopeSelectors } from "./selectors.ts";

/** The longest styles of a template or component. */
export const LONGEST_STYLES = 100_000;

/** Checks styles. Throws TemplateMistake where they are none that a template may have, with line and column. */
export function checkStyles(css: string): void {
  scopeStyles(css, "scope");
}

/**
 * Styles that reach nothing but what stands in an element of a class. `html`, `body` and `:root` are that element.
 * Animations and fonts that they name are theirs alone. Throws as `checkStyles` does.
 */
export function scopeStyles(css: string, scope: string): string {
  if (css.trim() === "") return "";
  const sheet = parsed(css, "stylesheet") as StyleSheet;
  const own = { scope, animations: new Set<string>(), fonts: new Set<string>() };
  collect(sheet, own);
  for (const node of sheet.children.toArray()) scopeNode(node, own, null);
  walk(sheet, (node) => {
    if (node.type === "Declaration") rename(node, own);
  });
  return written(sheet);
}

/** Checks the declarations of a `style`, in which OUTPUT stands for values to be put in. Throws TemplateMistake. */
export function checkDeclarations(text: string): void {
  // No property has such a value, so that those that allow a few alone refuse it.
  const whole = text.replaceAll(`${OUTPUT}%`, "1%").replaceAll(OUTPUT, "-output");
  written(declarationsIn(whole));
}

/** Properties with their values as CSS. Throws TemplateMistake where one is not allowed. */
export function declarationsOf(properties: Record<string, string>): string {
  const text = Object.entries(properties).map(([name, value]) => `${name}:${value}`);
  const list = declarationsIn(text.join(";"));
  if (list.children.size !== text.length)
    throw new TemplateMistake("each value is of one property");
  return written(list);
}

function declarationsIn(text: string) {
  const list = parsed(text, "declarationList");
  if (list.type !== "DeclarationList") throw new TemplateMistake("these are no declarations");
  for (const node of list.children.toArray()) {
    if (node.type !== "Declaration") throw mistakeIn(node, "these are no declarations");
    checkDeclaration(node);
  }
  return list;
}

function parsed(css: string, context: "stylesheet" | "declarationList"): CssNode {
  if (css.length > LONGEST_STYLES) throw new TemplateLimit("bytes", LONGEST_STYLES);
  try {
    return parse(css, {
      context,
      positions: true,
      parseCustomProperty: true,
      onParseError(error) {
        if (error instanceof RangeError) throw error;
        const { message, line, column } = error as Error & { line?: number; column?: number };
        throw new TemplateMistake(`this is no CSS: ${message}`, line, column);
      },
    });
  } catch (error) {
    if (error instanceof RangeError) throw new TemplateMistake("brackets stand too deep");
    throw error;
  }
}

/** As text, of which none ends the element that it will stand in. */
function written(node: CssNode): string {
  const css = generate(node);
  if (/<[/!a-z]/i.test(css))
    throw new TemplateMistake("< stands in styles where a tag would begin");
  return css;
}

interface Own {
  scope: string;
  animations: Set<string>;
  fonts: Set<string>;
}

/** Rules in which others may stand, or declarations. */
const CONDITIONS = new Set(["media", "supports", "container"]);
const MOMENTS = /^(?:from|to|[\d.]+%)(?:,(?:from|to|[\d.]+%))*$/i;
const KEYFRAMES = new Set(["keyframes", "-webkit-keyframes"]);

/** Finds the names of animations and fonts. Throws TemplateLimit where there are more rules than a page has use for. */
function collect(sheet: StyleSheet, { animations, fonts }: Own): void {
  let items = 0;
  walk(sheet, (node) => {
    if (node.type === "Selector" || node.type === "Declaration") items++;
    if (items > MOST_ITEMS) throw new TemplateLimit("items", MOST_ITEMS);
    if (node.type !== "Atrule") return;
    if (KEYFRAMES.has(node.name)) animations.add(preludeOf(node));
    if (node.name !== "font-face" || !node.block) return;
    for (const one of node.block.children.toArray()) {
      if (one.type === "Declaration" && isFamily(one)) fonts.add(familyOf(one));
    }
  });
}

const isFamily = ({ property }: Declaration) => property.toLowerCase() === "font-family";

/** A font's name, which browsers compare in any case. */
function familyOf(declaration: Declaration): string {
  const { value } = declaration;
  const [name, ...more] = value.type === "Value" ? value.children.toArray() : [];
  const isOne = more.length === 0 && (name?.type === "String" || name?.type === "Identifier");
  if (!isOne) throw mistakeIn(declaration, "a font's name of several words stands in quotes");
  return (name.type === "String" ? name.value : name.name).toLowerCase();
}

const preludeOf = ({ prelude }: Atrule) => (prelude ? unquoted(generate(prelude)) : "");
const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/s, "$2");

function scopeNode(node: CssNode, own: Own, within: string | null): void {
  if (node.type === "Comment") return;
  if (node.type === "Rule") {
    scopeRule(node, own, within);
    return;
  }
  if (node.type !== "Atrule") throw mistakeIn(node, "this is no rule");
  const { name, prelude, block } = node;
  const isKnown = CONDITIONS.has(name) || KEYFRAMES.has(name) || name === "font-face";
  if (!isKnown) throw mistakeIn(node, `@${name} is not allowed`);
  if (!block || within !== null) throw mistakeIn(node, `@${name} does not stand here`);
  if (prelude) checkNames(prelude);
  if (KEYFRAMES.has(name)) {
    if (!/^[\w-]+$/.test(preludeOf(node))) throw mistakeIn(node, "an animation's name is a word");
    node.prelude = parse(`${own.scope}-${preludeOf(node)}`, { context: "value" }) as never;
  }
  const inside = CONDITIONS.has(name) ? null : name;
  for (const one of block.children.toArray()) {
    if (one.type === "Declaration" && name === "font-face") checkDeclaration(one);
    else scopeNode(one, own, inside);
  }
}

function scopeRule(rule: Rule, { scope }: Own, within: string | null): void {
  if (within === "font-face") throw mistakeIn(rule, "a font has no rules");
  if (within === null) scopeSelectors(rule, scope);
  else if (!MOMENTS.test(generate(rule.prelude))) throw mistakeIn(rule, "this is no keyframe");
  for (const one of rule.block.children.toArray()) {
    if (one.type === "Comment" || isEmptyOne(one)) continue;
    if (one.type !== "Declaration") throw mistakeIn(one, "rules do not stand in one another");
    checkDeclaration(one);
  }
}

/** What stands between two semicolons with nothing in between. */
const isEmptyOne = (node: CssNode) => node.type === "Raw" && /^[;\s]*$/.test(node.value);

/** Animations and fonts by the names that they have in this scope. */
function rename(declaration: Declaration, { scope, animations, fonts }: Own): void {
  const property = declaration.property.toLowerCase().replace(/^-webkit-/, "");
  const isOwn = /^animation(?:-name)?$/.test(property)
    ? (name: string) => animations.has(name)
    : /^font(?:-family)?$/.test(property)
      ? (name: string) => fonts.has(name.toLowerCase())
      : () => false;
  walk(declaration.value, (part) => {
    if (part.type === "Identifier" && isOwn(part.name)) part.name = `${scope}-${part.name}`;
    if (part.type === "String" && isOwn(part.value)) part.value = `${scope}-${part.value}`;
  });
}
