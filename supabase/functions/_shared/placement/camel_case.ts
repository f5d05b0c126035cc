import { ApiError, toApiError } from "../http/errors.ts";

// Campaigns and the configuration of categories are asked for in camelCase; the database knows no capitals.

/** `bidAmount` of `bid_amount`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `bid_amount` of `bidAmount`. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

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
export const inSnakeCase = (record: object) => renamed(record, snakeCase);

/** What the database answers; what it refuses names the fields as they were sent. */
export async function blamedAsSent<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (thrown) {
    const error = toApiError(thrown);
    // What is our fault is logged as it was thrown.
    if (error.status === 500) throw thrown;
    const fields = error.fields.map((blamed) => ({ ...blamed, field: camelCase(blamed.field) }));
    const message = error.fields.reduce(
      (text, { field }) => text.replaceAll(field, camelCase(field)),
      error.message,
    );
    throw new ApiError(error.code, message, fields, error.headers);
  }
}
