/** Returns the value if it is one of these; otherwise undefined. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  given: unknown,
): Value | undefined => values.find((value) => value === given);

/** Returns the value as text; undefined if it is empty. */
export const textOf = (given: unknown): string | undefined =>
  (typeof given === "string" && given !== "") || typeof given === "number"
    ? String(given)
    : undefined;
