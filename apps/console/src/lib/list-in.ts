/** The parts of a text that are separated by commas, without empty ones. */
export const listIn = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
