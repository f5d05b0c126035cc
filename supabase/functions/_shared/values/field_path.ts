/** A path as text: `["items", 0, "price"]` becomes `items[0].price`. */
export function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, i) =>
      typeof step === "number" ? `[${step}]` : `${i > 0 ? "." : ""}${String(step)}`,
    )
    .join("");
}
