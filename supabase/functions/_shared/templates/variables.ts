import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { timeOf } from "../liquid/times.ts";
import { isObject } from "../values/depth.ts";
import { isSafeSrc } from "../values/links.ts";
import { compilePattern, type PatternWork, patternWork } from "./pattern.ts";
import type { Validation, Variable } from "./template.ts";

/** A variable whose value does not fit its declaration. */
export interface VariableError {
  variable: string;
  message: string;
}

/** The values of variables do not fit their declarations. */
export class WrongVariables extends Error {
  override name = "WrongVariables";
  constructor(readonly errors: readonly VariableError[]) {
    super("The variables do not fit the declarations of the template.");
  }
}

export interface Taken {
  /** The variables with a value, sent or default. */
  values: Record<string, unknown>;
  errors: VariableError[];
}

/**
 * The variables of a page. Sent values are checked by type and validation, and default values are filled in. Null counts as
 * not sent. A variable that is not declared is an error, because its name is probably misspelt. `work`: what the patterns of
 * the page may still cost.
 */
export function takeVariables(
  declared: readonly Variable[],
  sent: Readonly<Record<string, unknown>>,
  work = patternWork(),
): Taken {
  const values = new Map<string, unknown>();
  const errors: VariableError[] = [];
  for (const variable of declared) {
    const { name } = variable;
    const own = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const value = own ?? variable.default_value ?? undefined;
    if (value === undefined) {
      if (variable.required) errors.push({ variable: name, message: "is missing" });
      continue;
    }
    const message = faultOf(variable, value, work);
    if (message === undefined) values.set(name, value);
    else errors.push({ variable: name, message });
  }
  const names = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(sent)) {
    if (!names.has(name)) errors.push({ variable: name, message: "is not declared" });
  }
  return { values: Object.fromEntries(values), errors };
}

/** Checks a value. Returns a message, or undefined if the value is valid. */
export function faultOf(
  { type, validation }: Variable,
  value: unknown,
  work = patternWork(),
): string | undefined {
  return TYPES[type]?.(value) ?? (validation ? faultBy(validation, type, value, work) : undefined);
}

const TYPES: Record<Variable["type"], (value: unknown) => string | undefined> = {
  string: (value) => unless(typeof value === "string", "must be a string"),
  number: (value) => unless(Number.isFinite(value), "must be a number"),
  boolean: (value) => unless(typeof value === "boolean", "must be true or false"),
  array: (value) => unless(Array.isArray(value), "must be a list"),
  object: (value) => unless(isObject(value), "must be an object"),
  image: (value) =>
    unless(
      isObject(value) &&
        (isText(value.asset_id) || (isText(value.url) && isSafeSrc(value.url))) &&
        (value.alt === undefined || value.alt === null || typeof value.alt === "string"),
      "must be an image: {asset_id, alt} or {url, alt}",
    ),
  color: (value) =>
    unless(
      typeof value === "string" && /^#[0-9A-Fa-f]{6}$/.test(value),
      "must be a color like #1a2b3c",
    ),
  date: (value) => unless(isDate(value), "must be a date such as 2026-01-01"),
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const DATE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Whether a value is a date, with or without a time. */
function isDate(value: unknown): boolean {
  const day = typeof value === "string" ? DATE.exec(value)?.[1] : undefined;
  if (day === undefined || Number.isNaN(Date.parse(value as string))) return false;
  // JavaScript reads the 30th of February as the 2nd of March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function faultBy(
  rules: Validation,
  type: Variable["type"],
  value: unknown,
  work: PatternWork,
): string | undefined {
  return (
    faultBySize(rules, type, value) ??
    faultByLength(rules, value) ??
    (typeof rules.pattern === "string" && typeof value === "string"
      ? faultByPattern(rules.pattern, value, work)
      : undefined) ??
    (Array.isArray(rules.options)
      ? unless(rules.options.includes(value), `must be one of ${rules.options.join(", ")}`)
      : undefined)
  );
}

function faultByPattern(pattern: string, value: string, work: PatternWork): string | undefined {
  try {
    return unless(compilePattern(pattern, work).test(value), `must match ${pattern}`);
  } catch (error) {
    if (error instanceof TemplateLimit) return "is too long for its pattern";
    // The pattern was saved through supabase-js, which does not check it.
    if (error instanceof TemplateMistake) return "has an invalid pattern";
    throw error;
  }
}

function faultBySize(
  { min, max }: Validation,
  type: Variable["type"],
  value: unknown,
): string | undefined {
  const size = (one: unknown) =>
    (type === "date" ? timeOf(one)?.at : typeof one === "number" ? one : undefined) ?? Number.NaN;
  // Values without an order are neither too small nor too large.
  if (isThere(min) && size(value) < size(min)) return `must be at least ${min}`;
  if (isThere(max) && size(value) > size(max)) return `must be at most ${max}`;
}

function faultByLength({ min_length, max_length }: Validation, value: unknown): string | undefined {
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  const unit = typeof value === "string" ? "characters" : "entries";
  // In code points, as the database counts.
  const length = typeof value === "string" ? [...value].length : value.length;
  if (isThere(min_length) && length < min_length) return `must have at least ${min_length} ${unit}`;
  if (isThere(max_length) && length > max_length) return `must have at most ${max_length} ${unit}`;
}

const isThere = <Value>(value: Value | null | undefined): value is Value =>
  value !== null && value !== undefined;

function unless(isGood: boolean, message: string): string | undefined {
  return isGood ? undefined : message;
}
