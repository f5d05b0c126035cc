import type { Field, JsonStep } from "./ast.js";
import type { Scanner } from "./scanner.js";

/** How many steps a way into JSON may have: Postgres reads them as expressions within each other. */
const DEEPEST = 64;

/** A column's name and the way into its JSON. */
export function field(scanner: Scanner, expected?: string): Field {
  const name = scanner.name(expected);
  return { name, path: jsonPath(scanner) };
}

export function jsonPath(scanner: Scanner): JsonStep[] {
  const path: JsonStep[] = [];
  for (;;) {
    const arrow = scanner.accept("->>") ? "->>" : scanner.accept("->") ? "->" : null;
    if (!arrow) return path;
    const index = scanner.attempt(() => {
      const sign = scanner.accept("-") ? "-" : "";
      const digits = scanner.digits();
      const ends = scanner.done || ["->", "::", ".", ","].some((end) => scanner.peek(end));
      return digits !== "" && ends ? sign + digits : null;
    });
    if (index === null && scanner.accept("-")) scanner.fail("digit");
    const operand =
      index !== null
        ? { index }
        : {
            key: scanner.dashed(
              () => scanner.until("(-:.,>)").trim(),
              '"-", digit or any non reserved character different from: .,>()',
            ),
          };
    if (path.length === DEEPEST) scanner.fail("a shorter way into the JSON");
    path.push({ arrow, operand });
  }
}
