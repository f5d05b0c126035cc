import { describe, expect, it } from "vitest";
import { createBudget } from "../../supabase/functions/_shared/liquid/budget.ts";
import { TemplateLimit } from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { placesOf } from "../../supabase/functions/_shared/liquid/searching.ts";
import { compilePattern } from "../../supabase/functions/_shared/templates/pattern.ts";

const limit = (name: string, maximum: number) =>
  expect.objectContaining({ name: "TemplateLimit", limit: name, maximum });

describe("a budget", () => {
  it("names the exceeded limit", () => {
    const budget = createBudget({ steps: 3, output: 5 });
    budget.step(2);
    budget.step();
    expect(() => budget.step()).toThrow(limit("steps", 3));
    budget.written(5);
    expect(() => budget.written(1)).toThrow(limit("output", 5));
    expect(() => createBudget().items(10_001)).toThrow(limit("items", 10_000));
    expect(() => createBudget().text(1_000_001)).toThrow(limit("bytes", 1_000_000));
  });

  it("counts long lists and texts as steps", () => {
    const budget = createBudget({ steps: 2_000 });
    budget.items(10_000);
    expect(() => budget.text(1_000_000)).toThrow(TemplateLimit);
  });

  it("lets the event loop run every 2 ms", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    let time = 0;
    const budget = createBudget({ now: () => time });
    time = 2;
    expect(budget.due()).toBe(false);
    await budget.yieldIfDue();
    expect(turns).toBe(0);
    time = 3;
    expect(budget.due()).toBe(true);
    await budget.yieldIfDue();
    expect(turns).toBeGreaterThan(0);
    expect(budget.due()).toBe(false);
    clearInterval(timer);
  });
});

describe("a pattern", () => {
  it("matches anywhere unless it has anchors", () => {
    expect(compilePattern("b+").test("abba")).toBe(true);
    expect(compilePattern("^b+$").test("abba")).toBe(false);
    expect(compilePattern("^\\p{L}+$").test("été")).toBe(true);
  });

  it.each([
    "(",
    "a{1001}",
    "(a)\\1",
    "(?=a)",
    "[z-a]",
    "a".repeat(501),
    "(a{1000}){1000}",
  ])("is refused: %s", (pattern) => {
    expect(() => compilePattern(pattern)).toThrow("pattern");
  });

  it("runs in linear time", () => {
    for (const pattern of ["(a+)+$", "(a|a)+$", "(.*)*b", "(a?){30}a{30}$"]) {
      expect(compilePattern(pattern).test(`${"a".repeat(2_000)}!`)).toBe(false);
    }
    expect(() => compilePattern("\\pL{900}").test("a".repeat(10_000))).toThrow(TemplateLimit);
  });
});

describe("the offsets of a word", () => {
  it("are those that indexOf finds, with both algorithms", () => {
    const text = "abaabababaabbaababaa".repeat(20_000);
    for (const word of [
      "a",
      "abaab",
      "abaababa",
      "abaabababaabbaababaa",
      "aabbaababaaab",
      "none of it",
    ]) {
      const places: number[] = [];
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length))
        places.push(at);
      expect(placesOf(text, word)).toEqual(places);
      expect(placesOf(text, word, 2)).toEqual(places.slice(0, 2));
    }
    expect(placesOf("text", "")).toEqual([]);
  });
});
