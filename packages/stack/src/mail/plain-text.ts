/** Elements whose content is not text. */
const UNREAD = /^(style|script|title|template)\b/i;
/** Elements that begin and end a line. */
const BLOCK = /^\/?(p|div|br|tr|td|th|li|h[1-6]|table|blockquote|ul|ol|hr)\b/i;

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * Returns the text of HTML, for lists and searches of mails without a text part. Takes linear time.
 */
export function textOfHtml(html: string): string {
  let text = "";
  let unread: string | undefined;
  for (const [at, piece] of withoutComments(html).split("<").entries()) {
    if (at === 0) {
      text += piece;
      continue;
    }
    const end = piece.indexOf(">");
    const tag = end < 0 ? piece : piece.slice(0, end);
    if (unread !== undefined) {
      if (!tag.toLowerCase().startsWith(`/${unread}`)) continue;
      unread = undefined;
    } else {
      unread = UNREAD.exec(tag)?.[1]?.toLowerCase();
      if (unread !== undefined) continue;
    }
    if (BLOCK.test(tag)) text += "\n";
    if (end >= 0) text += piece.slice(end + 1);
  }
  return text
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, decoded)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Removes comments: mails for Outlook contain whole tables in comments. */
function withoutComments(html: string): string {
  const [before = "", ...comments] = html.split("<!--");
  const after = comments.map((piece) => {
    const end = piece.indexOf("-->");
    return end < 0 ? "" : piece.slice(end + 3);
  });
  return before + after.join("");
}

function decoded(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity;
  const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return point <= 0x10ffff ? String.fromCodePoint(point) : entity;
}
