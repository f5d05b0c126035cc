export const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Maximum length of a cell in characters: Excel reports files with longer cells as damaged. */
export const MOST_CELL_CHARACTERS = 32_767;

/**
 * Line ends that XML would change, characters that XML does not allow (hucre escapes the others), and the `_` of texts
 * that look like the escape of a character, `_x0041_`.
 */
const TO_ESCAPE = /\r\n?|[\uFFFE\uFFFF]|_(?=x[0-9a-f]{4}_)/gi;

/** A text for hucre, which never becomes a formula. An empty text is an empty cell. */
export const textCell = (text: string): string | null => text.replace(TO_ESCAPE, escaped) || null;

function escaped(found: string): string {
  if (found === "_") return "_x005F_";
  return found.startsWith("\r") ? "\n" : `_x${found.charCodeAt(0).toString(16).toUpperCase()}_`;
}
