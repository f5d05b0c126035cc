import type { Context } from "hono";
import { z } from "zod";
import { Refusal } from "./refusals.js";

/** Like Supabase Auth, treats a missing field and null as the empty string. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const json = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? null);

export const invalid = (message: string) => new Refusal(400, "validation_failed", message);

/** Reads a JSON body and validates it against the schema. Throws `bad_json`. */
export async function readBody<T extends z.ZodType>(c: Context, shape: T): Promise<z.output<T>> {
  const unreadable = (why: string) =>
    new Refusal(400, "bad_json", `Could not parse request body as JSON: ${why}`);
  let body: unknown;
  try {
    // Hosted Auth reads null as an object without fields.
    body = JSON.parse(await c.req.text()) ?? {};
  } catch (error) {
    throw unreadable(error instanceof SyntaxError ? "invalid syntax" : String(error));
  }
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadable(`${issue?.path.join(".") || "body"}: ${issue?.message}`);
}

/** Returns the address in lower case. Throws `validation_failed`. */
export function checkEmail(email: string, status = 400): string {
  const fail = (why: string) => new Refusal(status, "validation_failed", why);
  if (email === "") throw fail("An email address is required");
  if (email.length > 255) throw fail("An email address is too long");
  if (!z.regexes.html5Email.test(email))
    throw fail("Unable to validate email address: invalid format");
  return email.toLowerCase();
}

/** Parses a duration in Go's format (`1h30m`, `300ms`) to milliseconds; null if it is invalid. */
export function milliseconds(duration: string): number | null {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  if (!/^(0|(\d+(\.\d+)?(ms|s|m|h))+)$/.test(duration)) return null;
  let sum = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * (units[unit as string] as number);
  }
  return sum;
}
