import fc from "fast-check";
import { parseFragment } from "parse5";
import { describe, expect, it } from "vitest";
import { faultsIn } from "../content/safe_html.js";
import { importsAt, NDJSON, ndjson } from "../imports/importing.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  register,
  stackInUse,
  supabaseAs,
} from "../souk.js";

const { imported } = importsAt("/api/products/import");

/** What is sent, and the text and the HTML that a product has of it. */
const HTML: [sent: string, text: string, html: string | null][] = [
  ["Tom &amp; Jerry", "Tom & Jerry", "Tom &amp; Jerry"],
  ["5&nbsp;&times;&nbsp;7 &#8211; &#x2713; &#150;", "5 × 7 – ✓ –", "5\u00a0×\u00a07 – ✓ –"],
  ["&lt;b&gt; is bold", "<b> is bold", "&lt;b&gt; is bold"],
  ["One<br>two<BR/>three", "One\ntwo\nthree", "One<br>two<br>three"],
  [
    "Line one\nline two &amp; three",
    "Line one\nline two & three",
    "Line one<br>line two &amp; three",
  ],
  ["<p>A</p>\n<p>B <b>bold</b></p>", "A\nB bold", "<p>A</p>\n<p>B <b>bold</b></p>"],
  [
    "<ul class=list><li>One<li>Two</ul>after",
    "One\nTwo\nafter",
    "<ul><li>One</li><li>Two</li></ul>after",
  ],
  [
    "<table border=1><tr><th scope=row>Size<td colspan=2>5 cm<tr><td>a<td>b</table>",
    "Size 5 cm\na b",
    '<table><tr><th scope="row">Size</th><td colspan="2">5 cm</td></tr><tr><td>a</td><td>b</td></tr></table>',
  ],
  [
    "<div id=x><div><section>x</section>y</div></div>z",
    "x\ny\nz",
    "<div><div><div>x</div>y</div></div>z",
  ],
  [
    `<!--[if gte mso 9]><xml><w:x/></xml><![endif]--><p class="MsoNormal" style='margin:0 "x>'>` +
      '<span lang=EN-US style="font-size:11.0pt">Word<o:p></o:p></span></p><![if !supportLists]>·<![endif]>',
    "Word\n·",
    "<p>Word</p>·",
  ],
  ['<script>alert("<p>")</script>Hi <b onclick="x()">you</b>', "Hi you", "Hi <b>you</b>"],
  ["<style>p { color: red }</style><p>Hi</p><style>", "Hi", "<p>Hi</p>"],
  ["a<!-- <p>no</p> -->b<!-- no end", "ab", "ab"],
  [
    '<a href="javascript:alert(1)">x</a><a href="java&#115;cript:alert(1)">y</a>' +
      '<a href=" https://a.example/?a=1&amp;b " target=_blank>z</a>',
    "xyz",
    'xy<a href="https://a.example/?a=1&amp;b">z</a>',
  ],
  [
    `<img src=x onerror=alert(1)><img src="//cdn.example/a b.jpg" alt='A "lamp"'><img src="data:image/png,x">`,
    "",
    '<img src="x"><img src="https://cdn.example/a%20b.jpg" alt="A &quot;lamp&quot;">',
  ],
  [
    "<table><tr><td><form action=x><o:p>a</o:p><blink>b</blink><input value=c></form></table><embed src=x>",
    "ab",
    "<table><tr><td><div>ab</div></td></tr></table>",
  ],
  ['<img src=x alt="two\nlines">', "", '<img src="x" alt="two lines">'],
  ["<svg onload=alert(1)><a href=x>no</a></svg>ok", "ok", "ok"],
  ["<IMG ALT SRC=/a.jpg ONERROR=alert(1)>", "", '<img src="/a.jpg">'],
  ["<A HREF='JavaScript:alert(1)'>x</A><SCRIPT SRC=//e.example/x.js></SCRIPT >", "x", "x"],
  [
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
  ],
  ["<scr<script></script>ipt>alert(1)</script>", "alert(1)", "alert(1)"],
  ["<b><i>x</b>y</i>", "xy", "<b><i>x</i></b>y"],
  ["<p>open <b>both", "open both", "<p>open <b>both</b></p>"],
  ["</div></p>stray <i", "stray", "stray"],
  ["<p>1 < 2 & 3</p>", "1 < 2 & 3", "<p>1 &lt; 2 &amp; 3</p>"],
  ["<font color=red>Red</font><strike>Old</strike>", "RedOld", "Red<s>Old</s>"],
  [
    `<a href=/x title="<b>Bold</b> text">link</a> <img src=/y alt='1 > 0 < 2'>`,
    "link",
    '<a href="/x" title="&lt;b&gt;Bold&lt;/b&gt; text">link</a> <img src="/y" alt="1 &gt; 0 &lt; 2">',
  ],
  [
    `<div data-tip='<p class="x">Hi</p>' data-url='a="b'>"Text"</div>`,
    '"Text"',
    '<div>"Text"</div>',
  ],
  ['<p title="no end>Text</p><p>more</p>', "Text\nmore", "<p>Text</p><p>more</p>"],
  ["<p dir=RTL>نص</p>", "نص", '<p dir="rtl">نص</p>'],
  ["a<!-->b<!--->c<!--x--!>d", "abcd", "abcd"],
  ["<pre>\none\n  two</pre>", "one\ntwo", "<pre>one<br>  two</pre>"],
  ["R&AMP;D &LT;b&GT; &REG;", "R&D <b> ®", "R&amp;D &lt;b&gt; ®"],
  ["<p>&nbsp;</p><p><br></p>", "", null],
  ["<script>alert(1)</script>", "", null],
];

const PLAIN = [
  "a < b and b > c",
  "x <3 y",
  "AT&T; R&D, 5 & 6",
  "List<String> <3 <-- x<9>",
  "  spaced\n\n  lines  ",
  "if a<b and c>d",
  "https://shop.example/?a=1&copy=2",
];

const shown = ({ description, description_html }: Record<string, unknown>) => [
  description,
  description_html ?? null,
];

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
const read = (as: Person, id: string): Promise<any> => must("GET", `/products/${id}`, { as });

describe("an HTML description", () => {
  it("becomes safe HTML and plain text, by the API, an import and supabase-js", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const lines = HTML.map(([description], i) => ({
      external_id: `a-${i}`,
      name: `Lamp ${i}`,
      price: 1,
      description,
    }));
    expect(await imported(supplier, ndjson(lines), NDJSON)).toMatchObject({
      imported: HTML.length,
      failed: 0,
    });
    const rows = HTML.map(([description], i) => ({
      name: `Rug ${i}`,
      price: 1,
      currency: "EUR",
      marketplace_id: marketplace.id,
      description,
    }));
    const db = supabaseAs(supplier);
    const inserted = await db
      .from("products")
      .insert(rows)
      .select("description, description_html")
      .throwOnError();
    const { data: all } = await db
      .from("product_details")
      .select("name, description, description_html")
      .throwOnError();
    for (const [i, [description, text, html]] of HTML.entries()) {
      const made = await listProduct(supplier, { description });
      expect.soft(shown(made), description).toEqual([text, html]);
      expect.soft(shown(await read(operator, made.id)), description).toEqual([text, html]);
      expect.soft(shown(inserted.data?.[i] ?? {}), description).toEqual([text, html]);
      const line = all?.find(({ name }) => name === `Lamp ${i}`);
      expect.soft(shown(line ?? {}), description).toEqual([text, html]);
    }
  });

  it("is not what only looks like it", async () => {
    const { supplier } = await openTestTenant();
    for (const description of PLAIN) {
      const made = await listProduct(supplier, { description });
      expect.soft(shown(made)).toEqual([description, null]);
    }
  });

  it("is plain in lists, in searches and in events, and is found by its words alone", async () => {
    const { operator, supplier } = await openTestTenant();
    const made = await listProduct(supplier, {
      description: "<p>A <strong>brass</strong> lamp</p>",
    });
    const find = async (query: string) =>
      (await must("GET", `/api/products?${query}`, { as: operator })).products;
    for (const query of ["search=brass", ""]) {
      const [listed] = await find(query);
      expect(shown(listed)).toEqual(["A brass lamp", null]);
    }
    expect(await find("search=strong")).toEqual([]);
    const { data } = await supabaseAs(operator)
      .from("events")
      .select("payload")
      .eq("name", "product.created")
      .throwOnError();
    const [event] = data as { payload: { data: { product: Record<string, unknown> } } }[];
    expect(event?.payload.data.product.id).toBe(made.id);
    expect(shown(event?.payload.data.product ?? {})).toEqual(["A brass lamp", null]);
  });

  it("stays safe when its text becomes NFC, in which > and U+0338 are one character", async () => {
    const { supplier } = await openTestTenant();
    for (const bar of ["\u0338", "&#824;"]) {
      const sent = `<p>${bar} onclick=alert(1) x="</p>`;
      const { id } = await listProduct(supplier, { description_html: sent });
      const db = supabaseAs(supplier).from("products");
      await db.update({ price: 2 }).eq("id", id).throwOnError();
      const { description_html: html } = await read(supplier, id);
      // The first bar has made the tag one without an end.
      if (bar === "\u0338") expect(html).toBeUndefined();
      else {
        expect(faultsBeyondTexts(html)).toEqual([]);
        expect(parseFragment(html).childNodes.map(({ nodeName }) => nodeName)).toEqual(["p"]);
      }
    }
  });

  it("is safe in the parser of browsers, stays as it is when it is sent again, and keeps its text", async () => {
    const { supplier } = await openTestTenant();
    const bit = fc.constantFrom(
      ...'<p>|</p>|<b>|</b>|<div>|</div>|<ul><li>|<table>|<td>|<tr>|</table>|<a href="|javascript:x"|>|<img src=|x onerror=y|"|\'|/>|<svg>|</svg>|<style>|</style>|<!--|-->|<script>|</script|&lt;|&amp;|&#60;|<|>|=|&|word| |\n|<br>|<template>|<math>|<mtext>|<pre>|<select>|<title>|<h1>|<o:p>|<noscript>|<![CDATA[|]]>|<?x|&#0;|&#x110000;|e&#769;|\u0338|&#824;| onclick=x y="|'.split(
        "|",
      ),
    );
    const texts = fc.sample(fc.array(bit, { minLength: 3, maxLength: 30 }), 200);
    const lines = texts.map((bits, i) => ({
      external_id: `a-${i}`,
      name: `Lamp ${i}`,
      price: 1,
      description_html: bits.join(""),
    }));
    expect(await imported(supplier, ndjson(lines), NDJSON)).toMatchObject({ imported: 200 });
    expect(await imported(supplier, ndjson(lines), NDJSON)).toMatchObject({ unchanged: 200 });
    const { data } = await supabaseAs(supplier)
      .from("products")
      .select("external_id, description, description_html")
      .throwOnError();
    const kept = (data ?? []).filter(({ description_html }) => description_html !== null);
    for (const { description_html: html } of kept) {
      expect.soft(faultsBeyondTexts(html), html).toEqual([]);
    }
    // A bar after an element that was left out becomes one character with what was before it.
    const again = kept.filter(({ description_html }) => !description_html.includes("&#824;"));
    const sent = again.map((row) => ({ ...row, name: "Lamp", price: 1 }));
    const copies = sent.map((row) => ({ ...row, external_id: `b-${row.external_id}` }));
    expect(await imported(supplier, ndjson(copies), NDJSON)).toMatchObject({ failed: 0 });
    const { data: copied } = await supabaseAs(supplier)
      .from("products")
      .select("external_id, description, description_html")
      .like("external_id", "b-%")
      .throwOnError();
    const byId = new Map(copied?.map((row) => [row.external_id, shown(row)]));
    for (const row of again) expect.soft(byId.get(`b-${row.external_id}`)).toEqual(shown(row));
  });
});

/** The faults of HTML by the rules of rich texts, except for the elements that only descriptions may have. */
function faultsBeyondTexts(html: string): string[] {
  const only =
    /^<(abbr|b|bdi|caption|cite|dd|del|details|div|dl|dt|figcaption|figure|i|ins|kbd|mark|q|samp|small|sub|summary|sup|tfoot|thead|var|wbr)>$/;
  return faultsIn(html).filter((fault) => !only.test(fault));
}

describe("changing a description", () => {
  const HTML_ONE = "<p>A <em>brass</em> lamp</p>";

  it("counts the field that differs, and of two the HTML", async () => {
    const { supplier } = await openTestTenant();
    const made = await listProduct(supplier, { description: HTML_ONE });
    const put = (body: object) => must("PUT", `/api/products/${made.id}`, { as: supplier, body });
    // As it was read, from the product and from a list.
    for (const body of [
      await read(supplier, made.id),
      { description: "A brass lamp", name: "Lamp" },
    ]) {
      expect.soft(shown(await put(body))).toEqual(["A brass lamp", HTML_ONE]);
    }
    const both = { description: "Text", description_html: "<p>HTML</p><script>x</script>" };
    expect.soft(shown(await put(both))).toEqual(["HTML", "<p>HTML</p>"]);
    const text = { description: "Text", description_html: "<p>HTML</p>" };
    expect.soft(shown(await put(text))).toEqual(["Text", null]);
    expect.soft(shown(await put({ description: HTML_ONE }))).toEqual(["A brass lamp", HTML_ONE]);
    expect.soft(shown(await put({ description_html: null }))).toEqual(["A brass lamp", null]);
    expect.soft(shown(await put({ description_html: "No tag" }))).toEqual(["No tag", "No tag"]);
    expect.soft(shown(await put({ description: "Plain" }))).toEqual(["Plain", null]);
    const db = supabaseAs(supplier).from("products");
    const { data } = await db
      .update({ description_html: "<b onclick='x()'>Bold</b>" })
      .eq("id", made.id)
      .select("description, description_html")
      .single()
      .throwOnError();
    expect.soft(shown(data)).toEqual(["Bold", "<b>Bold</b>"]);
  });

  it("by an export that is imported again changes nothing, and restores it elsewhere", async () => {
    const { operator, supplier } = await openTestTenant();
    const other = await register({ tenant_id: operator.tenantId, role: "supplier" });
    const html = "<p>Says &lt;b&gt; &amp; more</p>";
    await listProduct(supplier, { external_id: "a", description: html });
    await listProduct(supplier, { external_id: "b", description: "Plain" });
    for (const [format, type] of [
      ["csv", "text/csv"],
      ["ndjson", NDJSON],
    ] as const) {
      const response = await fetch(
        `${stackInUse().functions_url}/api/products/export?format=${format}`,
        { headers: { authorization: `Bearer ${supplier.token}` } },
      );
      const file = await response.text();
      expect.soft(await imported(supplier, file, type)).toMatchObject({ unchanged: 2, failed: 0 });
    }
    const { data } = await supabaseAs(supplier).rpc("export_products").throwOnError();
    const copies = (data as Record<string, unknown>[]).map(
      ({ id, supplier_id, slug, ...line }) => line,
    );
    expect(await imported(other, ndjson(copies), NDJSON)).toMatchObject({ imported: 2 });
    const { data: restored } = await supabaseAs(other)
      .from("products")
      .select("description, description_html")
      .order("external_id")
      .throwOnError();
    expect(restored?.map(shown)).toEqual([
      ["Says <b> & more", html],
      ["Plain", null],
    ]);
  });

  it("is read once, however long, nested or unended it is", async () => {
    const { supplier } = await openTestTenant();
    const many = (text: string) => text.repeat(90_000 / text.length);
    for (const [html, text] of [
      [`<p ${many("a")} b=c>x</p>`, "x"],
      [`<p ${many("a b ")}>x</p>`, "x"],
      [`<p ${many(`a="'b='`)}>x</p>`, "x"],
      [`${many("<b>")}x`, "x"],
      [`${many("<b><i>")}x`, "x"],
      [`x${many("</p></b>")}`, "x"],
      [`x${many("<!--")}`, "x"],
      [`x${many("<!x<?y")}`, "x"],
      [`x${many("<script")}`, "x"],
      [`x${many("<a href='")}`, "x"],
      [`x${many('<a title="b>')}`, undefined],
      [`x${many("<svg><p>")}`, "x"],
      [`<p>${many("&amp")}</p>`, undefined],
      [`<p>${many(" ")}x</p>`, undefined],
      [`${many("<li>")}`, undefined],
      [`${many("<table><td>")}x`, undefined],
      [`<p>${many("<")}`, undefined],
      [`<p>${many("= ")}`, undefined],
      [`<p ${many('a="<"')}>x</p>`, "x"],
      [`<p ${many("a='<\"")}>x</p>`, undefined],
    ] as const) {
      const sent = { name: "Lamp", price: 1, description_html: html };
      const answer = await call("POST", "/api/products", { as: supplier, body: sent });
      const start = html.slice(0, 20);
      // Without a known text, the HTML may be too long as it is kept.
      if (text === undefined) expect.soft([201, 422], start).toContain(answer.status);
      else expect.soft([start, answer.body.description]).toEqual([start, text]);
    }
  });

  it("is refused beyond its limits, as it is sent and as it is kept", async () => {
    const { supplier } = await openTestTenant();
    const long = (length: number) => `<p>${"x".repeat(length)}</p>`;
    const post = (body: object) =>
      call("POST", "/api/products", { as: supplier, body: { name: "Lamp", price: 1, ...body } });
    const junk = `<p style="${"x".repeat(150_000)}">Short</p>`;
    expect((await post({ description: junk })).body).toMatchObject({ description: "Short" });
    for (const body of [
      { description: "x".repeat(50_001) },
      { description: long(50_001) },
      { description: `<p>${"<".repeat(20_000)}</p>` },
      { description_html: long(50_001) },
      { description: long(200_000) },
      { description_html: long(200_000) },
    ]) {
      const answer = await post(body);
      expect.soft([answer.status, answer.body.error?.code]).toEqual([422, "VALIDATION_ERROR"]);
      expect.soft(answer.body.error?.details?.field).toMatch(/^description(_html)?$/);
    }
    expectRefusal(await post({ description: long(50_001) }), 422, "VALIDATION_ERROR");
  });
});
