import { expect, test } from "vitest";
import { parseUrl } from "../src/url.js";

test("an address with letters beyond ASCII is one, also after it was parsed so often that V8 compiles the parsing", () => {
  let refused = 0;
  for (let n = 0; n < 100_000; n++) {
    if (!parseUrl("https://münchen.example/käse")) refused += 1;
  }
  expect(refused).toBe(0);
  expect(parseUrl("münchen")).toBeUndefined();
});
