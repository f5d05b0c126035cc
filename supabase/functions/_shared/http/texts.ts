import { type FieldError, pathOf } from "./errors.ts";

/** What neither a text nor a jsonb of Postgres holds. Halves of a pair that stand together are one character. */
const UNKEPT = /[\0\p{Surrogate}]/u;
const MESSAGE = "may hold neither NUL nor half of a surrogate pair";

/** The texts in a value, and the names of its fields, that Postgres cannot keep. Not for endless depths. */
export function unkeptTexts(sent: unknown): FieldError[] {
  const found: FieldError[] = [];
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
