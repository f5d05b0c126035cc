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
import { MOST_ITEMS } from "../budget.ts";
import { TemplateLimit, TemplateMistake } from "../mistakes.ts";
import { OUTPUT } from "./addresses.ts";
import { checkDeclaration, checkNames, mistakeIn } from "./declarations.ts";
import { scopeSelectors } from "./selectors.ts";

/** Longest styles of a template or component, in characters. */
export const LONGEST_STYLES = 100_000;

/** Checks styles. Throws TemplateMistake with line and column if they are invalid or not allowed. */
export function checkStyles(css: string): void {
  scopeStyles(css, "scope");
}

/**
 * Scopes styles to the elements inside an element with a class. `html`, `body` and `:root` become that element. Animations and
 * fonts are renamed, so that other styles cannot use them. Throws as `checkStyles` does.
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

/** Checks the declarations of a `style` attribute. OUTPUT in it stands for inserted values. Throws TemplateMistake. */
export function checkDeclarations(text: string): void {
  // No property has this value, so that properties with a list of allowed values refuse it.
  const whole = text.replaceAll(`${OUTPUT}%`, "1%").replaceAll(OUTPUT, "-output");
  written(declarationsIn(whole));
}

/** Writes properties and their values as CSS. Throws TemplateMistake if one is not allowed. */
export function declarationsOf(properties: Record<string, string>): string {
  const text = Object.entries(properties).map(([name, value]) => `${name}:${value}`);
  const list = declarationsIn(text.join(";"));
  if (list.children.size !== text.length)
    throw new TemplateMistake("a value must not contain another declaration");
  return written(list);
}

function declarationsIn(text: string) {
  const list = parsed(text, "declarationList");
  if (list.type !== "DeclarationList") throw new TemplateMistake("these are not declarations");
  for (const node of list.children.toArray()) {
    if (node.type !== "Declaration") throw mistakeIn(node, "these are not declarations");
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
        throw new TemplateMistake(`invalid CSS: ${message}`, line, column);
      },
    });
  } catch (error) {
    if (error instanceof RangeError) throw new TemplateMistake("brackets are nested too deep");
    throw error;
  }
}

/** Writes CSS, and refuses text that could end the style element. */
function written(node: CssNode): string {
  const css = generate(node);
  if (/<[/!a-z]/i.test(css))
    throw new TemplateMistake("styles must not contain < where a tag could begin");
  return css;
}

interface Own {
  scope: string;
  animations: Set<string>;
  fonts: Set<string>;
}

/** At-rules that contain rules or declarations. */
const CONDITIONS = new Set(["media", "supports", "container"]);
const MOMENTS = /^(?:from|to|[\d.]+%)(?:,(?:from|to|[\d.]+%))*$/i;
const KEYFRAMES = new Set(["keyframes", "-webkit-keyframes"]);

/** Collects the names of animations and fonts. Throws TemplateLimit if there are too many selectors and declarations. */
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

/** The name of a font in lower case, because browsers ignore the case. */
function familyOf(declaration: Declaration): string {
  const { value } = declaration;
  const [name, ...more] = value.type === "Value" ? value.children.toArray() : [];
  const isOne = more.length === 0 && (name?.type === "String" || name?.type === "Identifier");
  if (!isOne) throw mistakeIn(declaration, "a font name of several words must be in quotes");
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
  if (node.type !== "Atrule") throw mistakeIn(node, "this is not a rule");
  const { name, prelude, block } = node;
  const isKnown = CONDITIONS.has(name) || KEYFRAMES.has(name) || name === "font-face";
  if (!isKnown) throw mistakeIn(node, `@${name} is not allowed`);
  if (!block || within !== null) throw mistakeIn(node, `@${name} is not allowed here`);
  if (prelude) checkNames(prelude);
  if (KEYFRAMES.has(name)) {
    if (!/^[\w-]+$/.test(preludeOf(node)))
      throw mistakeIn(node, "the name of an animation must be one word");
    node.prelude = parse(`${own.scope}-${preludeOf(node)}`, { context: "value" }) as never;
  }
  const inside = CONDITIONS.has(name) ? null : name;
  for (const one of block.children.toArray()) {
    if (one.type === "Declaration" && name === "font-face") checkDeclaration(one);
    else scopeNode(one, own, inside);
  }
}

function scopeRule(rule: Rule, { scope }: Own, within: string | null): void {
  if (within === "font-face") throw mistakeIn(rule, "@font-face cannot contain rules");
  if (within === null) scopeSelectors(rule, scope);
  else if (!MOMENTS.test(generate(rule.prelude))) throw mistakeIn(rule, "this is not a keyframe");
  for (const one of rule.block.children.toArray()) {
    if (one.type === "Comment" || isEmptyOne(one)) continue;
    if (one.type !== "Declaration") throw mistakeIn(one, "rules cannot be nested");
    checkDeclaration(one);
  }
}

/** Whether a node is the empty text between two semicolons. */
const isEmptyOne = (node: CssNode) => node.type === "Raw" && /^[;\s]*$/.test(node.value);

/** Renames the animations and fonts in a value. */
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
