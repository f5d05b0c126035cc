import { compile } from "css-select";
import {
  type CssNode,
  generate,
  List,
  parse,
  type Rule,
  type Selector,
  type StyleSheet,
} from "css-tree";
import { CompiledCache } from "../liquid/compiled_cache.ts";
import { checkStyles } from "../liquid/html/styles.ts";
import { TemplateLimit } from "../liquid/mistakes.ts";
import { ADAPTER, type Element, type Node } from "./elements.ts";

/** The declarations of one selector, to inline into the elements that match. */
export interface InlineRule {
  /** The class or element name that the selector requires, as an index; `*` if it requires none. */
  key: string;
  matches(element: Element): boolean;
  /** Order of precedence: by specificity, then by position. */
  rank: number;
  declarations: readonly Declared[];
}

export interface Declared {
  property: string;
  value: string;
  important: boolean;
}

export interface LetterStyles {
  inline: readonly InlineRule[];
  /** CSS that cannot be inlined, such as media queries and states. It stays in a `style` element. */
  kept: string;
}

/** Limits of the styles of a letter: characters and selectors. */
const LONGEST = 30_000;
const MOST_SELECTORS = 300;

const sheets = new CompiledCache<LetterStyles>(1_000_000);

/** Parses the styles of a letter. Throws TemplateMistake and TemplateLimit as `checkStyles` does. */
export function letterStyles(css: string): LetterStyles {
  return sheets.get("styles", css, () => {
    if (css.length > LONGEST) throw new TemplateLimit("bytes", LONGEST);
    checkStyles(css);
    return read(parse(css) as StyleSheet);
  });
}

function read(sheet: StyleSheet): LetterStyles {
  const inline: InlineRule[] = [];
  const kept: string[] = [];
  for (const node of sheet.children.toArray()) {
    if (node.type === "Rule") readRule(node, inline, kept);
    else if (node.type === "Atrule") kept.push(generate(strengthened(node)));
  }
  if (inline.length > MOST_SELECTORS) throw new TemplateLimit("items", MOST_SELECTORS);
  return { inline, kept: kept.join("\n") };
}

function readRule(rule: Rule, inline: InlineRule[], kept: string[]): void {
  const { prelude, block } = rule;
  const selectors = prelude.type === "SelectorList" ? prelude.children.toArray() : [];
  const declarations = block.children.toArray().flatMap((one) =>
    one.type === "Declaration"
      ? [
          {
            property: nameOf(one.property),
            value: generate(one.value),
            important: one.important !== false,
          },
        ]
      : [],
  );
  for (const selector of selectors as Selector[]) {
    if (isInlined(selector)) {
      const rank = specificityOf(selector) * MOST_SELECTORS * 10 + inline.length;
      const matches = compile<Node, Element>(generate(selector), { adapter: ADAPTER });
      inline.push({ key: keyOf(selector), matches, rank, declarations });
    } else {
      const prelude = { type: "SelectorList", children: new List<CssNode>().fromArray([selector]) };
      kept.push(generate(strengthened({ ...rule, prelude } as Rule)));
    }
  }
}

const nameOf = (property: string) =>
  property.startsWith("--") ? property : property.toLowerCase();

/** Whether a selector has only names, classes, ids, attributes, descendants and children. These are fast to match. */
function isInlined(selector: Selector): boolean {
  return selector.children.toArray().every((part) => {
    if (part.type === "Combinator") return part.name === " " || part.name === ">";
    return ["TypeSelector", "ClassSelector", "IdSelector", "AttributeSelector"].includes(part.type);
  });
}

const WEIGHTS: Record<string, number> = {
  IdSelector: 10_000,
  ClassSelector: 100,
  AttributeSelector: 100,
};

function specificityOf(selector: Selector): number {
  return selector.children.toArray().reduce((sum, part) => {
    if (part.type === "TypeSelector") return sum + (part.name === "*" ? 0 : 1);
    return sum + (WEIGHTS[part.type] ?? 0);
  }, 0);
}

function keyOf(selector: Selector): string {
  const parts = selector.children.toArray();
  const last = parts.slice(parts.findLastIndex(({ type }) => type === "Combinator") + 1);
  const named = last.find(({ type }) => type === "ClassSelector");
  if (named?.type === "ClassSelector") return `.${named.name}`;
  const [type] = last;
  return type?.type === "TypeSelector" ? type.name.toLowerCase() : "*";
}

/** Adds `!important` to CSS that stays in the `style` element, because inlined styles would override it. */
function strengthened<Node extends CssNode>(node: Node): Node {
  if (node.type === "Atrule") {
    if (node.name === "font-face" || node.name.endsWith("keyframes")) return node;
    node.block?.children.forEach(strengthened);
  }
  if (node.type === "Rule") {
    node.block.children.forEach((one) => {
      if (one.type === "Declaration") one.important ||= true;
    });
  }
  return node;
}
