import { expect, it } from "vitest";
import { createTextCache } from "../../supabase/functions/_shared/http/text_cache.ts";
import { cacheTimesOf } from "../../supabase/functions/_shared/templates/caching.ts";

it("keeps a text until it expires", () => {
  let time = 0;
  const memory = createTextCache(100_000, { now: () => time });
  expect(memory.put("a", "one", 10)).toEqual({ text: "one", until: 10_000 });
  time = 9_999;
  expect(memory.get("a")).toEqual({ text: "one", until: 10_000 });
  time = 10_000;
  expect(memory.get("a")).toBeUndefined();
  memory.put("b", "two", 0);
  expect(memory.get("b")).toBeUndefined();
});

it("drops the least recently used texts first, and does not keep large ones", () => {
  const memory = createTextCache(10_000);
  const large = "x".repeat(350);
  for (let n = 0; n < 10; n += 1) memory.put(`key ${n}`, large, 60);
  expect(memory.get("key 0")?.text).toBe(large);
  memory.put("one more", large, 60);
  memory.put("and one", large, 60);
  expect(memory.get("key 0")?.text).toBe(large);
  expect(memory.get("key 1")).toBeUndefined();
  memory.put("huge", "x".repeat(5_000), 60);
  expect(memory.get("huge")).toBeUndefined();
  // Putting a key again replaces its text, and takes no more room.
  for (let n = 0; n < 100; n += 1) memory.put("key 0", large, 60);
  expect(memory.get("and one")?.text).toBe(large);
});

it("follows the caching of a template", () => {
  expect(cacheTimesOf(null)).toEqual({ memory: 0, cdn: 0, warnings: [] });
  expect(cacheTimesOf({ strategy: "memory", duration: 60 })).toMatchObject({ memory: 60, cdn: 0 });
  expect(cacheTimesOf({ strategy: "cdn", duration: 1e9 })).toMatchObject({
    memory: 0,
    cdn: 86_400,
  });
  expect(cacheTimesOf({ strategy: "memory", duration: -5 })).toMatchObject({ memory: 0 });
  for (const strategy of ["redis", "filesystem"] as const) {
    expect(cacheTimesOf({ strategy, duration: 60 })).toMatchObject({
      memory: 0,
      cdn: 0,
      warnings: [{ code: "CACHING_NOT_SUPPORTED" }],
    });
  }
});
