import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compilePlain, render } from "../../supabase/functions/_shared/liquid/engine.ts";
import { FILTERS } from "../../supabase/functions/_shared/liquid/filters.ts";
import { createLocale } from "../../supabase/functions/_shared/liquid/formats.ts";
import { aPage } from "./pages.js";

// Runs the examples of docs/template-language.md.

const page = readFileSync("docs/template-language.md", "utf8");
const examples = [...page.matchAll(/^\| `(\{\{.*?\}\})` \| (.*) \|$/gm)].map(
  ([, text, gives]) => [(text as string).replaceAll("\\|", "|"), gives as string] as const,
);

const scope = {
  list: [
    { name: "Saffron", kind: "yellow", price: 12.5, note: "dear" },
    { name: "Sumac", kind: "red", price: 2.5 },
  ],
  picture: "a",
};

it.each(examples)("%s gives %s", async (text, gives) => {
  const shown = {
    ...aPage(),
    locale: createLocale("en", {}, "EUR"),
    translate: (_: string, count?: number) => (count === undefined ? "Welcome" : `${count} pieces`),
    asset: () => ({ url: "/picture.png", srcset: "/picture.png 2x" }),
  };
  expect(await render(compilePlain(text), scope, shown)).toBe(gives);
});

it("documents every filter", () => {
  const words = new Set(page.match(/[a-z_]+/g));
  expect(Object.keys(FILTERS).filter((name) => !words.has(name))).toEqual([]);
  expect(examples.length).toBeGreaterThanOrEqual(Object.keys(FILTERS).length);
});

it.each([
  ["{% if none != blank %}shown{% endif %}", ""],
  ["{% if spaces != blank %}shown{% endif %}", ""],
  ["{% if picture != blank %}shown{% endif %}", "shown"],
  ["{% if picture == blank %}shown{% endif %}", ""],
  ["{% if list != empty %}shown{% endif %}", "shown"],
  ["{% if nothing == empty %}shown{% endif %}", "shown"],
  ["{% if nothing != empty %}shown{% endif %}", ""],
  ["{% case picture %}{% when blank %}blank{% else %}shown{% endcase %}", "shown"],
  ["{% case spaces %}{% when blank %}blank{% else %}shown{% endcase %}", "blank"],
])("%s gives %j", async (text, gives) => {
  const shown = { ...scope, spaces: "  ", nothing: [] };
  expect(await render(compilePlain(text), shown, aPage())).toBe(gives);
});
