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
import { CompiledCache } from "../templates/compiled_cache.ts";
import { TemplateLimit } from "../templates/mistakes.ts";
import { checkStyles } from "../templates/styles.ts";
import { ADAPTER, type Element, type Node } from "./elements.ts";

/** One selector's declarations, to be written into each element that it is for. */
export interface InlineRule {
  /** The class or element's name that it asks for, so that few elements are tried; `*` where it asks for none. */
  key: string;
  matches(element: Element): boolean;
  /** Which rule goes before another one: by specificity, then by where it stands. */
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
  /** What no attribute can say: widths of screens, dark colours, states. It stays a style of the letter. */
  kept: string;
}

/** The longest styles of a letter, in characters, and the most selectors. */
const LONGEST = 30_000;
const MOST_SELECTORS = 300;

const sheets = new CompiledCache<LetterStyles>(1_000_000);

/** Reads the styles of a letter. Throws TemplateMistake and TemplateLimit as `checkStyles` of templates does. */
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

/** Elements by their own name, class, id and attributes, and by what they stand in: nothing that takes long to find. */
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

/** What stays a style is written beside attributes, which would win otherwise. */
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
