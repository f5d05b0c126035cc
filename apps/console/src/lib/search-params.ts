/** Reads what the address says, as far as it is one of these; undefined otherwise. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  given: unknown,
): Value | undefined => values.find((value) => value === given);

/** A text of the address; undefined where it is empty. */
export const textOf = (given: unknown): string | undefined =>
  (typeof given === "string" && given !== "") || typeof given === "number"
    ? String(given)
    : undefined;
