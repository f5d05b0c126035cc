import { pathOf } from "./field_path.ts";

/** Characters that Postgres stores in neither text nor jsonb. With the flag `u`, a complete pair is one character. */
const UNKEPT = /[\0\p{Surrogate}]/u;
const MESSAGE = "must not contain a null character or half of a surrogate pair";

/** The texts and field names in a value that Postgres cannot store. It recurses, so the depth must be limited before. */
export function unkeptTexts(sent: unknown): { field: string; message: string }[] {
  const found: { field: string; message: string }[] = [];
  const path: PropertyKey[] = [];
  const isUnkept = (text: string): boolean => {
    const unkept = UNKEPT.test(text);
    if (unkept) found.push({ field: pathOf(path), message: MESSAGE });
    return unkept;
  };
  const look = (value: unknown): void => {
    if (typeof value === "string") isUnkept(value);
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      path.push(Array.isArray(value) ? Number(name) : name);
      if (!isUnkept(name)) look(inner);
      path.pop();
    }
  };
  look(sent);
  return found;
}
