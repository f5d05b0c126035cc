/** The longest subject, in characters. */
const LONGEST_SUBJECT = 255;

/** Whatever ends a line or is not seen: in a header it could begin another one. */
const UNSEEN = /[\p{Cc}\u2028\u2029]+/gu;

/** A text for a header: control characters, line ends among them, are blanks. */
export const oneLine = (text: string): string => text.replace(UNSEEN, " ").trim();

/** The same as a subject, which is no longer than mail programs show. */
export function subjectLine(text: string): string {
  const characters = [...oneLine(text).replace(/ {2,}/g, " ")];
  if (characters.length <= LONGEST_SUBJECT) return characters.join("");
  return `${characters.slice(0, LONGEST_SUBJECT - 1).join("")}…`;
}
