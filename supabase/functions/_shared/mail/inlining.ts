import { parse, serialize } from "parse5";
import { TemplateLimit } from "../liquid/mistakes.ts";
import { parseUrl } from "../values/urls.ts";
import { declare, type Style, styleOf, styleText } from "./declared.ts";
import { attributeOf, type Element, elementsIn, setAttribute } from "./elements.ts";
import { addOldAttributes } from "./old_attributes.ts";
import type { InlineRule, LetterStyles } from "./style_sheet.ts";

/** Maximum number of times that a selector is tried on an element: about 50 ms. */
const MOST_TRIES = 200_000;

/**
 * Writes the styles of a letter into the `style` attributes of its elements, because many mail programs support nothing
 * else, and resolves relative addresses against `base`.
 *
 * @throws TemplateLimit if there are too many elements and selectors.
 */
export function inlined(html: string, { inline }: LetterStyles, base: string | null): string {
  const document = parse(html);
  const rules = byKey(inline);
  let tries = 0;
  for (const element of elementsIn(document)) {
    const candidates = candidatesFor(element, rules);
    tries += candidates.length;
    if (tries > MOST_TRIES) throw new TemplateLimit("steps", MOST_TRIES);
    const fitting = candidates.filter(({ matches }) => matches(element));
    const style = styleFor(element, fitting);
    if (style.size > 0) setAttribute(element, "style", styleText(style));
    addOldAttributes(element, style);
    if (base !== null) makeAbsolute(element, base);
  }
  return serialize(document);
}

type RulesByKey = Map<string, InlineRule[]>;

function byKey(rules: readonly InlineRule[]): RulesByKey {
  const found: RulesByKey = new Map();
  for (const rule of rules) {
    const same = found.get(rule.key);
    if (same) same.push(rule);
    else found.set(rule.key, [rule]);
  }
  return found;
}

function candidatesFor(element: Element, rules: RulesByKey): InlineRule[] {
  if (rules.size === 0) return [];
  const classes = (attributeOf(element, "class") ?? "").split(/\s+/).map((name) => `.${name}`);
  return ["*", element.tagName, ...new Set(classes)].flatMap((key) => rules.get(key) ?? []);
}

/** The declarations of an element: those of the rules by increasing specificity, then its own. */
function styleFor(element: Element, rules: InlineRule[]): Style {
  const own = styleOf(attributeOf(element, "style") ?? "");
  if (rules.length === 0) return own;
  const style: Style = new Map();
  for (const { declarations } of rules.sort((one, other) => one.rank - other.rank)) {
    for (const { property, value, important } of declarations) {
      declare(style, property, important ? `${value} !important` : value);
    }
  }
  for (const [property, value] of own) declare(style, property, value);
  return style;
}

const ADDRESSES = ["href", "src"];

function makeAbsolute(element: Element, base: string): void {
  for (const attribute of element.attrs) {
    const { name, value } = attribute;
    if (!ADDRESSES.includes(name) || value === "" || /^(?:#|[a-z][a-z0-9+.-]*:)/i.test(value))
      continue;
    attribute.value = parseUrl(value, base)?.href ?? value;
  }
}
