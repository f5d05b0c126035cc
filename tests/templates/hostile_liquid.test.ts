import { describe, expect, it } from "vitest";
import {
  compileFormula,
  compileHtml,
  render,
} from "../../supabase/functions/_shared/liquid/engine.ts";
import { TemplateLimit } from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { expectInTime, SCOPE } from "./hostile.js";
import { aPage } from "./pages.js";

/** Two equal texts of half a million letters. */
const LONG =
  "{% assign a = 'aaaaaaaaaa' %}{% for i in (1..15) %}{% assign a = a | append: a %}{% endfor %}";
const LONGER =
  "{% assign a = 'aaaaaaaaaaaaaaa' %}{% for i in (1..16) %}{% assign a = a | append: a %}{% endfor %}";
const LIST = "{% assign l = (1..10000) %}";
const MANY_TIMES = "{% for x in (1..10000) %}{% for y in (1..10000) %}";
const END = "{% endfor %}{% endfor %}";
const times = (count: number, text: string) => text.repeat(count);

const HOSTILE: Record<string, string> = {
  "loops in loops": `${MANY_TIMES}{% for z in (1..10000) %}{{ z }}{% endfor %}${END}`,
  "loops of nothing": `${MANY_TIMES}${END}`,
  "loops of loops that end at once": `${MANY_TIMES}{% break %}${END}`,
  "a range of a thousand million": "{% for i in (1..1000000000) %}{% endfor %}",
  "a range beyond numbers": "{% for i in (100000000000000000..100000000000000064) %}{% endfor %}",
  "a range to infinity": `{% assign n = '1e999' | times: 1 %}{% for i in (1..n) %}{% endfor %}{{ (n..n) | size }}`,
  "a range of lists": `${LIST}{% for i in (l..l) %}{{ i }}{% endfor %}`,
  "a range as a value": "{{ (1..99999999) | size }}",
  "a range below zero": "{% for i in (-9999999999..0) %}{% endfor %}",
  "ranges over and over": `${MANY_TIMES}{% assign r = (1..10000) %}${END}`,
  "a text doubled":
    "{% assign a = 'a' %}{% for i in (1..100) %}{% assign a = a | append: a %}{% endfor %}{{ a }}",
  "a text doubled from the front":
    "{% assign a = 'a' %}{% for i in (1..100) %}{% assign a = a | prepend: a %}{% endfor %}",
  "a capture doubled":
    "{% assign a = 'a' %}{% for i in (1..100) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}",
  "captures in captures":
    times(90, "{% capture a %}{{ a }}x{{ a }}") + times(90, "{% endcapture %}"),
  "a list doubled": `{% assign l = (1..2) %}{% for i in (1..100) %}{% assign l = l | concat: l %}{% endfor %}`,
  "a list of long texts": `${LONG}{% assign s = a | compact %}{% for i in (1..13) %}{% assign s = s | concat: s %}{% endfor %}{{ s }}`,
  "a list of long texts joined": `${LONG}{% assign s = a | compact %}{% for i in (1..13) %}{% assign s = s | concat: s %}{% endfor %}{{ s | join: a }}`,
  "a list of long texts sorted": `${LONG}{% assign b = a | append: '' | upcase | downcase %}{% assign s = a | compact | concat: b %}{% for i in (1..12) %}{% assign s = s | concat: s %}{% endfor %}{{ s | sort_natural | size }}`,
  "a list of long texts compared": `${LONG}{% assign b = a | upcase | downcase %}{% assign s = a | compact %}{% assign t = b | compact %}{% for i in (1..12) %}{% assign s = s | concat: s %}{% assign t = t | concat: t %}{% endfor %}{% if s == t %}{% endif %}`,
  "a list as a name": `${LONG}{% assign s = a | compact %}{% for i in (1..13) %}{% assign s = s | concat: s %}{% endfor %}{{ [s] }}{{ s[s] }}{{ a[s] }}`,
  "a list as a number": `${LONG}{% assign s = a | compact %}{% for i in (1..13) %}{% assign s = s | concat: s %}{% endfor %}{{ s | plus: s }}{{ s | round: s }}`,
  "lists ordered as texts": `${LIST}${MANY_TIMES}{% if l > l %}{% endif %}${END}`,
  "a text split at each letter": `${LONG}{{ a | split: '' | size }}`,
  "a text split at all of its letters": `${LONG}{{ a | split: 'a' | size }}`,
  "a text looked for half of itself": `${LONG}{% assign w = a | slice: 0, 160000 | prepend: 'b' %}{{ a | replace: w, '' | size }}{% if a contains w %}{% endif %}`,
  "a text looked for half of itself again": `${LONG}{% assign w = a | slice: 0, 160000 %}{% assign v = w | append: 'b' | append: w %}{{ a | split: v | size }}`,
  "a replacement that explodes": `${LONG}{{ a | replace: 'a', a | size }}`,
  "a replacement of nothing": `${LONG}{{ a | replace: '', a | size }}{{ a | remove: '' | size }}`,
  "replacements over and over": `${LONGER}${MANY_TIMES}{% assign b = a | replace: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'b' %}${END}`,
  "cases changed over and over": `${LONGER}${MANY_TIMES}{% assign b = a | upcase %}${END}`,
  "words counted over and over": `${LONGER}${MANY_TIMES}{% assign b = a | truncatewords: 3 | strip_newlines %}${END}`,
  "comparisons over and over": `${LONGER}{% assign b = a | upcase | downcase %}${MANY_TIMES}{% if a == b %}{% endif %}${END}`,
  "cases over and over": `${LONGER}{% assign b = a | upcase | downcase %}${MANY_TIMES}{% case a %}${times(50, "{% when b, c %}")}{% endcase %}${END}`,
  "blanks over and over": `${LONGER}{% assign b = '          ' %}{% for i in (1..16) %}{% assign b = b | append: b %}{% endfor %}${MANY_TIMES}{% if b == blank %}{% endif %}${END}`,
  "defaults over and over": `${LONGER}${MANY_TIMES}{{ a | default: a | slice: 0 }}${END}`,
  "slices far away": `${LONGER}${MANY_TIMES}{{ a | slice: -1000000, 1000000 | size }}${END}`,
  "sorting over and over": `${LIST}${MANY_TIMES}{% assign s = l | reverse | sort %}${END}`,
  "joins over and over": `${LIST}${MANY_TIMES}{% assign s = l | join: ',' %}${END}`,
  "maps over and over": `${LIST}${MANY_TIMES}{% assign s = l | map: 'a.b.c' | uniq | compact %}${END}`,
  "a path of a thousand names": `${LIST}{% assign p = 'a.' %}{% for i in (1..15) %}{% assign p = p | append: p %}{% endfor %}{{ l | map: p }}`,
  "conditions on lists over and over": `${LIST}${MANY_TIMES}{% assign s = l | where: 'a', l %}${END}`,
  "lists that contain lists": `${LIST}${MANY_TIMES}{% if l contains l %}{% endif %}${END}`,
  "formats over and over": `${MANY_TIMES}{{ 1 | money: 'USD' }}{{ '2024-01-01' | date: 'full' }}${END}`,
  "as many currencies as there are": `${MANY_TIMES}{% assign c = 'AAA' | append: y | slice: -3, 3 %}{{ 1 | money: c }}${END}`,
  "pictures that are not there": `${MANY_TIMES}{{ x | append: y | asset_url }}${END}`,
  "keys that are not there": `${LONG}${MANY_TIMES}{{ a | t: count: x }}${END}`,
  "cycles over and over": `${LONGER}${MANY_TIMES}{% cycle a: a, a, a %}${END}`,
  "variables over and over": `${MANY_TIMES}{% assign v = v | append: x %}${END}`,
  "much that is written": `${LONG}{% for i in (1..100) %}{{ a }}{% endfor %}`,
  "much that is written as it stands": `{% for i in (1..10000) %}${times(2_000, "x")}{% endfor %}`,
  "a long number": `${LONG}{% assign n = '9999999999' %}{% for i in (1..15) %}{% assign n = n | append: n %}{% endfor %}{{ n | plus: 1 }}{{ n | number }}{{ n | money }}{{ n | date }}`,
  "numbers without end":
    "{{ 1 | divided_by: 0 | round: 99999999999 }}{{ 1 | modulo: 0 }}{{ 1 | truncate: 1e9 }}",
  prototypes:
    "{{ constructor.constructor }}{{ __proto__.toString }}{{ o.__proto__ }}{{ o.constructor.name }}{{ 'a'.constructor }}{{ o['__proto__'] }}",
  "prototypes through filters":
    "{{ l | map: 'constructor' }}{{ l | map: '__proto__.constructor' | first }}{{ l | where: '__proto__' | size }}{{ l | sort: 'constructor' | size }}",
  "prototypes assigned":
    "{% assign __proto__ = o %}{% assign constructor = o %}{% capture toString %}x{% endcapture %}{% for __proto__ in l %}{% endfor %}{% for i in l __proto__: 1 %}{% endfor %}",
  "what loops are made of":
    "{% for i in l %}{{ forloop.constructor }}{{ forloop.next }}{{ forloop.__proto__ }}{% endfor %}{{ empty.constructor }}{{ blank.valueOf }}{{ nil.gt }}",
  "records that pretend":
    "{{ fake }}{{ fake.then }}{{ fake.size }}{{ fake | size }}{{ fake | append: fake }}{% if fake contains 'a' %}{% endif %}{% for i in fake %}{{ i }}{% endfor %}",
  "tags too deep": times(3_000, "{% if a %}") + times(3_000, "{% endif %}"),
  "tags just deep enough": times(100, "{% if o %}") + times(100, "{% endif %}"),
  "brackets too deep": `{{ ${times(100_000, "a[")} }}`,
  "brackets too deep and closed": `{{ ${times(20_000, "a[")}1${times(20_000, "]")} }}`,
  "brackets as deep as the stack": `{{ ${times(800, "a[")}1${times(800, "]")} }}`,
  "ranges too deep": `{{ ${times(100_000, "(")}1 }}`,
  "ranges in ranges": `{{ ${times(500, "(")}1${times(500, "..2)")} | size }}`,
  "as many outputs as fit": times(52_000, "{{a}}"),
  "many outputs": times(9_900, "{{a}}"),
  "many outputs of a variable in a loop": `${MANY_TIMES}${times(4_000, "{{x}}")}${END}`,
  "as many filters as fit": `{{ a ${times(7_000, "| upcase")} }}`,
  "as many conditions as fit": `{% if ${times(12_000, "a or ")} a %}{% endif %}`,
  "as many negations as fit": `{% if ${times(16_000, "not ")} a %}{% endif %}`,
  "as many properties as fit": `{{ o${times(32_000, ".a")} }}`,
  "as many candidates as fit": `{% for i in l %}{% cycle ${times(21_000, "a, ")}a %}{% endfor %}`,
  "as many branches as fit": `{% case 1 %}${times(5_000, "{% when 2 %}")}{% endcase %}`,
  "empty lines in a remark": `{% # ${times(250_000, "\n")}# %}`,
  "blanks in an output": `{{ a${times(250_000, " ")}}}${times(250, "{%- if a -%} ")}`,
  braces: times(130_000, "{"),
  "braces that do not close": `${times(9_000, "{{ '")}`,
  "quotes that do not close": `{{ ${times(32_000, "'a")} }}`,
  "a text that is too long": times(262_145, "x"),
  "a comment that does not close": `{% comment %}${times(9_000, "{% if %}")}`,
  "a raw part that does not close": `{% raw %}${times(9_000, "{% endraw")}`,
  "strange letters":
    "{{ '\u0000\ud800\u2028' | upcase }}{{ '\\u{110000}\\x' }}{% assign \u00e9 = 1 %}{{ \u00e9 }}",
};

describe("hostile Liquid", () => {
  it.each(Object.entries(HOSTILE))("ends in time: %s", expectInTime);

  it("reads no property of a prototype", async () => {
    for (const name of ["prototypes", "prototypes through filters", "what loops are made of"]) {
      const html = await render(compileHtml(HOSTILE[name] ?? ""), SCOPE(), aPage());
      expect(html.replace(/[02]/g, "")).toBe("");
    }
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it("makes no invalid formula", () => {
    for (const text of [times(100_000, "("), times(100_000, "a["), times(300_000, "a")]) {
      expect(() => compileFormula(text)).toThrow(TemplateLimit);
    }
  });
});
