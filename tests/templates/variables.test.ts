import { describe, expect, it } from "vitest";
import type { Variable } from "../../supabase/functions/_shared/templates/template.ts";
import { checkVariables, faultOf } from "../../supabase/functions/_shared/templates/variables.ts";

const variable = (type: Variable["type"], validation?: Variable["validation"]): Variable => ({
  name: "it",
  type,
  validation,
});

describe("a value of a type", () => {
  it.each([
    ["string", ["", "x"], [1, true, [], {}]],
    ["number", [0, -1.5], ["1", Number.NaN, Number.POSITIVE_INFINITY, true]],
    ["boolean", [true, false], ["true", 0]],
    ["array", [[], [1]], [{}, "[]"]],
    ["object", [{}, { a: 1 }], [[], "x"]],
    ["color", ["#1a2B3c"], ["red", "#123", "#1a2b3c;x", "url(x)"]],
    ["date", ["2026-02-28", "2026-01-01T10:00:00Z"], ["2026-02-30", "tomorrow", "2026-1-1", 5]],
    [
      "image",
      [{ asset_id: "a" }, { url: "https://a.example/x.png", alt: "x" }, { url: "/x.png" }],
      [
        {},
        { url: "javascript:alert(1)" },
        { url: "//a.example/x" },
        "x.png",
        { url: "/x", alt: 1 },
      ],
    ],
  ] as const)("%s", (type, good, bad) => {
    for (const value of good) expect(faultOf(variable(type), value)).toBeUndefined();
    for (const value of bad) expect(faultOf(variable(type), value)).toMatch(/^must be /);
  });
});

describe("a validation", () => {
  it.each([
    ["number", { min: 1, max: 4 }, [1, 4], [0, 5]],
    [
      "date",
      { min: "2026-01-01", max: "2026-12-31" },
      ["2026-06-01"],
      ["2025-12-31", "2027-01-01"],
    ],
    ["string", { min_length: 1, max_length: 2 }, ["a", "😀😀"], ["", "abc"]],
    ["array", { min_length: 1, max_length: 2 }, [[1]], [[], [1, 2, 3]]],
    ["string", { pattern: "^[a-z]+$" }, ["abc"], ["", "a1"]],
    ["string", { options: ["a", "b"] }, ["a"], ["c"]],
    ["number", { options: [1, 2] }, [1], [3]],
  ] as const)("of a %s: %j", (type, validation, good, bad) => {
    const declared = variable(type, validation as unknown as Variable["validation"]);
    for (const value of good) expect(faultOf(declared, value)).toBeUndefined();
    for (const value of bad) expect(faultOf(declared, value)).toMatch(/^must /);
  });

  it("by patterns does not take longer for many of them, or for long texts", () => {
    const declared = Array.from({ length: 100 }, (_, n) => ({
      ...variable("string", { pattern: "(a|b)*c" }),
      name: `v${n}`,
    }));
    const text = "a".repeat(9_000);
    const sent = Object.fromEntries(declared.map(({ name }) => [name, text]));
    const messages = checkVariables(declared, sent).errors.map(({ message }) => message);
    // The first ones are checked, the rest is refused unread.
    expect(messages[0]).toBe("must match (a|b)*c");
    expect(messages[99]).toBe("is too long for its pattern");
    expect(faultOf(declared[0] as Variable, "a".repeat(100_000))).toBe(
      "is too long for its pattern",
    );
    expect(checkVariables(declared, { v0: "abc", v1: "bc", v99: "c" }).errors).toEqual([]);
  });

  it("by a pattern ends in time", () => {
    expect(faultOf(variable("string", { pattern: "^(a+)+$" }), `${"a".repeat(5_000)}!`)).toMatch(
      /must match|too long/,
    );
    expect(faultOf(variable("string", { pattern: "(?=x)" }), "x")).toBe("has an invalid pattern");
  });
});

it("fills in defaults, takes null as not sent, and reports each error", () => {
  const declared: Variable[] = [
    { name: "title", type: "string", default_value: "Welcome" },
    { name: "size", type: "number", default_value: 3 },
    { name: "tint", type: "color", required: true },
    { name: "note", type: "string" },
  ];
  expect(checkVariables(declared, { size: null, tint: "#000000" })).toEqual({
    values: { title: "Welcome", size: 3, tint: "#000000" },
    errors: [],
  });
  expect(checkVariables(declared, { size: "3", constructor: 1, toString: 1 }).errors).toEqual([
    { variable: "size", message: "must be a number" },
    { variable: "tint", message: "is missing" },
    { variable: "constructor", message: "is not declared" },
    { variable: "toString", message: "is not declared" },
  ]);
});
