import type { Style } from "./declared.ts";
import { attributeOf, type Element, setAttribute } from "./elements.ts";

// Outlook on Windows renders with Word, which supports the old attributes of tables better than their styles. These
// functions derive the attributes from the styles.

const CELLS = new Set(["td", "th"]);
const SIZED = new Set(["table", "td", "th", "img"]);
const LENGTH = /^(\d{1,4})(?:px|(%))$/;
const COLOR = /^#[0-9a-f]{6}$/i;

/** Adds the old attributes to a table, cell or image. */
export function addOldAttributes(element: Element, style: Style): void {
  const { tagName } = element;
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && attributeOf(element, name) === undefined)
      setAttribute(element, name, value);
  };
  const isTable = tagName === "table";
  if (SIZED.has(tagName)) add("width", lengthOf(style.get("width")));
  if (tagName === "img") {
    add("height", lengthOf(style.get("height")));
    add("border", "0");
  }
  if (isTable && attributeOf(element, "role") === "presentation") {
    for (const name of ["border", "cellpadding", "cellspacing"]) add(name, "0");
  }
  if (isTable && /\bauto$/.test(style.get("margin") ?? "")) add("align", "center");
  if (isTable || CELLS.has(tagName)) add("bgcolor", colorOf(style));
  if (CELLS.has(tagName)) {
    add("align", wordOf(style.get("text-align"), /^(?:left|right|center)$/));
    add("valign", wordOf(style.get("vertical-align"), /^(?:top|middle|bottom)$/));
  }
}

function lengthOf(value: string | undefined): string | undefined {
  const [, digits, percent = ""] = LENGTH.exec(value ?? "") ?? [];
  return digits === undefined ? undefined : digits + percent;
}

const colorOf = (style: Style) =>
  wordOf(style.get("background-color") ?? style.get("background"), COLOR);

const wordOf = (value: string | undefined, form: RegExp) =>
  value !== undefined && form.test(value) ? value : undefined;
