import type { Field, JsonStep } from "./ast.js";
import type { Scanner } from "./scanner.js";

/** A column's name and the way into its JSON. */
export function field(scanner: Scanner): Field {
  const name = scanner.name();
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
      const ends = scanner.done || ["->", "::", ".", ",", ")"].some((end) => scanner.peek(end));
      return digits !== "" && ends ? sign + digits : null;
    });
    const operand =
      index !== null
        ? { index }
        : {
            key: scanner.dashed(
              () => scanner.until("(-:.,>)").trim(),
              "any non reserved character different from: .,>()",
            ),
          };
    path.push({ arrow, operand });
  }
}
