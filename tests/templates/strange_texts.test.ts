import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { expect, it } from "vitest";
import { compileHtml, render } from "../../supabase/functions/_shared/liquid/engine.ts";
import { TemplateMistake } from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { parseUrl } from "../../supabase/functions/_shared/values/urls.ts";
import { SEED } from "../random.js";
import { aPage } from "./pages.js";

// Random texts of pieces whose meaning depends on their neighbours. Most are refused. In the others, values change neither an
// element nor the name of an attribute.

const PUT = ["{{ v }}", "{% echo v %}", "{% cycle v, w %}", "{{ c }}"];
const ENDS = ["", "", "", "", "", "{% break %}", "{% continue %}"];

/** A sequence of pieces, some of them inside if or for. */
function piecesOf(pieces: string[], deep: number): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...pieces, ...PUT);
  if (deep === 0) return fc.array(piece, { maxLength: 3 }).map((all) => all.join(""));
  const inner = piecesOf(pieces, deep - 1);
  const end = fc.constantFrom(...ENDS);
  const chosen = fc.oneof(
    fc.tuple(inner, inner).map(([one, other]) => `{% if a %}${one}{% else %}${other}{% endif %}`),
    inner.map((one) => `{% unless a %}${one}{% endunless %}`),
    inner.map((one) => `{%- if b -%} ${one} {%- endif -%}`),
    fc
      .tuple(inner, end, inner)
      .map(([one, left, other]) => `{% for v in l %}${one}${left}${other}{% endfor %}`),
    fc
      .tuple(inner, inner)
      .map(([one, two]) => `{% case n %}{% when 1 %}${one}{% else %}${two}{% endcase %}`),
  );
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: piece }, { weight: 2, arbitrary: chosen }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((all) => all.join(""));
}

const attributes = piecesOf(
  ["title", " ", " ", "=", "/", "class=c", " hidden", "title='{{ v }}'", ' ="{{ v }}"'],
  2,
);
const value = piecesOf(["x", "&", '"', ">", "&quot;"], 2);
const address = piecesOf(
  ["/", "java", "script:", "https://", "h/", "?a=", "#", "mailto:", "&#58;", "&", "x"],
  2,
);
const style = piecesOf(
  ["color:", "red", ";", "position:", "fixed", "/*", "*/", "'", "(", ")", "url(", "%", "width:"],
  2,
);
const json = piecesOf(['"', '""', "\\", ":", "a", '"{{ v }}"'], 2);
const end = fc.constantFrom(...ENDS);

const text = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(end, attributes, end)
      .map(([one, all, other]) => `${one}<p ${all}></p>${other}`),
  },
  fc.tuple(end, value).map(([left, title]) => `<a title="${title}${left}">x</a>`),
  address.map((href) => `<a href="${href}">x</a>`),
  style.map((declarations) => `<p style="${declarations}">x</p>`),
  json.map((content) => `<script type="application/ld+json">${content}</script>`),
  value.map((content) => `<textarea>${content}</textarea>`),
  fc
    .tuple(attributes, end)
    .map(
      ([all, left]) =>
        `{% for v in l %}{% capture c %}<b ${all}>${left}</b>{% endcapture %}{% endfor %}{{ c }}<p title="{{ v }}"></p>`,
    ),
);

const odd = fc.constantFrom(
  ..."\"|'|/|<b|x=y|\\|\n| |*/|(|`|fixed|//evil.example|; position: fixed|url(//evil.example)".split(
    "|",
  ),
  "x onmouseover=alert(1) y",
  '" onx=1 "',
  "</p></script></textarea><script>alert(1)</script>",
  "javascript:alert(1)",
  "--><b>",
  "&quot; onx=1",
);

const scopeOf = (arbitrary: fc.Arbitrary<string>) =>
  fc.record({ v: arbitrary, w: arbitrary, l: fc.array(arbitrary, { minLength: 2, maxLength: 2 }) });
/** The values that choose the branches of a text. */
const CHOICES = [true, false].flatMap((a) =>
  [true, false].map((b) => ({ a, b, n: Number(a !== b) })),
);

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The elements with the names of their attributes; unsafe addresses and styles with their values. */
function shapeOf(nodes: readonly Node[]): unknown[] {
  return nodes.flatMap((node): unknown[] => {
    if (!("tagName" in node)) return node.nodeName === "#comment" ? ["comment"] : [];
    const attributes = node.attrs.map(({ name, value }) => (isSafe(name, value) ? name : value));
    return [[node.tagName, attributes, shapeOf(node.childNodes)]];
  });
}

function isSafe(name: string, value: string): boolean {
  if (name === "style") {
    const plain = value.replace(/\/\*.*?\*\//gs, "");
    return !/(?:^|;)\s*position:\s*fixed|url\(\s*\/\//i.test(plain);
  }
  if (name !== "href" || !parseUrl(value, "https://shop.example/a/")) return true;
  return /^(?:https?|mailto):$/.test(new URL(value, "https://shop.example/a/").protocol);
}

function compiled(strange: string) {
  try {
    return compileHtml(strange);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateMistake);
    return null;
  }
}

const KNOWN = /^(?:b|p|a|textarea|script|title|class|hidden|href|style|type|data-.*)$/;

it("no accepted text lets a value leave its context", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(text, scopeOf(odd), async (strange, scope) => {
      const template = compiled(strange);
      if (!template) return;
      taken++;
      for (const chosen of CHOICES) {
        const plain = { ...chosen, v: "x", w: "x", l: ["x", "x"] };
        const like = await render(template, plain, aPage());
        const html = await render(template, { ...chosen, ...scope }, aPage());
        const shape = shapeOf(parseFragment(html).childNodes);
        expect(shape).toEqual(shapeOf(parseFragment(like).childNodes));
        for (const name of shape.flat(10)) expect(name).toMatch(KNOWN);
      }
    }),
    { numRuns: 3_000, seed: SEED },
  );
  expect(taken).toBeGreaterThan(250);
});
