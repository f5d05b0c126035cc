import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compilePlain, render } from "../../supabase/functions/_shared/liquid/engine.ts";
import { TemplateMistake } from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { aPage } from "./pages.js";

// The examples of Golden Liquid (github.com/jg-rp/golden-liquid, MIT), which Ruby's Liquid agrees with. They are not in this
// repository: GOLDEN_LIQUID=…/golden_liquid.json npx vitest run tests/templates/golden-liquid.test.ts

interface Golden {
  name: string;
  template: string;
  data?: Record<string, unknown>;
  result?: string;
  results?: string[];
  invalid?: boolean;
}

/** The names of examples with another result here, and why. docs/template-language.md says the same. */
const DIFFERENCES: readonly (readonly [RegExp, string])[] = [
  [/^tags, (render|include|tablerow|liquid|raw|increment|decrement|ifchanged|doc),/, "no such tag"],
  [/liquid tag$|with raw tags$/, "no such tag"],
  [
    /^filters, (has|reject|find index|replace last|remove last|escape|escape once|url (en|de)code|base64 .*code|strip html|newline to br),/,
    "no such filter",
  ],
  [
    /^filters, (compact|find|map|sort natural|sum|uniq|where|sort), /,
    "lists of records only, by a name that is a text",
  ],
  [
    /^filters, (concat|default|divided by|at least|join|minus|modulo|plus|replace|replace first|round|slice|split|truncate|truncatewords), /,
    "arguments are checked, and numbers are decimal",
  ],
  [/^filters, date, /, "dates of the API only"],
  [/^(filters, (first|last|reverse)|special), /, "records have no order, and are not written"],
  [
    /^whitespace control, suppress|only whitespace|^tags, for, blank empty loops$|only whitespace and comments/,
    "blank blocks keep their blanks",
  ],
  [/^identifiers, |^output, /, "names and paths as in liquidjs"],
  [/^blank and empty, n(il|ull) is equal to blank$/, "nil is a value of its own"],
  [/^tags, (case|if), /, "one branch, and mistakes are refused"],
  [/^tags, comment, nested/, "comments do not nest"],
  [/^tags, for, /, "a loop knows neither its name nor its parent"],
  [/^tags, (echo|inline comment), /, "mistakes are refused"],
];

/** The result of a template; undefined for a mistake. */
async function shown(template: string, data: Record<string, unknown>): Promise<string | undefined> {
  try {
    return await render(compilePlain(template), data, aPage());
  } catch (error) {
    if (error instanceof TemplateMistake) return undefined;
    throw error;
  }
}

const path = process.env.GOLDEN_LIQUID;

it("agrees with Golden Liquid but for what the page of the language says", {
  skip: path === undefined, // The file is not in this repository.
}, async () => {
  const { tests }: { tests: Golden[] } = JSON.parse(readFileSync(path as string, "utf8"));
  const differing: string[] = [];
  for (const { name, template, data = {}, result, results = [result], invalid = false } of tests) {
    const given = await shown(template, data);
    if (invalid ? given !== undefined : !results.includes(given)) differing.push(name);
  }
  console.log(`${tests.length - differing.length} of ${tests.length} agree`);
  const known = (name: string) => DIFFERENCES.some(([names]) => names.test(name));
  expect(differing.filter((name) => !known(name))).toEqual([]);
  const unused = DIFFERENCES.filter(([names]) => !differing.some((name) => names.test(name)));
  expect(unused).toEqual([]);
});
