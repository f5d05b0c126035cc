import { describe, expect, it } from "vitest";
import { holds, isShown, valueAt } from "../../supabase/functions/_shared/templates/conditions.ts";
import type { Operator } from "../../supabase/functions/_shared/templates/template.ts";

const scope = {
  product: { price: 20, name: "Brass lantern", tags: ["new", "brass"], stock: "5", none: null },
  device: "mobile",
};

const compare = (variable: string, operator: Operator, value?: unknown) =>
  holds({ variable, operator, value }, scope);

describe("a comparison", () => {
  it.each([
    ["product.price", "equals", 20, true],
    ["product.price", "equals", "20", true],
    ["product.price", "equals", 21, false],
    ["product.name", "equals", "Brass lantern", true],
    ["product.tags", "equals", ["new", "brass"], true],
    ["product.tags", "equals", ["brass", "new"], false],
    ["product.price", "not_equals", 21, true],
    ["product.price", "not_equals", 20, false],
    ["product.price", "greater_than", 19.5, true],
    ["product.stock", "greater_than", 4, true],
    ["product.price", "greater_than", 20, false],
    ["product.price", "less_than", 21, true],
    ["product.name", "less_than", "C", true],
    ["product.name", "less_than", 3, false],
    ["product.name", "contains", "lantern", true],
    ["product.tags", "contains", "brass", true],
    ["product.tags", "contains", "bra", false],
    ["product", "contains", "price", true],
    ["product.tags.0", "equals", "new", true],
    ["product.price", "exists", undefined, true],
    ["product.price", "exists", false, false],
  ] as const)("%s %s %j is %s", (variable, operator, value, outcome) => {
    expect(compare(variable, operator, value)).toBe(outcome);
  });

  it.each([
    "nobody",
    "product.none",
    "product.nobody.there",
  ])("with the missing variable %s is false, except not_equals", (missing) => {
    expect(compare(missing, "exists")).toBe(false);
    expect(compare(missing, "exists", false)).toBe(true);
    expect(compare(missing, "equals", null)).toBe(false);
    expect(compare(missing, "contains", "")).toBe(false);
    expect(compare(missing, "greater_than", -1)).toBe(false);
    expect(compare(missing, "less_than", 1)).toBe(false);
    expect(compare(missing, "not_equals", 1)).toBe(true);
  });

  it("an unknown operator is false", () => {
    expect(compare("product.price", "matches" as Operator, 20)).toBe(false);
  });
});

it("a path reads own properties only", () => {
  for (const path of ["constructor", "product.__proto__", "product.tags.map", "product.name.big"]) {
    expect(valueAt(scope, path)).toBeUndefined();
  }
  expect(valueAt(JSON.parse('{"__proto__": {"a": 1}}'), "__proto__.a")).toBe(1);
});

const yes = { variable: "device", operator: "equals", value: "mobile" } as const;
const no = { variable: "device", operator: "equals", value: "desktop" } as const;

it("joins conditions by AND, OR and NOT", () => {
  expect(holds({ operator: "AND", conditions: [yes, no] }, scope)).toBe(false);
  expect(holds({ operator: "AND", conditions: [yes, yes] }, scope)).toBe(true);
  expect(holds({ operator: "OR", conditions: [no, yes] }, scope)).toBe(true);
  expect(holds({ operator: "OR", conditions: [] }, scope)).toBe(false);
  expect(holds({ operator: "NOT", conditions: [no] }, scope)).toBe(true);
  expect(holds({ operator: "NOT", conditions: [yes, no] }, scope)).toBe(true);
  const nested = {
    operator: "NOT" as const,
    conditions: [{ operator: "OR" as const, conditions: [no, yes] }],
  };
  expect(holds(nested, scope)).toBe(false);
});

it("joins the comparisons of a list from first to last", () => {
  expect(holds([], scope)).toBe(true);
  expect(holds([yes, no], scope)).toBe(false);
  expect(holds([no, { ...yes, logic: "OR" }], scope)).toBe(true);
  // (yes or no) and no
  expect(holds([yes, { ...no, logic: "OR" }, { ...no, logic: "AND" }], scope)).toBe(false);
  // The logic of the first has no meaning.
  expect(holds([{ ...no, logic: "OR" }], scope)).toBe(false);
});

it("shows a section only if all its conditions hold", () => {
  expect(isShown(undefined, scope)).toBe(true);
  expect(isShown([], scope)).toBe(true);
  expect(isShown([{ expression: yes, action: "show" }], scope)).toBe(true);
  expect(isShown([{ expression: yes, action: "hide" }], scope)).toBe(false);
  expect(isShown([{ expression: no, action: "hide" }], scope)).toBe(true);
  const both = [
    { expression: yes, action: "show" as const },
    { expression: no, action: "show" as const },
  ];
  expect(isShown(both, scope)).toBe(false);
});
