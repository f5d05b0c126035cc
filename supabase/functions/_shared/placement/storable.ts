/** Whether Postgres can hold a value of JSON: no text or name in it has NUL or half of a surrogate pair. */
export function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && !/\p{Surrogate}/u.test(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, part]) => isStorable(name) && isStorable(part));
}
