import { describe, expect, it } from "vitest";
import { checkHtml } from "../../supabase/functions/_shared/liquid/html/escaping.ts";
import { scopeStyles } from "../../supabase/functions/_shared/liquid/html/styles.ts";
import {
  TemplateLimit,
  TemplateMistake,
} from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { expectInTime } from "./hostile.js";

const times = (count: number, text: string) => text.repeat(count);
const LONG_TAG = `<p data-a="${times(3_900, "x")}"`;
const NAMES = Array.from({ length: 20_000 }, (_, index) => `data-${index}`).join(" ");
const JSON_LD = '<script type="application/ld+json">';

const HOSTILE: Record<string, string> = {
  "outputs in a title": `<p title="${times(9_900, "{{a}}")}"></p>`,
  "outputs and letters in a title": `<p title="${times(9_900, "{{a}}b")}"></p>`,
  "outputs in an address": `<a href="/${times(9_900, "{{a}}")}">x</a>`,
  "outputs in a style": `<p style="color: ${times(9_900, "{{a}}")}">x</p>`,
  "outputs in a textarea": `<textarea>${times(9_900, "a{{a}}")}</textarea>`,
  "outputs in JSON": `${JSON_LD}${times(9_900, '"a":{{a}}')}</script>`,
  "outputs in long tags": times(62, `${LONG_TAG} title="${times(30, "{{a}}b")}"></p>`),
  "choices in a long tag": `${LONG_TAG} title="${times(2_900, "{% if a %}x{% endif %}")}"></p>`,
  "choices of attributes": `${LONG_TAG} ${times(1_900, "{% if a %}hidden {% endif %}")}></p>`,
  "choices in choices in a long tag": `${LONG_TAG} ${times(99, "{% if a %}hidden {% else %}")}${times(99, "{% endif %}")}></p>`,
  "choices in a style": `<p style="${times(300, "color:red;")}${times(1_800, "{% if a %}color:red;{% endif %}")}"></p>`,
  "loops in loops in a tag": `<p ${times(99, "{% for a in l %}hidden ")}${times(99, "{% endfor %}")}></p>`,
  "a tag of many attributes": `<p ${NAMES}></p>`,
  "a tag of many attributes that does not end": `<p ${NAMES}`,
  "tags that do not end": times(20_000, "<p "),
  "elements in one another": times(80_000, "<b>"),
  "many elements": times(30_000, "<b></b>"),
  "many elements with outputs": times(9_900, "<b>{{a}}</b>"),
  "many styles": times(9_900, '<b style="color:red"></b>'),
  "many addresses": times(7_000, '<a href="https://a.example/b"></a>'),
  "many pictures in one": `<img srcset="${times(5_000, "/a 1x, ")}/b">`,
  "many textareas": times(12_000, "<textarea></textarea>"),
  "many scripts": times(5_000, `${JSON_LD}{}</script>`),
  "many comments": times(30_000, "<!---->"),
  "comments that do not end": times(50_000, "<!-"),
  "a comment of dashes": `<!--${times(200_000, "-")}`,
  "many entities": times(50_000, "&amp;"),
  "many halves of entities": times(250_000, "&"),
  "many quotes": `<p title=${times(250_000, "'")}>`,
  "brackets in a style": `<p style="width: ${times(20_000, "calc(")}"></p>`,
  "a script that does not end": `${JSON_LD}${times(100_000, '\\"')}`,
  "lines before a mistake": `${times(250_000, "\n")}<`,
};

describe("hostile HTML", () => {
  it.each(Object.entries(HOSTILE))("ends in time: %s", expectInTime);

  it("without outputs ends in time", () => {
    for (const html of Object.values(HOSTILE)) {
      try {
        checkHtml(html);
      } catch (error) {
        if (!(error instanceof TemplateLimit)) expect(error).toBeInstanceOf(TemplateMistake);
      }
    }
  });
});

const STYLES: Record<string, string> = {
  "many selectors": `${times(49_000, "a,")}a{b:c}`,
  "many rules": times(16_000, "a{b:c}"),
  "selectors in selectors": `a${times(15_000, ":is(a")}${times(15_000, ")")}{b:c}`,
  "selectors that nobody knows in one another": `a${times(30_000, ":x(")}{b:c}`,
  "counts in counts": `a${times(5_000, ":nth-child(2n of ")}b${times(5_000, ")")}{}`,
  "conditions in conditions": times(5_000, "@media all{"),
  "brackets in a condition": `@supports ${times(40_000, "(")}a:b${times(40_000, ")")}{}`,
  "brackets in a value": `p{a:${times(40_000, "(")}${times(40_000, ")")}}`,
  "calculations in calculations": `p{a:${times(15_000, "calc(")}1${times(15_000, ")")}}`,
  "many names of an animation": `@keyframes x{to{a:b}}p{animation:${times(40_000, "x,")}x}`,
  "many animations": Array.from({ length: 3_000 }, (_, i) => `@keyframes k${i}{to{a:b}}`).join(""),
  "comments that do not end": times(45_000, "/*"),
  "texts that do not end": times(45_000, "'"),
  "square brackets": times(90_000, "["),
  "curly brackets": times(90_000, "{"),
  "rules in rules": times(40_000, "a{"),
  "addresses in addresses": `p{a:${times(20_000, "url(")}`,
  escapes: times(45_000, "\\a"),
};

describe("hostile styles", () => {
  it.each(Object.entries(STYLES))("end in time: %s", (_, css) => {
    const before = process.cpuUsage();
    try {
      expect(scopeStyles(css, "s").length).toBeLessThan(1_000_000);
    } catch (error) {
      if (!(error instanceof TemplateLimit)) expect(error).toBeInstanceOf(TemplateMistake);
    }
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(1_000_000);
  });
});
