import { type CssNode, List, type Rule, type Selector } from "css-tree";
import { checkNames, mistakeIn } from "./declarations.ts";

/** Scopes the selectors of a rule to a class. Throws TemplateMistake if one could match elements outside. */
export function scopeSelectors({ prelude }: Rule, scope: string): void {
  if (prelude.type !== "SelectorList") throw mistakeIn(prelude, "this is not a selector");
  for (const selector of prelude.children.toArray()) {
    if (selector.type !== "Selector") throw mistakeIn(selector, "this is not a selector");
    checkSelector(selector);
    scopeSelector(selector, scope);
  }
}

/** Pseudo-classes that are refused, because they match more than the state or position of an element. */
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
    throw mistakeIn(
      selector,
      "a selector begins with a combinator, and must begin with an element",
    );
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
    throw mistakeIn(selector, "a selector cannot match elements beside the component");
  }
  selector.children = listOf([root, ...others]);
}

function listOf(nodes: CssNode[]): List<CssNode> {
  return new List<CssNode>().fromArray(nodes);
}

/** Selectors of the root element of the component. */
function isRoot(part: CssNode): boolean {
  if (part.type === "NestingSelector") return true;
  if (part.type === "TypeSelector") return /^(?:html|body)$/i.test(part.name);
  return part.type === "PseudoClassSelector" && /^(?:root|scope)$/i.test(part.name);
}
