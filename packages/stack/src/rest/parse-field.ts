import type { Field, JsonStep } from "./ast.js";
import type { Scanner } from "./scanner.js";

/** Maximum steps of a JSON path: Postgres parses them as nested expressions. */
const MAX_DEPTH = 64;

/** Parses a column name and JSON path. */
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
    if (path.length === MAX_DEPTH) scanner.fail("a shorter JSON path");
    path.push({ arrow, operand });
  }
}
