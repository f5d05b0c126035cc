/** Splits a text at commas, and drops empty parts. */
export const listIn = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
