import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { describe, expect, it } from "vitest";
import { compileHtml, render, safeHtml } from "../../supabase/functions/_shared/liquid/engine.ts";
import { checkHtml } from "../../supabase/functions/_shared/liquid/html/escaping.ts";
import { TemplateMistake } from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { ADDRESSES, TEXTS } from "../content/xss.ts";
import { aPage } from "./pages.js";

// A value that is inserted into HTML cannot leave its context. Contexts that cannot be made safe are refused.

const put = (text: string, value: unknown, scope: object = {}) =>
  render(compileHtml(text), { value, ...scope }, aPage());

/** All contexts in which a value is allowed. */
const PLACES: Record<string, string> = {
  text: "<p>{{ value }}</p>",
  "a text by echo": "<p>{% echo value %}</p>",
  "a cycle": '<p>{% cycle value, "b" %}</p>',
  "a capture": "{% capture held %}<b>{{ value }}</b>{% endcapture %}<p>{{ held }}</p>",
  "a captured attribute":
    '{% capture held %}<b>{{ value }}</b>{% endcapture %}<p title="{{ held }}"></p>',
  "an attribute": '<p title="{{ value }}">x</p>',
  "an attribute in single quotes": "<p title='a {{ value }} b'>x</p>",
  "an attribute that is sometimes there": '<p {% if value %}title="{{ value }}"{% endif %}>x</p>',
  "an address": '<a href="{{ value }}">x</a>',
  "an address's path": '<a href="/search/{{ value }}?q={{ value }}#{{ value }}">x</a>',
  "an address behind another": '<a href="{{ value }}/more">x</a>',
  "a host's path": '<img alt="" src="https://shop.example/{{ value }}">',
  "pictures' addresses": '<img alt="" srcset="{{ value }}">',
  "a style": '<p style="color: {{ value }}; margin: 0">x</p>',
  "a textarea": "<textarea>{{ value }}</textarea>",
  "a string of JSON": '<script type="application/ld+json">{"name": "a {{ value }}"}</script>',
  "a value of JSON": '<script type="application/ld+json">{"name": {{ value }}}</script>',
  "a cell": "<table><tbody><tr><td>{{ value }}</td></tr></tbody></table>",
};

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The elements and the names of their attributes, without text. */
function shapeOf(nodes: readonly Node[]): unknown[] {
  return nodes.flatMap((node): unknown[] => {
    if (!("tagName" in node)) return node.nodeName === "#comment" ? ["comment"] : [];
    const names = node.attrs.map(({ name }) => name);
    return [[node.tagName, names, shapeOf(node.childNodes)]];
  });
}

const shaped = (html: string) => shapeOf(parseFragment(html).childNodes);

/** All addresses, styles and scripts of HTML. */
function risksIn(nodes: readonly Node[]): {
  addresses: string[];
  styles: string[];
  json: string[];
} {
  const found = { addresses: [] as string[], styles: [] as string[], json: [] as string[] };
  for (const node of nodes) {
    if (!("tagName" in node)) continue;
    for (const { name, value } of node.attrs) {
      if (name === "href" || name === "src") found.addresses.push(value);
      if (name === "srcset")
        found.addresses.push(...value.split(", ").map((one) => one.split(" ")[0] ?? ""));
      if (name === "style") found.styles.push(value);
    }
    if (node.tagName === "script") {
      found.json.push(node.childNodes.map((one) => ("value" in one ? one.value : "")).join(""));
    }
    const inner = risksIn(node.childNodes);
    for (const key of ["addresses", "styles", "json"] as const) found[key].push(...inner[key]);
  }
  return found;
}

function expectHarmless(html: string, like: string) {
  expect(shaped(html)).toEqual(shaped(like));
  const { addresses, styles, json } = risksIn(parseFragment(html).childNodes);
  for (const address of addresses) {
    const { protocol } = new URL(address, "https://shop.example/folder/");
    expect(["http:", "https:", "mailto:"], address).toContain(protocol);
  }
  for (const style of styles) expect(style).toMatch(/^color: [^;:\\{}]*; margin: 0$/);
  for (const text of json) JSON.parse(text);
}

describe.each(Object.entries(PLACES))("a value in %s", (_, text) => {
  it("does not run scripts, for all payloads", async () => {
    const like = await put(text, "x");
    for (const vector of [...TEXTS, ...ADDRESSES]) expectHarmless(await put(text, vector), like);
  });

  it("stays in its context, for any text, number, list or record", async () => {
    const like = await put(text, "x");
    const odd = fc.string({
      unit: fc.constantFrom(
        ..."<>\"'`&=/\\;:(){}[]-!#%\n\t\u2028 axj".split(""),
        "script",
        "javascript:",
        "on",
        "]]>",
        "-->",
        "&#",
      ),
    });
    const any = fc.oneof(odd, fc.string(), fc.double(), fc.array(odd), fc.dictionary(odd, odd));
    await fc.assert(
      fc.asyncProperty(any, async (value) => {
        // These values are truthy in Liquid, so that a conditional attribute is written for all of them.
        expectHarmless(await put(text, value), like);
      }),
      { numRuns: 150 },
    );
  });
});

describe("safe HTML", () => {
  const html = safeHtml('<em title="a">b &amp; c</em>');

  it("is inserted unchanged into text", async () => {
    expect(await put("<p>{{ value }}</p>", html)).toBe('<p><em title="a">b &amp; c</em></p>');
  });

  it("is inserted as plain text in other contexts", async () => {
    expect(await put('<p title="{{ value }}"></p>', html)).toBe('<p title="b &amp; c"></p>');
    const json =
      '<script type="application/ld+json">{"a": "{{ value }}", "b": {{ value }}}</script>';
    expect(await put(json, html)).toContain('{"a": "b \\u0026 c", "b": "b \\u0026 c"}');
    expect(await put("<p>{{ value | upcase }}</p>", html)).not.toContain("<EM");
  });

  it("is the result of capture, whose outputs are escaped", async () => {
    const text = "{% capture a %}<b>{{ value }}</b>{% endcapture %}{{ a }}{{ a }}";
    expect(await put(text, "<i>")).toBe("<b>&lt;i&gt;</b><b>&lt;i&gt;</b>");
  });
});

describe("the compiler refuses", () => {
  const refused: [string, string][] = [
    ["<p title={{ value }}></p>", "quoted"],
    ["<p {{ value }}></p>", "quoted"],
    ["<p {{ value }}=''></p>", "quoted"],
    ["<p on{{ value }}='x'></p>", "quoted"],
    ["<{{ value }}></p>", "quoted"],
    ["<p></{{ value }}>", "quoted"],
    ["<!-- {{ value }} -->", "comment"],
    ["<script>{{ value }}</script>", "application/ld+json"],
    ['<script type="text/javascript">x</script>', "application/ld+json"],
    ['<script type="{{ value }}">x</script>', "script"],
    ['<script {% if value %}type="application/ld+json"{% endif %}>{}</script>', "same"],
    ['<script type="application/ld+json">{"a": "</script>', "string"],
    ['<script type="application/ld+json">"<{{ value }}"</script>', "<"],
    ['<script type="application/ld+json">"\\{{ value }}"</script>', "escapes"],
    ["<style>p {}</style>", "<style>"],
    ["<style>{{ value }}</style>", "<style>"],
    ['<p onclick="x()">a</p>', "onclick"],
    ["<p ONCLICK=x()>a</p>", "onclick"],
    ["<svg/onload=x()></svg>", "solidus"],
    ['<iframe src="/x"></iframe>', "<iframe>"],
    ["<object></object>", "<object>"],
    ['<embed src="/x">', "<embed>"],
    ['<base href="/x">', "<base>"],
    ['<meta http-equiv="refresh" content="0">', "<meta>"],
    ['<link rel="stylesheet" href="/x">', "<link>"],
    ["<template><p></p></template>", "<template>"],
    ["<noscript><p></p></noscript>", "<noscript>"],
    ["<math></math>", "<math>"],
    ["<svg><foreignobject></foreignobject></svg>", "in an svg"],
    ['<svg><use href="#a"/></svg>', "in an svg"],
    ["<svg><script></script></svg>", "in an svg"],
    ["<svg><p></p></svg>", "in an svg"],
    ['<path d="M0 0"/>', "<path>"],
    ['<img srcdoc="x">', "srcdoc"],
    ['<button formaction="/x">a</button>', "formaction"],
    ['<a href="javascript:alert(1)">a</a>', "href"],
    ['<a href=" javascript:alert(1)">a</a>', "href"],
    ['<a href="java&#115;cript:alert(1)">a</a>', "href"],
    ['<a href="java\nscript:alert(1)">a</a>', "href"],
    ['<a href="data:text/html,x">a</a>', "href"],
    ['<a href="//evil.example">a</a>', "href"],
    ['<a href="java{{ value }}">a</a>', "address"],
    ['<a href="https://{{ value }}/">a</a>', "address"],
    ['<a href="https:{{ value }}">a</a>', "address"],
    ['<a href="{{ value }}{{ value }}">a</a>', "address"],
    ['<a href="{{ value }}script:{{ value }}">a</a>', "address"],
    ['<a href="{{ value }}script:alert(1)">a</a>', "href"],
    ['<a href="&{{ value }}">a</a>', "&amp;"],
    ['<a href="{% if value %}/a/{% endif %}{{ value }}">a</a>', "address"],
    ['<a href="{% if value %}java{% endif %}script:alert(1)">a</a>', "href"],
    ['<a href="{% if value %}{{ value }}{% else %}java{% endif %}script:alert(1)">a</a>', "href"],
    ['<a href="{% if value %}javascript:{% else %}/a/{% endif %}alert(1)">a</a>', "same"],
    ['<a href="/{% if value %}a{% endif %}/evil.example">a</a>', "href"],
    ['<a href="{% for a in value %}{{ a }}{% endfor %}">a</a>', "body of a loop"],
    ['<img srcset="/a 1x, {{ value }}">', "srcset"],
    ['<p style="{{ value }}">a</p>', "style"],
    ['<p style="{{ value }}: red">a</p>', "style"],
    ['<p style="position: {{ value }}">a</p>', "style"],
    ['<p style="position: fixed">a</p>', "position"],
    ['<p style="position: /*; color: */ {{ value }}">a</p>', "position"],
    ['<p style="{% if value %}position: {% endif %}fixed">a</p>', "same"],
    ['<p style="color: {% if value %}\'{% endif %}red">a</p>', "same"],
    ['<p style="background: {{ value }}(//evil.example/a)">a</p>', "style"],
    ['<p style="background: url(https://evil.example/x)">a</p>', "relative"],
    ['<p style="color: expression(alert(1))">a</p>', "expression"],
    ['<p style="behavior: none">a</p>', "behavior"],
    ["&{{ value }}", "&amp;"],
    ["a < b", "&lt;"],
    ["<p>", "no end"],
    ["</p>", "start tag"],
    ["<p><b></p></b>", "<b>"],
    ["<p", "no end"],
    ['<p title="', "no end"],
    ["<!--", "no end"],
    ["<!doctype html>", "doctype"],
    ["<p/>", "</p>"],
    ['<p class="a" class="b"></p>', "duplicate"],
    ["{% if value %}<p>{% endif %}</p>", "same"],
    ['{% if value %}<p title="{% else %}<p class="{% endif %}"></p>', "same"],
    ['{% if value %}<p title="{% else %}<p title=\'{% endif %}"></p>', "same"],
    ["{% for a in value %}<p>{% endfor %}", "body of a loop"],
    ["{% for a in value %}<p>{% break %}</p>{% endfor %}", "body of a loop"],
    [
      "{% for a in value %}<p>{% if a %}{% continue %}{% endif %}</p>{% endfor %}",
      "body of a loop",
    ],
    ["<p {% for a in value %}title='{{ a }}' class=b{% endfor %}></p>", "body of a loop"],
    ["<p {% for a in value %}class=b{% continue %} {% endfor %}></p>", "body of a loop"],
    [
      "<p {% for a in value %}class=b{% break %} {% endfor %}title='{{ value }}'></p>",
      "body of a loop",
    ],
    ['<p title{% for a in value %} ="{{ a }}"{% endfor %}></p>', "body of a loop"],
    ['<p {% if value %}title{% endif %} ="{{ value }}"></p>', "equals"],
    ["<p {% if value %}title=a{% endif %}/onclick></p>", "blank"],
    ['<p title="{% break %}"></p>', "loop"],
    ["{% for a in value %}{% capture b %}<p>{% break %}</p>{% endcapture %}{% endfor %}", "loop"],
    ["{% case value %}{% when 1 %}<p>{% endcase %}</p>", "same"],
    ["{% unless value %}<!--{% endunless %} -->", "same"],
    ["<p title='{% break %}'></p>", "loop"],
    ["<p>{% continue %}</p>", "loop"],
    [
      "{% for a in (1..2) %}{% capture b %}<p title='{% break %}'></p>{% endcapture %}{% endfor %}",
      "loop",
    ],
    ["{% capture a %}<p>{% endcapture %}", "capture"],
    ['{% capture a %}<p title="{% endcapture %}">', "capture"],
    ['<p {% if value %}on{% endif %}click="x"></p>', "same"],
    ["<p {% if value %}hidden{% endif %}x></p>", "blank"],
    ["<p{% if value %}x{% endif %}></p>", "same"],
    ["<textarea>a < b</textarea>", "&lt;"],
    ["\ue000", "character"],
  ];

  it.each(refused)("%s", (text, why) => {
    expect(() => compileHtml(text)).toThrow(TemplateMistake);
    expect(() => compileHtml(text)).toThrow(why);
  });

  it("with line and column", () => {
    expect(() => compileHtml("<p>\n  <b title={{ value }}></b></p>")).toThrow(
      expect.objectContaining({ line: 2, column: 12 }),
    );
    expect(() => compileHtml("<p>\n\n <i onclick='x'></i></p>")).toThrow(
      expect.objectContaining({ line: 3, column: 2 }),
    );
  });

  it("static HTML by the same rules", () => {
    expect(() => checkHtml("<p onclick=x></p>")).toThrow("onclick");
    expect(() => checkHtml("<p>{{ <b>so</b> }}</p>")).not.toThrow();
  });
});

describe("the compiler accepts", () => {
  it.each([
    '<p class="a{% if value %} b{% endif %}">x</p>',
    '<p class="{% for a in value %}{{ a }} {% endfor %}">x</p>',
    "<details {% if value %}open{% endif %}><summary>x</summary></details>",
    "<option value='{{ value }}'{% if value == 1 %} selected{% endif %}>x</option>",
    '<a href="/a/{% if value %}b{% else %}{{ value }}{% endif %}">x</a>',
    '<a href="{% if value %}{{ value }}{% else %}/a{% endif %}">x</a>',
    '<a href="{% if value %}{{ value }}{% else %}/a{% endif %}/b?c={{ value }}">x</a>',
    '<a {% if value %}class="b"{% endif %} href="/a" {% unless value %}hidden{% endunless %}>x</a>',
    "<p class='a'{% for a in value %} data-a='{{ a }}'{% endfor %}>x</p>",
    '<p style="color: {% if value %}red{% else %}{{ value }}{% endif %}; margin: 0">x</p>',
    '<p style="{% if value %}color: red;{% endif %}width: {{ value }}%">x</p>',
    "{% if value %}<p>a</p>{% else %}<div>b</div>{% endif %}",
    "{% for a in value %}<p>{{ a }}</p>{% break %}{% else %}<p>none</p>{% endfor %}",
    '<svg viewBox="0 0 8 8" aria-hidden="true"><path d="M0 0" fill="none"/></svg>',
    '<img src="/a.png" srcset="/a.png 1x, /b.png 2x" alt="">',
    '<input type="search" name="q" value="{{ value }}">',
    "<!-- why -->",
    "<p>a &amp; b &copy;</p>",
    '<p style="color: {{ value }}">x</p>',
    '<script type="application/ld+json">{"a": [{% for a in value %}"{{ a }}"{% unless forloop.last %},{% endunless %}{% endfor %}]}</script>',
  ])("%s", (text) => {
    expect(() => compileHtml(text)).not.toThrow();
  });
});
