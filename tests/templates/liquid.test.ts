import { describe, expect, it } from "vitest";
import { createBudget } from "../../supabase/functions/_shared/liquid/budget.ts";
import {
  compileFormula,
  compileHtml,
  compilePlain,
  compileTransformation,
  compileUrl,
  evaluate,
  render,
  safeHtml,
} from "../../supabase/functions/_shared/liquid/engine.ts";
import {
  TemplateLimit,
  TemplateMistake,
} from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { aPage } from "./pages.js";

const plain = (text: string, scope: object = {}, page = aPage()) =>
  render(compilePlain(text), scope, page);

const PRODUCTS = {
  products: [
    { name: "Chair", price: 30, tags: ["wood"] },
    { name: "apple", price: 2.5, tags: [] },
    { name: "Bench", price: "120", tags: ["wood", "new"] },
  ],
};

describe("a text", () => {
  const TEXTS: [text: string, expected: string][] = [
    [
      "{% for p in products %}{{ forloop.index }}{{ p.name }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
      "1Chair, 2apple, 3Bench",
    ],
    ["{{ products | map: 'name' | sort | join: ' ' }}", "Bench Chair apple"],
    ["{{ products | sort_natural: 'name' | map: 'name' | join: ' ' }}", "apple Bench Chair"],
    ["{{ products | where: 'name', 'Bench' | map: 'price' | first }}", "120"],
    ["{{ products | sum: 'price' }}", "152.5"],
    [
      "{{ products.size }} {{ products.first.name }} {{ products.last.name }} {{ products[-2].name }}",
      "3 Chair Bench apple",
    ],
    [
      "{% assign t = 'héllo' %}{{ t.size }} {{ t.first }} {{ t.last }} {{ t | slice: 1, 3 }} {{ t | slice: -2, 2 }}",
      "5 h o éll lo",
    ],
    [
      "{{ 'a-b-a' | replace: 'a', 'cc' }} {{ 'a-b-a' | remove_first: 'a' }} {{ 'a,b,,' | split: ',' | size }}",
      "cc-b-cc -b-a 2",
    ],
    [
      "{{ 'one two three' | truncatewords: 2 }} {{ 'abcdefghij' | truncate: 5 }} {{ '' | default: 'x' }}",
      "one two... ab... x",
    ],
    [
      "{{ 1.005 | round: 2 }} {{ 7 | modulo: 3 }} {{ '4' | times: 2.5 }} {{ -3 | abs }} {{ 9 | at_most: 5 }}",
      "1.01 1 10 3 5",
    ],
    ["{% case 'b' %}{% when 'a' %}A{% when 'b', 'c' %}B{% else %}C{% endcase %}", "B"],
    [
      "{% for i in (1..3) %}{% cycle 'x', 'y' %}{% endfor %}{% for i in (1..3) reversed %}{{ i }}{% endfor %}",
      "xyx321",
    ],
    [
      "{% cycle 'x', 'y' %}{% cycle 'x', 'y', 'z' %}{% cycle 'x', 'y' %} {% cycle 'a': 1, 2, 3 %}{% cycle 'a': 7, 8, 9 %}",
      "xxy 18",
    ],
    [
      "{% for i in (1..9) limit: 2 %}{{ i }}{% endfor %}{% for i in (1..9) limit: 2 offset: continue %}{{ i }}{% endfor %}",
      "1234",
    ],
    [
      "{% for i in (1..9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i > 4 %}{% break %}{% endif %}{{ i }}{% else %}none{% endfor %}",
      "134",
    ],
    ["{% for i in nothing %}{{ i }}{% else %}none{% endfor %}", "none"],
    [
      "{% capture c %}[{{ 1 }}]{% endcapture %}{{ c }}{% if c == '[1]' %}yes{% endif %}{% if c contains '1' %}!{% endif %}",
      "[1]yes!",
    ],
    [
      "{% echo 'a' | upcase %}{% comment %}{{ nothing }}{% endcomment %}{% # a remark %}{%- assign x = 1 -%} {{ x }}",
      "A1",
    ],
    ["{% if '' == empty and nil == blank and products contains nil %}a{% else %}b{% endif %}", "b"],
    [
      "{{ 'greeting' | t }} {{ 'items' | t: count: 3 }} {{ 1234.5 | number }} {{ 5 | money: 'USD' }} {{ '2024-03-09' | date }}",
      "[greeting] [items 3] 1,234.5 $5.00 Mar 9, 2024",
    ],
    [
      "{{ 'known' | asset_url }} {{ 'known' | srcset }}|{{ 'other' | asset_url }}",
      "/known.png /known.png 2x|",
    ],
    // An address, such as that of a marketplace's logo, is the picture itself.
    [
      "{{ 'https://far.example/a b.png' | asset_url }} {{ 'HTTP://far.example/a.png' | asset_url: width: 2 }}{{ 'https://far.example/a.png' | srcset }}",
      "https://far.example/a b.png HTTP://far.example/a.png",
    ],
    [
      "{{ 'sized' | asset_url: width: 400 }} {{ 'sized' | asset_url: width: 999 }} {{ 'known' | asset_url: width: 1 }}",
      "/sized-640.png /sized.png /known.png",
    ],
    [
      "{{ size }}{{ first }}{{ constructor }}{{ products.constructor }}{{ products[0].toString }}{{ empty.equals }}",
      "",
    ],
    ["{{ products }}{{ products[0] }}", ""],
  ];
  it.each(TEXTS)("%s", async (text, expected) => {
    expect(await plain(text, PRODUCTS)).toBe(expected);
  });

  it("warns of a missing picture", async () => {
    const page = aPage();
    await plain("{{ 'other' | srcset }}", {}, page);
    expect(page.warnings).toEqual([expect.objectContaining({ code: "ASSET_NOT_FOUND" })]);
  });

  it("inserts safe HTML unchanged, and escapes everything else", async () => {
    const scope = { html: safeHtml("<b>1</b>"), like: { html: "<i>" } };
    expect(
      await render(compileHtml("<p>{{ html }}{{ html.html }}{{ like }}</p>"), scope, aPage()),
    ).toBe("<p><b>1</b></p>");
  });

  it("encodes the outputs of an address once", async () => {
    const text =
      "/s?q={{ q }}&{% capture c %}{{ q }}{% endcapture %}c={{ c }}{% cycle q, '1' %}{% echo q %}";
    const encoded = "a%2F%26%20%C3%A9";
    expect(await render(compileUrl(text), { q: "a/& é" }, aPage())).toBe(
      `/s?q=${encoded}&c=${encoded}${encoded}${encoded}`,
    );
    expect(await render(compileUrl("{{ q }}"), { q: "\ud800" }, aPage())).toBe("%EF%BF%BD");
  });
});

describe("a formula", () => {
  it("returns values of any type", async () => {
    expect(await evaluate(compileFormula("price | times: 2"), { price: "2.5" }, aPage())).toBe(5);
    expect(await evaluate(compileFormula("a > 1 and b"), { a: 2, b: true }, aPage())).toBe(true);
    expect(
      await evaluate(compileFormula("html"), { html: safeHtml("<b>") }, aPage()),
    ).toBeInstanceOf(Object);
    expect(
      await evaluate(compileTransformation("upcase | append: '!'"), { value: "a" }, aPage()),
    ).toBe("A!");
  });
});

describe("a mistake", () => {
  const MISTAKES: [text: string, message: RegExp, line: number, column: number][] = [
    ["a\n b {{ c | raw }}", /there is no filter raw/, 2, 4],
    ["{% raw %}{{ a }}{% endraw %}", /there is no tag raw/, 1, 1],
    ["x{% include 'a' %}", /there is no tag include/, 1, 2],
    ["{% if a %}", /not closed/, 1, 1],
    ["\n{{ a", /not closed/, 2, 1],
    ["{{ a | where_exp: 'x', 'x' }}", /there is no filter where_exp/, 1, 1],
    ["{{ a | escape to percents }}", /./, 1, 15],
    ...["{{ a b }}", "{% echo a b %}", "{% assign c = a b %}", "{% if a b %}{% endif %}"].map(
      (text): [string, RegExp, number, number] => [text, /operator or a filter is missing/, 1, 1],
    ),
    ["{% if a %}\n{% for b in c %}{{ a b }}{% endfor %}{% endif %}", /is missing/, 2, 17],
    ...[
      "render 'a'",
      "layout 'a'",
      "block a",
      "tablerow a in b",
      "liquid",
      "increment a",
      "decrement a",
    ].map((tag): [string, RegExp, number, number] => [`{% ${tag} %}`, /there is no tag/, 1, 1]),
  ];
  it.each(MISTAKES)("%s", (text, message, line, column) => {
    expect(() => compilePlain(text)).toThrow(message);
    try {
      compileHtml(text);
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateMistake);
      expect(error).toMatchObject({ line, column });
    }
  });

  it("is reported for formulas, with the column", () => {
    for (const text of ["", "a b", "a | nothing", "a | times: 2) b", "}} {{", "| upcase"]) {
      expect(() => compileFormula(text), text).toThrow(TemplateMistake);
    }
    expect(() => compileTransformation("a b")).toThrow(
      expect.objectContaining({ line: 1, column: 3 }),
    );
  });
});

describe("a budget", () => {
  it("counts for the page, not per text", async () => {
    const page = aPage(createBudget({ output: 10 }));
    expect(await plain("12345", {}, page)).toBe("12345");
    await expect(plain("éééé", {}, page)).rejects.toThrow(
      expect.objectContaining({ limit: "output" }),
    );
  });

  it("counts steps", async () => {
    const text = "{% for i in (1..200) %}{{ i }}{% endfor %}";
    await expect(plain(text, {}, aPage(createBudget({ steps: 100 })))).rejects.toThrow(
      TemplateLimit,
    );
    expect(await plain(text, {}, aPage(createBudget({ steps: 2_000 })))).toHaveLength(492);
  });

  it("passes on errors of our own code", async () => {
    const page = {
      ...aPage(),
      translate: () => {
        throw new TypeError("broken");
      },
    };
    await expect(plain("{{ 'a' | t }}", {}, page as never)).rejects.toThrow(TypeError);
  });
});
