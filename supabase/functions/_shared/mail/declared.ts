/** The declarations of a `style` attribute in their order, by property. */
export type Style = Map<string, string>;

/** A declaration up to the next semicolon that is not inside quotes or parentheses. */
const PIECE = /(?:"[^"]*"|'[^']*'|\([^()]*\)|[^;"'(])+/g;

/** Reads the declarations of a `style` attribute, which has been checked before. */
export function styleOf(text: string): Style {
  const style: Style = new Map();
  for (const [piece] of text.matchAll(PIECE)) {
    const colon = piece.indexOf(":");
    const property = piece.slice(0, colon).trim();
    if (colon > 0 && property !== "") {
      declare(style, property.toLowerCase(), piece.slice(colon + 1).trim());
    }
  }
  return style;
}

/** Adds a declaration at the end, so that `margin` overrides an earlier `margin-top`. */
export function declare(style: Style, property: string, value: string): void {
  if (isImportant(style.get(property)) && !isImportant(value)) return;
  style.delete(property);
  style.set(property, value);
}

const isImportant = (value: string | undefined) =>
  value !== undefined && /!\s*important$/i.test(value);

/** Declarations as the value of a `style` attribute. */
export const styleText = (style: Style): string =>
  [...style].map(([property, value]) => `${property}:${value}`).join(";");
