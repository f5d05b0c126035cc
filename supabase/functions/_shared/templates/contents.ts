import { checkedRichText } from "../content/rich_text.ts";
import { checkStyles } from "../liquid/html/styles.ts";
import { refusalOf } from "../liquid/refusing.ts";
import { isObject } from "../values/depth.ts";
import { inNfc } from "../values/nfc.ts";
import { checkComponent, checkContent } from "./check.ts";

/**
 * Checks the content of a template, and normalizes its rich texts. Errors: TEMPLATE_ERROR if a text cannot be rendered;
 * VALIDATION_ERROR as checkedRichText.
 */
export function checkedContent<Content extends object>(content: Content): Content {
  const checked = blocksIn(inNfc(content), "content") as Content;
  asRefusal(() => checkContent(checked));
  return checked;
}

/** The same for a component, or for changes of one. */
export function checkedComponent<Component extends object>(component: Component): Component {
  const checked = inNfc(component);
  asRefusal(() => checkComponent(checked));
  return checked;
}

/** The same for the styles of a translation. */
export function checkCustomStyles(styles: string | null | undefined): void {
  asRefusal(() => checkStyles(inNfc(styles ?? "")));
}

function asRefusal(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The keys that lead to blocks. The other values of a template are not changed. */
const HOLDERS = new Set([
  "sections",
  "blocks",
  "content",
  "then",
  "else",
  "inheritance",
  "extensions",
  "overrides",
]);

function blocksIn(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((each, i) => blocksIn(each, `${path}[${i}]`));
  if (!isObject(value)) return value;
  if (value.type === "widget" && isObject(value.content)) {
    const { text, ...rest } = value.content;
    if (rest.widget !== "text" || !isObject(text)) return value;
    return {
      ...value,
      content: { ...rest, text: checkedRichText(text as never, `${path}.content.text`) },
    };
  }
  if (value.type === "component") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      HOLDERS.has(name) ? blocksIn(inner, `${path}.${name}`) : inner,
    ]),
  );
}
