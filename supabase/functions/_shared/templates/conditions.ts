import { comparedNumbers } from "../liquid/numbers.ts";
import { isObject } from "../values/depth.ts";
import type { Comparison, Expression, RenderCondition } from "./template.ts";

/** The values that texts and conditions can read, by name. */
export type Scope = Readonly<Record<string, unknown>>;

/** Whether a section with these conditions is shown. All of them must hold. */
export function isShown(
  conditions: readonly RenderCondition[] | null | undefined,
  scope: Scope,
): boolean {
  return (conditions ?? []).every(
    ({ expression, action }) => holds(expression, scope) === (action !== "hide"),
  );
}

/**
 * Whether an expression holds. The comparisons of a list are joined from first to last, each by its own `logic`, by default
 * AND. An empty list holds.
 */
export function holds(expression: Expression, scope: Scope): boolean {
  if (Array.isArray(expression)) {
    return expression.reduce(
      (held, one, i) => joined(held, i === 0 ? "AND" : one.logic, () => holds(one, scope)),
      true,
    );
  }
  if (!("conditions" in expression)) return compares(expression, scope);
  const { operator, conditions } = expression;
  if (operator === "OR") return conditions.some((one) => holds(one, scope));
  const all = conditions.every((one) => holds(one, scope));
  return operator === "NOT" ? !all : all;
}

function joined(held: boolean, logic: Comparison["logic"], next: () => boolean): boolean {
  return logic === "OR" ? held || next() : held && next();
}

function compares({ variable, operator, value }: Comparison, scope: Scope): boolean {
  const found = valueAt(scope, variable);
  const isThere = found !== undefined && found !== null;
  switch (operator) {
    case "exists":
      // `value: false` means that the variable must not exist.
      return isThere === (value !== false);
    case "equals":
      return isThere && isSame(found, value);
    case "not_equals":
      return !isThere || !isSame(found, value);
    case "contains":
      return isThere && contains(found, value);
    case "greater_than":
      return (order(found, value) ?? 0) > 0;
    case "less_than":
      return (order(found, value) ?? 0) < 0;
    default:
      return false;
  }
}

/** The value at a dotted path. It reads own properties only, and nothing that JavaScript objects inherit. */
export function valueAt(scope: Scope, path: string): unknown {
  let value: unknown = scope;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function contains(found: unknown, value: unknown): boolean {
  if (typeof found === "string") return typeof value !== "object" && found.includes(String(value));
  if (Array.isArray(found)) return found.some((one) => isSame(one, value));
  return isObject(found) && typeof value === "string" && Object.hasOwn(found, value);
}

/**
 * Negative, zero or positive, as the first value is less, equal or greater; undefined if they cannot be compared. Prices are
 * numbers, but attributes of products are texts, also numeric ones.
 */
function order(a: unknown, b: unknown): number | undefined {
  const compared = comparedNumbers(a, b);
  if (compared !== undefined) return compared;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
}

/** Depth of the comparison, which is the largest depth of a condition's value. It bounds the work. */
const LEVELS = 5;

function isSame(a: unknown, b: unknown, levels = LEVELS): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return comparedNumbers(a, b) === 0;
  }
  if (levels === 0 || Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        isSame(
          (a as Record<string, unknown>)[key],
          (b as Record<string, unknown>)[key],
          levels - 1,
        ),
    )
  );
}
