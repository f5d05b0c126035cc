import { type Context, Drop, defaultOperators, toValueSync } from "liquidjs";
import type { Budget } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import { comparedNumbers } from "./numbers.ts";
import { pageOf } from "./page.ts";
import { placesOf } from "./searching.ts";
import { plainValue, textOf } from "./texts.ts";

const DEEPEST = 100;

/** `empty`, `blank` and `nil`, which compare themselves with other values, some of them by a generator. */
interface Comparable {
  equals(value: unknown): unknown;
}

function isComparable(value: unknown): value is Comparable {
  return value instanceof Drop && typeof (value as unknown as Comparable).equals === "function";
}

/** Whether two values are equal. Lists are equal if their items are. */
export function same(left: unknown, right: unknown, budget: Budget, depth = 0): boolean {
  if (depth > DEEPEST) throw new TemplateLimit("depth", DEEPEST);
  if (isComparable(left)) return isLike(left, counted(right, budget));
  if (isComparable(right)) return isLike(right, counted(left, budget));
  const a = plainValue(left);
  const b = plainValue(right);
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    budget.items(a.length);
    return a.every((item, index) => same(item, b[index], budget, depth + 1));
  }
  // Texts of the same length are compared character by character.
  if (typeof a === "string" && typeof b === "string" && a.length === b.length)
    budget.text(a.length);
  return a === b;
}

const isLike = (drop: Comparable, value: unknown): boolean =>
  toValueSync(drop.equals(value) as Parameters<typeof toValueSync>[0]) === true;

function counted(value: unknown, budget: Budget): unknown {
  const own = isComparable(value) ? value : plainValue(value);
  if (typeof own !== "string" || own === "") return own;
  budget.text(own.length);
  // These match a text with a slow regular expression. One character has the same result.
  return own.trim() === "" ? " " : "x";
}

/**
 * Compares two values: negative if the left one is less, positive if the right one is, undefined if they have no order. Numbers
 * have an order, texts have one, and so have a number and a numeric text.
 */
export function compared(left: unknown, right: unknown, budget: Budget): number | undefined {
  const a = ordinal(left);
  const b = ordinal(right);
  if (typeof a === "string" && typeof b === "string") {
    budget.text(Math.min(a.length, b.length));
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return comparedNumbers(a, b);
}

function ordinal(value: unknown): unknown {
  const own = plainValue(value);
  return own instanceof Date ? own.getTime() : own;
}

function contains(left: unknown, right: unknown, budget: Budget): boolean {
  const within = plainValue(left);
  if (Array.isArray(within)) {
    budget.items(within.length);
    return within.some((item) => same(item, right, budget));
  }
  if (typeof within !== "string") return false;
  const word = textOf(right, budget);
  budget.text(within.length);
  return placesOf(within, word, 1).length > 0;
}

type Order = (difference: number) => boolean;

function ordered(holds: Order) {
  return (left: unknown, right: unknown, context: Context) => {
    const difference = compared(left, right, pageOf(context).budget);
    return difference !== undefined && holds(difference);
  };
}

/**
 * The operators of expressions. The engine's own operators convert lists and records to texts of unbounded length before they
 * compare them.
 */
export const OPERATORS: typeof defaultOperators = {
  ...defaultOperators,
  "==": (left, right, context) => same(left, right, pageOf(context).budget),
  "!=": (left, right, context) => !same(left, right, pageOf(context).budget),
  ">": ordered((difference) => difference > 0),
  "<": ordered((difference) => difference < 0),
  ">=": ordered((difference) => difference >= 0),
  "<=": ordered((difference) => difference <= 0),
  contains: (left, right, context) => contains(left, right, pageOf(context).budget),
};
