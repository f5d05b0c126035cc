import { ApiError, toApiError } from "../http/errors.ts";

// Campaigns and the configuration of categories use camelCase in the API; the database uses snake_case.

/** `bid_amount` becomes `bidAmount`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `bidAmount` becomes `bid_amount`. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type InSnakeCase<Fields> = {
  [Name in keyof Fields as SnakeCase<Name> & string]: Fields[Name];
};

function renamed(record: object, name: (key: string) => string): Record<string, unknown> {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return value !== null && typeof value === "object" ? renamed(value, name) : value;
  };
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [name(key), inside(value)]),
  );
}

/** A record, and those in its lists, with fields as callers write them. */
export const inCamelCase = (record: object) => renamed(record, camelCase);

/** A record, and those in its lists, with fields as the database calls them. */
export const inSnakeCase = <Fields extends object>(record: Fields) =>
  renamed(record, snakeCase) as InSnakeCase<Fields>;

/** Awaits a response of the database. Refusals name the fields as they were sent. */
export async function blamedAsSent<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (thrown) {
    const error = toApiError(thrown);
    // Internal errors are logged with their original stack.
    if (error.status === 500) throw thrown;
    const fields = error.fields.map((blamed) => ({ ...blamed, field: camelCase(blamed.field) }));
    const message = error.fields.reduce(
      (text, { field }) => text.replaceAll(field, camelCase(field)),
      error.message,
    );
    throw new ApiError(error.code, message, fields, error.headers);
  }
}
