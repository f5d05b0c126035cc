import { describe, expect, it } from "vitest";
import type { Inputs } from "../../supabase/functions/_shared/templates/inputs.ts";
import type { Reach } from "../../supabase/functions/_shared/templates/reaching.ts";
import { renderPage } from "../../supabase/functions/_shared/templates/render_page.ts";
import type {
  Block,
  Component,
  TemplateContent,
} from "../../supabase/functions/_shared/templates/template.ts";
import { inputsOf, products, shopReach } from "./shop.js";

// Renders pages from inputs, without a database.

const nobody: Reach = { rights: "", read: () => Promise.reject(new Error("nothing is there")) };

function page(
  content: TemplateContent,
  overrides: Partial<Inputs> = {},
  { reach = nobody, variables = {} }: { reach?: Reach; variables?: Record<string, unknown> } = {},
) {
  return renderPage(inputsOf("homepage", "en", { content, ...overrides }), { variables }, reach);
}

const section = (...blocks: Block[]): TemplateContent => ({ sections: [{ id: "top", blocks }] });
const dynamic = (content: string, more: Partial<Block> = {}): Block => ({
  id: "words",
  type: "dynamic_content",
  content,
  ...more,
});

const inner = async (...page_: Parameters<typeof page>) =>
  (await page(...page_)).page.html.replace(/^.*?souk-s-top">|<\/div><\/main><\/div>$/g, "");

describe("a block", () => {
  it("of static content is shown unchanged, in its element", async () => {
    const block: Block = {
      id: "a",
      type: "static_content",
      content: "<p title='{{ x }}'>{% raw %} {{ y }}</p>",
      settings: { element: "section", class: "wide", label: 'A "part"' },
    };
    expect(await inner(section(block))).toBe(
      '<section class="souk-block wide" aria-label="A &quot;part&quot;"><p title=\'&#123;{ x }}\'>&#123;% raw %} &#123;{ y }}</p></section>',
    );
  });

  it("of dynamic content has its values escaped", async () => {
    const block = dynamic("<a href='/x?q={{ q }}'>{{ q }}</a>");
    const content = { ...section(block), variables: [{ name: "q", type: "string" as const }] };
    expect(await inner(content, {}, { variables: { q: "<b>'\"&" } })).toBe(
      `<div class="souk-block"><a href='/x?q=%3Cb%3E%27%22%26'>&lt;b&gt;&#39;&quot;&amp;</a></div>`,
    );
  });

  it("of type conditional shows then or else", async () => {
    const block: Block = {
      id: "c",
      type: "conditional",
      content: {
        expression: { variable: "device", operator: "exists" },
        // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
        then: [dynamic("yes")],
        else: [dynamic("no")],
      },
    };
    expect(await inner(section(block))).toBe('<div class="souk-block">no</div>');
  });

  it("with roles is shown to these only", async () => {
    const block = dynamic("staff", { permissions: { roles: ["admin", "client"] } });
    expect((await page(section(block))).page.html).not.toContain("staff");
    expect((await page(section(block), { role: "admin" })).page.html).toContain("staff");
    expect((await page(section(block), { role: null })).page.html).not.toContain("staff");
  });

  it("of type widget shows the block types of content", async () => {
    const picture = "00000000-0000-4000-8000-000000000901";
    const image = {
      url: "https://m.example/a.png",
      srcset: null,
      width: 3,
      height: 2,
      alt: "Alt",
    };
    const widgets: Block[] = [
      {
        widget: "text",
        text: {
          type: "doc",
          content: [{ type: "paragraph", content: [{ type: "text", text: "<Hi>" }] }],
        },
      },
      { widget: "image", asset_id: picture },
      {
        widget: "gallery",
        images: [{ asset_id: picture, alt: "One" }, { asset_id: products[0]?.id }],
      },
      { widget: "banner", title: "Sale & more", text: "Now", href: "javascript:alert(1)" },
      { widget: "testimonials", items: [{ author: "Cleo <3", text: "Good" }] },
      { widget: "product_grid", query: {} },
      { widget: "video", asset_id: picture, title: "Film" },
    ].map((content, n) => ({ id: `w${n}`, type: "widget", content }));
    const html = await inner(section(...widgets), {
      assets: { [picture]: image },
      products: { w5: products.slice(0, 1) },
    });
    expect(html).toContain("<p>&lt;Hi&gt;</p>");
    expect(html).toContain('alt="One"');
    expect(html).toContain('<div class="souk-banner"><h2>Sale &amp; more</h2><p>Now</p></div>');
    expect(html).toContain("<figcaption>Cleo &lt;3</figcaption>");
    expect(html).toContain('<span class="souk-product-price">€49.00</span>');
    expect(html).toContain('aria-label="Film"');
    expect(html).not.toContain("javascript");
    expect(html.match(/<img/g)).toHaveLength(3);
  });
});

describe("a component", () => {
  const card: Component = {
    id: "c1",
    name: "Card",
    content: "<h2>{{ title }}</h2>{{ count }}{{ marketplace.name }}",
    props: [
      { name: "title", type: "string", required: true },
      { name: "count", type: "number", default_value: 1 },
    ],
    styles: "h2 { color: red }",
    variants: [{ name: "big", props: { count: 2 }, styles: "h2 { font-size: 3rem }" }],
    responsive: [
      { breakpoint: "mobile", styles: { padding: "0" }, visibility: { hide_on: ["tablet"] } },
    ],
  };
  const use = (props: object, more: object = {}, required = false): Block => ({
    id: "card",
    type: "component",
    required,
    content: { component_id: "c1", props, ...more },
  });
  const with_ = { components: { c1: card } };

  it("reads its props only, and escapes them once", async () => {
    const { page: made } = await page(section(use({ title: "{{ marketplace.name }} <1>" })), with_);
    expect(made.html).toContain(
      '<div class="souk-c-c1 souk-hide-tablet"><h2>Medina &lt;1&gt;</h2>1</div>',
    );
    expect(made.css).toContain(".souk-c-c1 h2{color:red}");
    expect(made.css).toMatch(/@media \(max-width: 767.98px\)\{\.souk-c-c1\{padding:0\}\}/);
  });

  it("gets the value itself if a prop is a single output", async () => {
    const block = use({ title: "x", count: "{{ products | size }}" });
    const content = {
      ...section(block),
      bindings: [{ variable: "products", source: { type: "static" as const, value: [1, 2, 3] } }],
    };
    expect(await inner(content, with_)).toContain("</h2>3</div>");
  });

  it("has variants", async () => {
    const { page: made } = await page(section(use({ title: "x" }, { variant: "big" })), with_);
    expect(made.html).toContain(
      '<div class="souk-c-c1 souk-c-c1-0 souk-hide-tablet"><h2>x</h2>2</div>',
    );
    expect(made.css).toContain(".souk-c-c1-0 h2{font-size:3rem}");
  });

  it.each([
    [{}, {}, "Card: title is missing."],
    [{ title: 1 }, {}, "Card: title must be a string."],
    [{ title: "x", other: 1 }, {}, "Card: other is not declared."],
    [{ title: "x" }, { variant: "none" }, "Card has no variant none."],
    [{ title: "x" }, { component_id: "none" }, "There is no component none."],
  ])("with props %j and %j is left out, or fails the page if it is required", async (props, more, message) => {
    const { page: made } = await page(section(use(props, more)), with_);
    expect(made.warnings).toEqual([
      { code: "BLOCK_LEFT_OUT", message, section: "top", block: "card" },
    ]);
    await expect(page(section(use(props, more, true)), with_)).rejects.toMatchObject({
      name: "TemplateMistake",
      message,
      section: "top",
      block: "card",
    });
  });
});

it("counts its CSS as output", async () => {
  const content = {
    ...section(dynamic("a".repeat(250_000)), dynamic("b".repeat(250_000))),
    styles: `p{content:"${"c".repeat(90_000)}"}`,
  };
  const component = (n: number): Component => ({
    ...{ id: `c${n}`, name: "Card", category: "content", content: "<p></p>" },
    ...{ props: [], variants: [], responsive: [], styles: content.styles },
  });
  const ids = [1, 2, 3, 4].map(component);
  const used = ids.map(
    ({ id }): Block => ({ id, type: "component", content: { component_id: id, props: {} } }),
  );
  const components = Object.fromEntries(ids.map((one) => [one.id, one]));
  const pageWith = (blocks: Block[]) =>
    page(
      { ...content, sections: [...(content.sections ?? []), { id: "more", blocks }] },
      { components },
    );
  await expect(pageWith(used)).resolves.toBeDefined();
  await expect(pageWith([...used, dynamic("d".repeat(100_000))])).rejects.toMatchObject({
    limit: "output",
  });
});

describe("sources", () => {
  const bind = (variable: string, source: object, more: object = {}) =>
    ({ variable, source, ...more }) as never;

  it("are read concurrently, unless one names another", async () => {
    let under = 0;
    let most = 0;
    const asked: string[] = [];
    const reach: Reach = {
      rights: "",
      async read(_, address) {
        asked.push(address);
        most = Math.max(most, ++under);
        await new Promise((resolve) => setTimeout(resolve, 20));
        under -= 1;
        return { id: address.length };
      },
    };
    const content = {
      ...section(dynamic("{{ c.id }} {{ d }}")),
      bindings: [
        bind("a", { type: "api", endpoint: "/api/one" }),
        bind("b", { type: "api", endpoint: "/api/other" }),
        bind("c", { type: "database", query: "t?a=eq.{{ a.id }}&n={{ marketplace.name }}%20" }),
        bind("d", { type: "computed", formula: "c.id | plus: 1" }, { transformation: "times: 2" }),
      ],
    };
    expect(await inner(content, {}, { reach })).toContain(">20 42<");
    expect(most).toBe(2);
    expect(asked).toEqual(["/api/one", "/api/other", "t?a=eq.8&n=Medina%20"]);
  });

  it("encode the values in their addresses", async () => {
    const asked: string[] = [];
    const reach: Reach = {
      rights: "",
      read: async (_, address) => {
        asked.push(address);
        return null;
      },
    };
    const content = {
      ...section(dynamic("x")),
      variables: [{ name: "q", type: "string" as const }],
      bindings: [bind("a", { type: "api", endpoint: "/api/products/{{ q }}" })],
    };
    await page(content, {}, { reach, variables: { q: "../x?y=//z\\&#" } });
    expect(asked).toEqual(["/api/products/..%2Fx%3Fy%3D%2F%2Fz%5C%26%23"]);
  });

  it("are null with a warning if they fail", async () => {
    const content = {
      ...section(dynamic("[{{ a }}]")),
      bindings: [bind("a", { type: "api", endpoint: "/api/x" })],
    };
    const { page: made } = await page(content);
    expect(made.html).toContain("[]");
    expect(made.warnings).toMatchObject([{ code: "SOURCE_FAILED" }]);
  });

  it("are at most 10 per page, with those of included templates", async () => {
    const six = (name: string) =>
      [1, 2, 3, 4, 5, 6].map((n) => bind(`${name}${n}`, { type: "static", value: n }));
    const content = {
      ...section({ id: "i", type: "include", content: { template_id: "t" } }),
      bindings: six("a"),
    };
    const included = {
      id: "t",
      version: 1,
      parents: [],
      content: { ...section(dynamic("x")), bindings: six("b") },
    };
    await expect(page(content, { includes: { t: included } })).rejects.toMatchObject({
      name: "TemplateLimit",
      limit: "sources",
      maximum: 10,
    });
  });

  it("with caching are read once per reader", async () => {
    let read = 0;
    const reach = (rights: string): Reach => ({ rights, read: async () => ++read });
    const content = {
      ...section(dynamic("{{ kept }}")),
      bindings: [
        bind("kept", { type: "api", endpoint: "/api/kept" }, { caching: { duration: 60 } }),
      ],
    };
    expect(await inner(content, {}, { reach: reach("one") })).toContain(">1<");
    expect(await inner(content, {}, { reach: reach("one") })).toContain(">1<");
    expect(await inner(content, {}, { reach: reach("other") })).toContain(">2<");
  });
});

describe("a page", () => {
  it("has its sections in order, with landmarks and responsive rules", async () => {
    const content: TemplateContent = {
      layout: "sidebar_right",
      sidebar: ["aside"],
      sections: [
        { id: "end", order: 9, blocks: [dynamic("end", { settings: { element: "footer" } })] },
        {
          id: "main",
          order: 2,
          blocks: [dynamic("main")],
          responsive: [{ breakpoint: "desktop", visibility: { show_on: ["desktop"] } }],
        },
        { id: "aside", order: 3, blocks: [dynamic("aside")] },
        {
          id: "hidden",
          blocks: [dynamic("hidden")],
          conditions: [{ expression: { variable: "nobody", operator: "exists" }, action: "show" }],
        },
        { id: "start", order: 1, blocks: [dynamic("start", { settings: { element: "header" } })] },
      ],
    };
    const { page: made } = await page(content);
    expect(made.html.replaceAll(/ (class|id|tabindex|lang|dir)="[^"]*"/g, "")).toBe(
      "<div><div><header>start</header></div><div><main><div><div>main</div></div></main>" +
        "<aside><div><div>aside</div></div></aside></div><div><footer>end</footer></div></div>",
    );
    expect(made.html).toContain("souk-s-main souk-hide-mobile souk-hide-tablet");
  });

  it("has the colours and fonts of the marketplace, and scoped styles", async () => {
    const { page: made } = await page(
      { ...section(dynamic("x")), styles: ":root { color: red } p { margin: 0 }" },
      {
        marketplace: {
          ...(inputsOf("homepage").marketplace as NonNullable<Inputs["marketplace"]>),
          branding: {
            colors: { primary: "#ffff00", bad: "red;} body{display:none" },
            fonts: { body: '"Inter", sans-serif', bad: 'x"; color: red' },
          } as never,
        },
      },
    );
    expect(made.css).toContain("--souk-color-primary:#ffff00;--souk-on-primary:#000000");
    expect(made.css).toContain('--souk-font-body:"Inter", sans-serif');
    expect(made.css).not.toContain("bad");
    expect(made.css).toContain(".souk-page p{margin:0}");
  });

  it("with sources is kept as briefly as they are, and for its reader only", async () => {
    const caching = { strategy: "memory" as const, duration: 600 };
    const template = { ...inputsOf("homepage").template, caching };
    const { kept } = await page(section(dynamic("x")), { template });
    expect(kept).toEqual({ isPersonal: false, memory: 600, cdn: 0 });
    const live = {
      ...section(dynamic("x")),
      bindings: [
        {
          variable: "categories",
          source: { type: "api" as const, endpoint: "/api/categories" },
          caching: { duration: 30 },
        },
      ],
    };
    const reading = await page(live, { template }, { reach: shopReach() });
    expect(reading.kept).toEqual({ isPersonal: true, memory: 30, cdn: 0 });
  });

  it("reports each wrong variable", async () => {
    await expect(page(section(dynamic("x")), {}, { variables: { a: 1 } })).rejects.toMatchObject({
      name: "WrongVariables",
      errors: [{ variable: "a", message: "is not declared" }],
    });
  });

  it("beyond a limit is refused, with section and block", async () => {
    const endless = dynamic(
      "{% for a in (1..999) %}{% for b in (1..999) %}x{% endfor %}{% endfor %}",
    );
    await expect(page(section(endless))).rejects.toMatchObject({
      name: "TemplateLimit",
      section: "top",
      block: "words",
    });
  });

  it("that includes itself is refused", async () => {
    const content = section({ id: "i", type: "include", content: { template_id: "t" } });
    const included = { id: "t", version: 1, parents: [], content };
    await expect(page(content, { includes: { t: included } })).rejects.toMatchObject({
      limit: "depth",
      maximum: 10,
    });
  });
});
