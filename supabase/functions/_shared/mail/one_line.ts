/** Maximum length of a subject, in characters. */
const LONGEST_SUBJECT = 255;

/** Control characters and line separators, which could start another header. */
const UNSEEN = /[\p{Cc}\u2028\u2029]+/gu;

/** A text for a header: control characters and line ends become blanks. */
export const oneLine = (text: string): string => text.replace(UNSEEN, " ").trim();

/** The same for a subject, cut to its maximum length. */
export function subjectLine(text: string): string {
  const characters = [...oneLine(text).replace(/ {2,}/g, " ")];
  if (characters.length <= LONGEST_SUBJECT) return characters.join("");
  return `${characters.slice(0, LONGEST_SUBJECT - 1).join("")}…`;
}
