/** What an element's `style` says, one property after the other; the later of two wins. */
export type Style = Map<string, string>;

/** A piece up to the next semicolon: those in quotes and brackets end none. */
const PIECE = /(?:"[^"]*"|'[^']*'|\([^()]*\)|[^;"'(])+/g;

/** Reads the declarations of a `style`, which have been judged before. */
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

/** Puts a property behind all others: `margin` takes back a `margin-top` before it. */
export function declare(style: Style, property: string, value: string): void {
  if (isImportant(style.get(property)) && !isImportant(value)) return;
  style.delete(property);
  style.set(property, value);
}

const isImportant = (value: string | undefined) =>
  value !== undefined && /!\s*important$/i.test(value);

/** Declarations as an attribute has them. */
export const styleText = (style: Style): string =>
  [...style].map(([property, value]) => `${property}:${value}`).join(";");
