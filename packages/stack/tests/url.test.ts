import { expect, test } from "vitest";
import { parseUrl } from "../src/url.js";

test("a URL with letters beyond ASCII stays valid, also after V8 has compiled the parser", () => {
  let refused = 0;
  for (let n = 0; n < 100_000; n++) {
    if (!parseUrl("https://münchen.example/käse")) refused += 1;
  }
  expect(refused).toBe(0);
  expect(parseUrl("münchen")).toBeUndefined();
});
