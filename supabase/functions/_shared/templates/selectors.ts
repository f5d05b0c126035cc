import { type CssNode, List, type Rule, type Selector } from "css-tree";
import { checkNames, mistakeIn } from "./declarations.ts";

/** Puts a rule's selectors below a class. Throws TemplateMistake where one would reach beside it. */
export function scopeSelectors({ prelude }: Rule, scope: string): void {
  if (prelude.type !== "SelectorList") throw mistakeIn(prelude, "this is no selector");
  for (const selector of prelude.children.toArray()) {
    if (selector.type !== "Selector") throw mistakeIn(selector, "this is no selector");
    checkSelector(selector);
    scopeSelector(selector, scope);
  }
}

/** Pseudo-classes that are more than the state or place of an element, or a list of selectors for it. */
const REFUSED = new Set(["host", "host-context", "slotted", "part", "global"]);

function checkSelector(selector: Selector): void {
  for (const part of selector.children.toArray()) {
    if (part.type === "PseudoClassSelector" || part.type === "PseudoElementSelector") {
      if (REFUSED.has(part.name.toLowerCase()))
        throw mistakeIn(part, `:${part.name} is not allowed`);
      continue;
    }
    checkNames(part);
  }
  if (selector.children.first?.type === "Combinator") {
    throw mistakeIn(selector, "a selector begins with an element");
  }
}

function scopeSelector(selector: Selector, scope: string): void {
  const root: CssNode = { type: "ClassSelector", name: scope };
  const parts = selector.children.toArray();
  const [first, ...others] = parts;
  if (!first || !isRoot(first)) {
    selector.children = listOf([root, { type: "Combinator", name: " " }, ...parts]);
    return;
  }
  const beside = others.find((part) => part.type === "Combinator");
  if (beside?.type === "Combinator" && /[+~]/.test(beside.name)) {
    throw mistakeIn(selector, "nothing stands beside the component that is the component's");
  }
  selector.children = listOf([root, ...others]);
}

function listOf(nodes: CssNode[]): List<CssNode> {
  return new List<CssNode>().fromArray(nodes);
}

/** What stands for the component itself. */
function isRoot(part: CssNode): boolean {
  if (part.type === "NestingSelector") return true;
  if (part.type === "TypeSelector") return /^(?:html|body)$/i.test(part.name);
  return part.type === "PseudoClassSelector" && /^(?:root|scope)$/i.test(part.name);
}
