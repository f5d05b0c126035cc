import { z } from "@hono/zod-openapi";

// The messages for invalid fields. Each is a sentence without its subject, which is the field (`must be a string`,
// `is missing`). Schemas with their own message override them.

type Issue = Parameters<NonNullable<z.core.$ZodConfig["customError"]>>[0];

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: Record<string, string> = {
  email: "be an e-mail address",
  url: "be an address (https://…)",
  guid: "be a UUID",
  uuid: "be a UUID",
  date: "be a date such as 2026-01-01",
  datetime: "be a time with its offset, such as 2026-01-01T12:00:00Z",
};

const UNITS: Record<string, readonly [one: string, many: string]> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

z.config({ customError: messageOf });

function messageOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(", ")}`;
    case "too_small":
      return sized(issue.origin, issue.inclusive ? "at least" : "more than", issue.minimum);
    case "too_big":
      return sized(issue.origin, issue.inclusive ? "at most" : "less than", issue.maximum);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return `must ${FORMATS[issue.format] ?? `match ${issue.pattern ?? issue.format}`}`;
    case "unrecognized_keys":
      return NOT_KNOWN;
    case "invalid_union":
      return eitherOf(issue.errors) ?? "has none of the allowed forms";
    default:
      return "has none of the allowed forms";
  }
}

/** The message for a value with several allowed forms; undefined unless each form has one message about the whole value. */
function eitherOf(forms: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const rules = forms.map(([first, ...others]) =>
    first && others.length === 0 && first.path.length === 0 ? first.message : "",
  );
  if (rules.length === 0 || !rules.every((rule) => rule.startsWith("must be "))) return undefined;
  return `must be ${[...new Set(rules.map((rule) => rule.slice("must be ".length)))].join(" or ")}`;
}

/** The message for a field that no schema names. */
export const NOT_KNOWN = "is not known here";

function sized(origin: string, bound: string, size: number | bigint): string {
  const [one, many] = UNITS[origin] ?? [];
  return one ? `must have ${bound} ${size} ${size === 1 ? one : many}` : `must be ${bound} ${size}`;
}
