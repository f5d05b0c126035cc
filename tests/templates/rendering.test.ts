import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { beginMinute } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { exported, rowsOf } from "../exports/exporting.js";
import { counts, importsAt, NDJSON, ndjson } from "../imports/importing.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import { openCategory, promote } from "../placement/promoting.js";
import {
  ADDRESS,
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  register,
} from "../souk.js";
import {
  activate,
  at,
  contentOf,
  including,
  make,
  makeComponent,
  type Newsroom,
  openGuest,
  openNewsroom,
  type Person,
  type Row,
  save,
  saved,
} from "./making.js";

const { imported } = importsAt("/api/orders/import");

let shop: Newsroom;
let product: Row;
let category: string;
beforeAll(async () => {
  shop = await openNewsroom();
  const body = { name: "Spices" };
  category = (await must("POST", "/api/categories", { as: shop.operator, body })).id;
  product = await listProduct(shop.supplier, { name: "Saffron <b>", category_id: category });
});

// Requests of sources count for the reader of the page, and these tests make more than the rate limit allows.
beforeEach(() =>
  query("delete from private.request_counts where subject = any ($1)", [
    [shop.operator, shop.customer, shop.supplier].map(({ id }) => `user:${id}`),
  ]),
);

const render = (
  as: Person | undefined,
  id: string,
  context: object = {},
  variables: object = {},
): Promise<Answer> =>
  call("POST", `/api/templates/${id}/render`, { as, body: { variables, context } });

async function rendered(...render_: Parameters<typeof render>): Promise<Row> {
  const answer = await render(...render_);
  expect(answer.body).toHaveProperty("html");
  expect(answer.status).toBe(200);
  return answer.body;
}

const memory = { caching: { strategy: "memory", duration: 600 } };

describe("the built-in pages", () => {
  it.each([
    ["homepage", () => ({}), "Saffron &lt;b&gt;"],
    ["category", () => ({ category_id: category }), "Spices"],
    ["product", () => ({ product_id: product.id }), "Saffron &lt;b&gt;</bdi></h1>"],
    ["checkout", () => ({}), "Your basket is empty"],
    ["profile", () => ({}), "No orders yet"],
    ["search_results", () => ({}), "1 product"],
  ])("render %s for customers, guests and admins", async (type, context, text) => {
    for (const as of [shop.customer, await openGuest(shop.marketplace), shop.operator]) {
      // A source that takes longer than 2 s is empty, with a warning, for example while a function starts.
      const page = await eventually(async () => {
        const made = await rendered(as, type, context());
        expect(made.warnings).toEqual([]);
        return made;
      });
      expect(page).toMatchObject({
        language: "en",
        rtl: false,
        version: 0,
        cache: { hit: false, expires_at: null },
      });
      expect(page.html).toContain(text);
      expect(page.html).not.toContain("<b>");
    }
  });

  it("use the requested language", async () => {
    const page = await rendered(shop.customer, "checkout", { language: "ar-EG" });
    expect(page).toMatchObject({ language: "ar-EG", rtl: true });
    expect(page.html).toMatch(/^<div [^>]*lang="ar-EG" dir="rtl">/);
  });

  it("have metadata for search engines", async () => {
    const { head } = await rendered(shop.customer, "product", { product_id: product.id });
    expect(head.title).toBe("Saffron <b> – Spices");
    expect(head.json_ld[0]).toMatchObject({
      "@type": "Product",
      name: "Saffron <b>",
      offers: { price: 12.5, priceCurrency: "EUR", availability: "https://schema.org/InStock" },
    });
    expect(head.links[0]).toEqual({
      rel: "canonical",
      href: `https://${shop.marketplace.domain}/products/${product.slug}`,
    });
  });
});

describe("a calculation", () => {
  const CALCULATIONS: [text: string, expected: string][] = [
    ["{{ 10.1 | times: 3 }}", "30.3"],
    ["{{ 4.35 | times: 100 | floor }}", "435"],
    ["{{ 4.35 | times: 100 | ceil }}", "435"],
    ["{{ 0.1 | plus: 0.2 }}", "0.3"],
    ["{{ 1 | minus: 0.9 }}", "0.1"],
    ["{{ 0.3 | divided_by: 0.1 }}", "3"],
    [
      "{{ 7 | divided_by: 2 }} {{ 7 | divided_by: 2, true }} {{ -7 | divided_by: 2, true }}",
      "3.5 3 -4",
    ],
    ["{{ 10 | divided_by: 3 }} {{ 2 | divided_by: 3 }}", "3.333333333333333 0.6666666666666667"],
    ["{{ 5.5 | modulo: 1.1 }} {{ -7 | modulo: 3 }} {{ 7 | modulo: -3 }}", "0 2 -2"],
    ["{{ -4.35 | abs }} {{ 0.3 | at_least: 0.1 }} {{ 0.3 | at_most: 0.1 }}", "4.35 0.3 0.1"],
    [
      "{{ 1.005 | round: 2 }} {{ 2.5 | round }} {{ -2.5 | round }} {{ 1250 | round: -2 }}",
      "1.01 3 -3 1300",
    ],
    ["{{ -0.4 | round }} {{ 0 | times: -1 }}", "0 0"],
    ["{{ prices | sum }} {{ prices | sum | times: 10 }}", "0.6 6"],
    [
      "{{ tripled }} {% if tripled == 30.3 %}equal{% endif %} {% if tripled > 30.3 %}more{% endif %}",
      "30.3 equal ",
    ],
    [
      "{{ 9007199254740993 | plus: 1 }} {{ '12345678901234567.89' | plus: 0.01 }}",
      "9007199254740994 12345678901234567.9",
    ],
    [
      "{{ tiny }} {{ huge }} {{ tiny | times: 2 }} {{ huge | plus: 1 }}",
      "0.0000001 1000000000000000000000 0.0000002 1000000000000000000001",
    ],
    ["{{ nothing | plus: 1 }} {{ 'abc' | times: 2 }} {{ ' 2.50 ' | times: 2 }}", "1 0 5"],
  ];
  it.each(CALCULATIONS)("is decimal: %s", async (text, expected) => {
    const { id } = await make(shop.operator, {
      content: contentOf(`<p>${text}</p>`, {
        variables: [
          { name: "prices", type: "array", default_value: [0.1, 0.2, 0.3] },
          { name: "tiny", type: "number", default_value: 1e-7 },
          { name: "huge", type: "number", default_value: 1e21 },
        ],
        bindings: [
          { variable: "tripled", source: { type: "computed", formula: "10.1 | times: 3" } },
        ],
      }),
    });
    expect((await rendered(shop.customer, id)).html).toContain(`<p>${expected}</p>`);
  });

  it.each([
    "{{ 1 | divided_by: 0 }}",
    "{{ 1 | divided_by: zero }}",
    "{{ 0 | divided_by: zero }}",
    "{{ 1 | divided_by: missing }}",
    "{{ 1 | modulo: zero }}",
    "{{ 1 | modulo: missing }}",
    "{% assign share = 1 | divided_by: zero %}{{ share | money }}",
  ])("that divides by zero or by nothing is a mistake: %s", async (text) => {
    const variables = [{ name: "zero", type: "number", default_value: 0 }];
    const { id } = await make(shop.operator, {
      content: contentOf(`<p>${text}</p>`, { variables }),
    });
    const { html, warnings } = await rendered(shop.customer, id);
    expect(html).not.toMatch(/Infinity|NaN|∞/);
    expect(warnings).toMatchObject([
      { code: "BLOCK_LEFT_OUT", block: "words", message: expect.stringContaining("divide") },
    ]);
  });

  it("that divides by zero leaves a computed source empty, and fails a required block", async () => {
    const formula = "10 | divided_by: zero";
    const variables = [{ name: "zero", type: "number", default_value: 0 }];
    const bindings = [{ variable: "share", source: { type: "computed", formula } }];
    const content = contentOf("<p>{{ share }}</p>", { variables, bindings });
    const { id } = await make(shop.operator, { content });
    const { html, warnings } = await rendered(shop.customer, id);
    expect(html).toContain("<p></p>");
    expect(warnings).toMatchObject([
      { code: "SOURCE_FAILED", message: expect.stringContaining("divide") },
    ]);
    const strict = contentOf(`<p>\n{{ ${formula} }}</p>`, { variables });
    strict.sections[0].blocks[0].required = true;
    const answer = await render(shop.customer, (await make(shop.operator, { content: strict })).id);
    const place = { section: "top", block: "words", line: 2 };
    expectRefusal(answer, 422, "TEMPLATE_ERROR", place);
  });
});

describe("a promoted product", () => {
  let shelf: string;
  let promoted: Row;
  let plain: Row;
  beforeAll(async () => {
    shelf = (await openCategory(shop)).id;
    promoted = (await promote(shop, { id: shelf }, {}, { name: "Promoted lamp" })).product;
    for (const name of ["Lamp A", "Lamp B", "Lamp C"]) {
      plain = await listProduct(shop.supplier, { name, category_id: shelf });
    }
  });

  it("is first, marked and counted on the built-in pages", async () => {
    const { html } = await rendered(shop.customer, "category", { category_id: shelf });
    const [card = ""] = html.match(/<li class="shop-card".*?<\/li>/s) ?? [];
    expect(card).toContain("Promoted lamp");
    expect(card).toMatch(/data-campaign="[\w-]+" data-promotion="[^"]+"/);
    expect(card).toContain('<span class="shop-label">');
  });

  it("has its usual place in the product grids of a template", async () => {
    const grid = (query: object) => ({
      type: "widget",
      content: { widget: "product_grid", query: { category: shelf, ...query } },
    });
    const outer = await make(shop.operator, {
      ...memory,
      content: {
        sections: [{ id: "top", blocks: [grid({}), grid({ search: "lamp", limit: 4 })] }],
      },
    });
    for (const as of [shop.customer, await openGuest(shop.marketplace), shop.operator]) {
      const { html } = await rendered(as, outer.id);
      const names = [...html.matchAll(/souk-product-name">([^<]*)/g)].map(([, name]) => name);
      expect(names.slice(0, 4)).toEqual(["Lamp C", "Lamp B", "Lamp A", "Promoted lamp"]);
      expect([...names.slice(4)].sort()).toEqual(["Lamp A", "Lamp B", "Lamp C", "Promoted lamp"]);
      expect(names[4]).not.toBe("Promoted lamp");
    }
  });

  it.each([
    ["api", () => `/api/products?category=${shelf}&limit=4`, "products"],
    ["api", () => `/products?category=${shelf}&limit=4`, "products"],
    ["api", () => `/api/products?category=${shelf}&search=lamp&limit=4`, "products"],
    ["api", () => "/api/products?limit=10", "products"],
    ["api", () => `/api/products/top-sales?category=${shelf}`, "products"],
    ["api", () => `/api/products/${plain.id}/similar?limit=4`, "products"],
    ["database", () => `rpc/list_products?category=%7B${shelf}%7D&limit=4`, "products"],
    ["database", () => `products?category_id=eq.${shelf}&order=created_at.desc,id`, ""],
  ])("has its usual place in the source of a template: %s %s", async (type, address, list) => {
    const text = address();
    const source = type === "api" ? { type, endpoint: text } : { type, query: text };
    const path = list === "" ? "found" : `found.${list}`;
    const content = contentOf(
      `<p>{{ ${path} | map: 'promotion' | compact | size }}</p><b>{{ ${path}[0].name }}</b>`,
      { bindings: [{ variable: "found", source }] },
    );
    const { html, warnings } = await rendered(
      shop.customer,
      (await make(shop.operator, { content })).id,
    );
    expect(warnings).toEqual([]);
    expect(html).toContain("<p>0</p>");
    expect(html).not.toContain("<b>Promoted lamp</b>");
  });

  it("has its usual place in a list that is read for several readers", async () => {
    const path = `/api/products?category=${shelf}&limit=4`;
    const first = async (headers: Record<string, string>) =>
      (await must("GET", path, { as: shop.customer, headers })).products[0];
    expect(await first({})).toMatchObject({ id: promoted.id, promotion: { position: 1 } });
    expect(await first({ "x-souk-promotion": "none" })).toMatchObject({
      name: "Lamp C",
      promotion: null,
    });
  });
});

describe("a picture", () => {
  let asset: Row;
  beforeAll(async () => {
    asset = await upload(shop.operator, png(400, 300), TYPES.png, { alt_text: "A pot" });
    await must("PUT", `/api/marketplaces/${shop.marketplace.id}`, {
      as: shop.operator,
      body: { settings: { branding: { hosts: ["far.example"] } } },
    });
  });

  const TEXT =
    '<img src="{{ picture | asset_url }}" srcset="{{ picture | srcset }}" alt="">{{ picture | asset_url: width: 300 }}';

  /** A page that shows `picture`, which an expression makes of the values of the page. */
  const shown = async (expression: string, content: object = {}, variables = {}, context = {}) => {
    const text = `{% assign picture = ${expression} %}${TEXT}`;
    const { id } = await make(shop.operator, { content: contentOf(text, content) });
    const { html, warnings } = await rendered(shop.customer, id, context, variables);
    expect(warnings).toEqual([]);
    const [, src, srcset, sized] = /src="([^"]*)" srcset="([^"]*)" alt="">([^<]*)/.exec(html) ?? [];
    return { src, srcset, sized };
  };
  const variable = (type: string) => ({ variables: [{ name: "given", type }] });

  it("is found by a variable of type image, with its sizes", async () => {
    const sent = { asset_id: asset.id, alt: "Ours" };
    const whole = await shown(`"${asset.id}"`);
    expect(whole.src).toBe(asset.url);
    expect(whole.srcset).toMatch(/ \d+w/);
    expect(await shown("given", variable("image"), { given: sent })).toEqual(whole);
    const variables = [{ name: "given", type: "image", default_value: sent }];
    expect(await shown("given", { variables })).toEqual(whole);
    const far = { url: "https://far.example/a.png", alt: "Far" };
    const { src, sized } = await shown("given", variable("image"), { given: far });
    expect([src, sized]).toEqual([far.url, far.url]);
  });

  it("is found by an image of a product", async () => {
    const images = [{ asset_id: asset.id }, { url: "https://far.example/b.png" }];
    const pot = await listProduct(shop.supplier, { name: "Pot", images });
    const whole = await shown(`"${asset.id}"`);
    const context = { product_id: pot.id };
    expect(await shown("product.images[0]", {}, {}, context)).toEqual(whole);
    expect(await shown("product.images | first", {}, {}, context)).toEqual(whole);
    expect((await shown("product.images[1]", {}, {}, context)).src).toBe(
      "https://far.example/b.png",
    );
    const bindings = [
      { variable: "pot", source: { type: "api", endpoint: `/api/products/${pot.id}` } },
    ];
    expect(await shown("pot.images[0]", { bindings })).toEqual(whole);
  });

  it("is found by a text that holds its id, wherever that comes from", async () => {
    const whole = await shown(`"${asset.id}"`);
    const { id } = asset;
    expect(await shown("given", variable("string"), { given: id })).toEqual(whole);
    expect(await shown("given[0]", variable("array"), { given: [id] })).toEqual(whole);
    expect(
      await shown("given.a.asset_id", variable("object"), { given: { a: { asset_id: id } } }),
    ).toEqual(whole);
    expect(await shown("given.a", variable("object"), { given: { a: { id } } })).toEqual(whole);
    const query = `rpc/get_media?asset_id=${id}`;
    const bindings = [{ variable: "found", source: { type: "database", query } }];
    expect(await shown("found.id", { bindings })).toEqual(whole);
  });

  it("that is missing or private is empty, with a warning", async () => {
    const hidden = await upload(shop.operator, png(4, 3), TYPES.png, { private: true });
    const { operator } = await openTestTenant();
    const foreign = await upload(operator, png(4, 3), TYPES.png);
    const content = contentOf("<p>{{ given | asset_url }}</p>", variable("string"));
    const { id } = await make(shop.operator, { content });
    for (const given of [randomUUID(), hidden.id, foreign.id, "no id"]) {
      const { html, warnings } = await rendered(shop.customer, id, {}, { given });
      expect(html).toContain("<p></p>");
      expect(warnings).toMatchObject([{ code: "ASSET_NOT_FOUND" }]);
    }
  });

  it("of a preview is found without a session", async () => {
    const content = contentOf("<p>{{ given | asset_url }}</p>", variable("string"));
    const template = await make(shop.operator, { content });
    const { url } = await must("POST", at(template, "/preview"), { as: shop.operator, body: {} });
    const preview = new URL(url, "http://here.test").searchParams.get("preview");
    const page = await rendered(undefined, template.id, { preview }, { given: asset.id });
    expect(page.html).toContain(asset.url);
  });
});

describe("a date", () => {
  let far: Newsroom;
  beforeAll(async () => {
    far = await openNewsroom();
  });

  const move = (time_zone: string) =>
    must("PATCH", "/api/tenant", { as: far.operator, body: { time_zone } });

  /** The texts as a page and as a letter show them. */
  const both = async (texts: readonly string[], language = "en") => {
    const text = `<p>[${texts.join("|")}]</p>`;
    const page = await make(far.operator, { content: contentOf(text) });
    const { html, warnings } = await rendered(far.customer, page.id, { language });
    expect(warnings).toEqual([]);
    const body = {
      key: `k${randomUUID().slice(0, 8)}`,
      name: "Dates",
      subject: "x",
      html_content: text,
    };
    const letter = await must("POST", "/api/email-templates", { as: far.operator, body });
    const sent = await must("POST", `/api/email-templates/${letter.id}/render`, {
      as: far.operator,
      body: { language },
    });
    const shown = (whole: string) => /\[(.*)\]/s.exec(whole)?.[1]?.split("|");
    expect(shown(sent.html)).toEqual(shown(html));
    return shown(html);
  };

  it.each([
    "America/Los_Angeles",
    "Pacific/Auckland",
    "Asia/Kolkata",
    "UTC",
  ])("without a time is the same in %s", async (zone) => {
    await move(zone);
    const texts = [
      '{{ "2026-03-31" | date }}',
      '{{ "2026-03-31" | date: "full" }}',
      '{{ "2026-03-31" | date: "%B %d, %Y" }}',
      '{{ "2026-03-31T23:30" | date: "%F %H:%M" }}',
      '{{ "2026-03-31" | date: "time" }}',
    ];
    expect(await both(texts)).toEqual([
      "Mar 31, 2026",
      "Tuesday, March 31, 2026",
      "March 31, 2026",
      "2026-03-31 23:30",
      "",
    ]);
  });

  it.each([
    "America/Los_Angeles",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    // Newer than the zone data of some engines.
    "America/Coyhaique",
  ])("with a time is shown in the tenant's zone as Postgres has it: %s", async (zone) => {
    const [known] = await query("select from pg_timezone_names where name = $1", [zone]);
    if (!known) return;
    await move(zone);
    const times = ["1975-06-30T23:59:00Z", "2025-03-09T10:30:00+00:00", "2026-03-29T01:00:00Z"];
    times.push(
      "2026-04-05T15:00:00.123456+13:00",
      "2026-11-01 08:59:59+00",
      "2027-08-15T12:00:00Z",
    );
    const expected = await query<{ text: string }>(
      `select to_char(at at time zone $2, 'YYYY-MM-DD HH24:MI') as text
       from unnest($1::timestamptz[]) with ordinality as t (at, place) order by place`,
      [times, zone],
    );
    expect(await both(times.map((time) => `{{ "${time}" | date: "%Y-%m-%d %H:%M" }}`))).toEqual(
      expected.map(({ text }) => text),
    );
    const shown = await both(['{{ "2026-07-01T12:00:00Z" | date: "time" }}']);
    const [clock] = await query<{ text: string }>(
      "select to_char(timestamptz '2026-07-01T12:00:00Z' at time zone $1, 'FMHH12:MI AM') as text",
      [zone],
    );
    expect(shown?.[0]?.replace(/\s/, " ")).toBe(clock?.text);
  });

  it.each([
    // Its law of 2026 is newer than the zone data of Deno, Node and Chromium.
    ["America/Vancouver", "2026-11-05"],
    ["America/Edmonton", "2026-11-09"],
    ["Africa/Casablanca", "2026-11-13"],
    ["Asia/Kathmandu", "2026-11-17"],
  ])("of an order at midnight is one day in lists, pages, letters, reports and files: %s", async (zone, day) => {
    await move(zone);
    // With another offset than that of Postgres, one of these minutes is on another day.
    const moments = await query<{ at: string }>(
      `select to_json(local at time zone $2) #>> '{}' as at
       from (values ($1::date + time '00:01'), ($1::date + time '23:59')) as t (local)`,
      [day, zone],
    );
    const jar = await listProduct(far.supplier);
    const lines = moments.map(({ at }) => ({
      external_id: `${zone} ${at}`,
      placed_at: at,
      customer: { email: far.customer.email },
      items: [{ product_id: jar.id, quantity: 1, price: 9 }],
      shipping_address: ADDRESS,
      status: "processing",
      payment_status: "paid",
    }));
    expect(await imported(far.operator, ndjson(lines), NDJSON)).toMatchObject(counts(2));

    const within = `from=${day}&to=${day}`;
    const { orders } = await must("GET", `/api/orders?${within}`, { as: far.operator });
    const days = (rows: Row[], field: string) => rows.map((row) => row[field].slice(0, 10));
    expect(days(orders, "created_at_local")).toEqual([day, day]);
    const texts = orders.map(({ created_at }: Row) => `{{ "${created_at}" | date: "%F" }}`);
    expect(await both(texts)).toEqual([day, day]);
    const path = "/api/templates/profile/render?language=en";
    const { html } = await must("GET", path, { as: far.customer });
    const shown = `Nov ${Number(day.slice(-2))}, 2026</time>`;
    expect(html.split(shown)).toHaveLength(3);
    await eventually(async () => {
      const report = `/api/analytics/sales?period=custom&group_by=day&${within}`;
      const { data } = await must("GET", report, { as: far.operator });
      expect(data).toMatchObject([{ date: day, orders: 2 }]);
    });
    const file = await rowsOf(await exported(far.operator, { type: "orders", format: "csv" }));
    const rows = file.filter(({ external_id }) => external_id.startsWith(zone));
    expect(days(rows, "created_at")).toEqual([day, day]);
  });

  it("takes formats of strftime with the names of the language, now, and Unix times", async () => {
    await move("Asia/Tokyo");
    const texts = [
      '{{ "2026-03-31" | date: "%A, %-d. %B %Y (%b, %a)" }}',
      '{{ 1774969200 | date: "%Y-%m-%d %H:%M %z" }}',
      '{{ "1774969200" | date: "%F %T" }}',
      '{{ "now" | date: "%Y" | at_least: 2026 | at_most: 2026 }}',
      '{{ "soon" | date: "%Y" }}',
    ];
    const rest = ["2026-04-01 00:00 +0900", "2026-04-01 00:00:00", "2026", ""];
    expect(await both(texts)).toEqual(["Tuesday, 31. March 2026 (Mar, Tue)", ...rest]);
    expect(await both(texts, "de")).toEqual(["Dienstag, 31. März 2026 (Mär, Di)", ...rest]);
  });

  it("changes on kept pages with the tenant's zone", async () => {
    await move("UTC");
    const content = contentOf('<p>{{ "2026-07-01T22:00:00Z" | date: "%F" }}</p>');
    const { id } = await make(far.operator, { ...memory, content });
    expect((await rendered(far.customer, id)).html).toContain("2026-07-01");
    expect(await rendered(far.customer, id)).toMatchObject({ cache: { hit: true } });
    await move("Asia/Tokyo");
    expect((await rendered(far.customer, id)).html).toContain("2026-07-02");
  });
});

describe("a customer", () => {
  it("sees no draft", async () => {
    const draft = await listProduct(shop.supplier, { name: "Secret draft", status: "draft" });
    expectRefusal(
      await render(shop.customer, "product", { product_id: draft.id }),
      404,
      "NOT_FOUND",
    );
    const { html } = await rendered(shop.customer, "search_results");
    expect(html).not.toContain("Secret draft");
  });

  it("sees its own orders only", async () => {
    const other = await register({ tenant_id: shop.tenantId });
    await must("POST", "/api/orders", { as: other, body: orderFor(product, 2) });
    expect((await rendered(other, "profile")).html).toContain("2 × <bdi>Saffron");
    expect((await rendered(shop.customer, "profile")).html).not.toContain("Saffron");
  });

  it("sees nothing of another tenant", async () => {
    const { customer } = await openTestTenant();
    expectRefusal(await render(customer, "product", { product_id: product.id }), 404, "NOT_FOUND");
    const template = await make(shop.editor);
    expectRefusal(await render(customer, template.id), 404, "NOT_FOUND");
  });

  it("reads sources as a visitor, and as an admin does", async () => {
    const bindings = [
      { variable: "orders", source: { type: "database", query: "orders?select=id" } },
      {
        variable: "found",
        source: { type: "api", endpoint: "/api/products?search={{ words }}" },
        transformation: "default: nil",
      },
      { variable: "names", source: { type: "computed", formula: "found.products | map: 'name'" } },
      { variable: "gone", source: { type: "api", endpoint: `/api/products/${category}` } },
    ];
    const variables = [{ name: "words", type: "string", default_value: "saffron" }];
    const { id } = await make(shop.operator, {
      content: contentOf("{{ orders.size }} orders, {{ names.size }} found, {{ gone.id }} gone", {
        bindings,
        variables,
      }),
    });
    await must("POST", "/api/orders", { as: shop.customer, body: orderFor(product) });
    for (const reader of [shop.operator, shop.customer]) {
      // On a busy machine a source may take longer than its two seconds.
      await eventually(async () => {
        const { html, warnings } = await rendered(reader, id);
        expect(html).toContain(" orders, 1 found,  gone");
        expect(html).not.toMatch(/\d orders/);
        // Sources are read side by side.
        expect(warnings).toHaveLength(2);
        for (const name of ["orders", "gone"]) {
          const failed = { code: "SOURCE_FAILED", message: expect.stringContaining(name) };
          expect(warnings).toContainEqual(expect.objectContaining(failed));
        }
      });
    }
  });

  it("pays for each source of a page with a request", async () => {
    const bindings = [
      { variable: "a", source: { type: "api", endpoint: "/api/products?limit=1" } },
      { variable: "b", source: { type: "api", endpoint: "/api/categories" } },
      { variable: "c", source: { type: "database", query: "products?select=id&limit=1" } },
      { variable: "d", source: { type: "database", query: "products?select=id&limit=500" } },
      { variable: "e", source: { type: "static", value: 1 } },
    ];
    const { id } = await make(shop.operator, { content: contentOf("{{ a.total }}", { bindings }) });
    await beginMinute();
    const answer = await render(shop.customer, id);
    expect(answer.body.warnings).toEqual([]);
    expect(answer.headers.get("ratelimit-remaining")).toBe("99");
    const next = await call("GET", "/auth/me", { as: shop.customer });
    expect(next.headers.get("ratelimit-remaining")).toBe(String(99 - 4 - 1));
  });

  it("sees an empty source, with a warning, when the minute is used up", async () => {
    const bindings = [
      { variable: "a", source: { type: "database", query: "products?select=id&limit=1000" } },
      {
        variable: "b",
        source: { type: "database", query: "products?select=id&id=eq.{{ a[0].id }}" },
      },
    ];
    const { id } = await make(shop.operator, { content: contentOf("[{{ b }}]", { bindings }) });
    const customer = await register({ tenant_id: shop.tenantId });
    await beginMinute();
    await Promise.all(Array.from({ length: 98 }, () => call("GET", "/auth/me", { as: customer })));
    const page = await rendered(customer, id);
    expect(page.html).toContain("[]");
    expect(page.warnings).toMatchObject([
      { code: "SOURCE_FAILED", message: expect.stringContaining("Too many requests") },
    ]);
    expectRefusal(await render(customer, id), 429, "RATE_LIMITED");
  });

  it("cannot reach another host or a worker through a source", async () => {
    const { id } = await make(shop.operator, {
      content: contentOf("{{ there }}", {
        variables: [{ name: "where", type: "string" }],
        bindings: [{ variable: "there", source: { type: "api", endpoint: "/api/{{ where }}" } }],
      }),
    });
    for (const where of ["../render", "..", "//127.0.0.1", "x\\..\\y", "templates/x/render"]) {
      const { warnings } = await rendered(shop.customer, id, {}, { where });
      expect(warnings).toMatchObject([{ code: "SOURCE_FAILED" }]);
    }
  });
});

describe("a page that may be kept", () => {
  it("is a cache hit for readers with the same rights", async () => {
    const { id } = await make(shop.operator, { ...memory });
    const first = await rendered(shop.customer, id);
    expect(first.cache).toMatchObject({ hit: false, key: expect.any(String) });
    expect(Date.parse(first.cache.expires_at)).toBeGreaterThan(Date.now());
    const other = await register({ tenant_id: shop.tenantId });
    for (const as of [shop.customer, other]) {
      expect(await rendered(as, id)).toEqual({ ...first, cache: { ...first.cache, hit: true } });
    }
    // Readers with other rights have other keys.
    expect((await rendered(shop.supplier, id)).cache.hit).toBe(false);
    expect((await rendered(shop.customer, id, { language: "de" })).cache.hit).toBe(false);
  });

  it("changes at once with its template, component, translation and product", async () => {
    const component = await makeComponent(shop.operator, {
      props: [{ name: "title", type: "string", required: true }],
    });
    const blocks = [
      {
        id: "card",
        type: "component",
        content: { component_id: component.id, props: { title: "{{ product.name }}" } },
      },
      { id: "greeting", type: "dynamic_content", content: "{{ 'greeting' | t }}" },
    ];
    const template = await make(shop.operator, {
      type: "product",
      content: { sections: [{ id: "top", blocks }] },
      ...memory,
    });
    const thing = await listProduct(shop.supplier, { name: "First" });
    const look = () => rendered(shop.customer, template.id, { product_id: thing.id });
    const changed = async (change: () => Promise<unknown>, text: string) => {
      await look();
      expect((await look()).cache.hit).toBe(true);
      await change();
      const page = await look();
      expect(page.cache.hit).toBe(false);
      expect(page.html).toContain(text);
    };
    await changed(
      () =>
        must("PUT", `/api/products/${thing.id}`, { as: shop.supplier, body: { name: "Second" } }),
      "<b>Second</b>",
    );
    await changed(
      () =>
        must("PUT", `/api/templates/components/${component.id}`, {
          as: shop.operator,
          body: { content: "<i>{{ title }}</i>", version_number: component.version_number },
        }),
      "<i>Second</i>",
    );
    await changed(
      () =>
        must("PUT", at(template, "/localizations/en"), {
          as: shop.operator,
          body: { translations: [{ key: "greeting", value: "Good morning" }] },
        }),
      "Good morning",
    );
    await changed(async () => {
      const content = { sections: [{ id: "top", blocks: blocks.slice(1) }] };
      const next = await saved(shop.operator, template, { content });
      await activate(shop.operator, template, next.version_number);
    }, "Good morning");
    expect((await look()).html).not.toContain("Second");
  });

  it("with sources is kept for its reader only, and as briefly as they are", async () => {
    const reading = (caching: object) =>
      contentOf("{{ me.user.email }}", {
        bindings: [{ variable: "me", source: { type: "api", endpoint: "/auth/me" }, ...caching }],
      });
    const { id } = await make(shop.operator, {
      type: "profile",
      content: reading({ caching: { duration: 60 } }),
      ...memory,
    });
    const other = await register({ tenant_id: shop.tenantId });
    for (const hit of [false, true]) {
      for (const as of [shop.customer, other]) {
        const page = await rendered(as, id);
        expect(page.cache.hit).toBe(hit);
        expect(page.html).toContain(as.email);
      }
    }
    const live = await make(shop.operator, {
      type: "profile",
      content: reading({}),
      ...memory,
    });
    await rendered(shop.customer, live.id);
    expect((await rendered(shop.customer, live.id)).cache).toMatchObject({
      hit: false,
      expires_at: null,
    });
  });

  it("warns if its strategy is not available", async () => {
    const { id } = await make(shop.operator, { caching: { strategy: "redis", duration: 60 } });
    await rendered(shop.customer, id);
    const page = await rendered(shop.customer, id);
    expect(page).toMatchObject({
      cache: { hit: false },
      warnings: [{ code: "CACHING_NOT_SUPPORTED" }],
    });
  });
});

describe("a page by GET", () => {
  const look = (as: Person | undefined, id: string, query = "", headers = {}) =>
    call("GET", `/api/templates/${id}/render${query}`, { as, headers });

  it("is 304 if it has not changed", async () => {
    const { id } = await make(shop.operator, memory);
    const first = await look(shop.customer, id);
    expect(first.status).toBe(200);
    const tag = first.headers.get("etag") as string;
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const again = await look(shop.customer, id, "", { "if-none-match": tag });
    expect(again.status).toBe(304);
    expect(again.headers.get("etag")).toBe(tag);
    const german = await look(shop.customer, id, "?language=de", { "if-none-match": tag });
    expect(german.status).toBe(200);
  });

  it("may be kept by shared caches if all readers see the same", async () => {
    const cdn = { caching: { strategy: "cdn", duration: 90 } };
    const cache = async (as: Person, id: string) =>
      (await look(as, id)).headers.get("cache-control");
    const { id } = await make(shop.operator, cdn);
    expect(await cache(shop.customer, id)).toBe("public, max-age=90");
    expect(await cache(await openGuest(shop.marketplace), id)).toBe("public, max-age=90");
    expect(await cache(shop.operator, id)).toBe("private, no-cache");
    const mine = contentOf("{{ me.user.email }}", {
      bindings: [{ variable: "me", source: { type: "api", endpoint: "/auth/me" } }],
    });
    const personal = await make(shop.operator, { type: "profile", content: mine, ...cdn });
    expect(await cache(shop.customer, personal.id)).toBe("private, no-cache");
    const block = {
      id: "w",
      type: "static_content",
      content: "x",
      permissions: { roles: ["admin"] },
    };
    const some = await make(shop.operator, {
      content: { sections: [{ id: "top", blocks: [block] }] },
      ...cdn,
    });
    expect(await cache(shop.customer, some.id)).toBe("private, no-cache");
  });

  it("needs an access token", async () => {
    const { id } = await make(shop.operator);
    expectRefusal(await look(undefined, id), 401, "UNAUTHORIZED");
    expectRefusal(await render(undefined, id), 401, "UNAUTHORIZED");
  });

  it("is refused to a suspended member, also with a preview", async () => {
    const template = await make(shop.operator, memory);
    const { id } = template;
    const { token } = await must("POST", at(template, "/preview"), { as: shop.operator, body: {} });
    const member = await register({ tenant_id: shop.tenantId });
    expect((await look(member, id)).status).toBe(200);
    const body = { status: "suspended" };
    await must("PATCH", `/api/members/${member.id}`, { as: shop.operator, body });
    expectRefusal(await look(member, id), 403, "FORBIDDEN");
    expectRefusal(await look(member, id, `?preview=${token}`), 403, "FORBIDDEN");
    expectRefusal(await render(member, id), 403, "FORBIDDEN");
    // Also before the database is asked.
    expectRefusal(await render(member, id, { language: 5 }), 403, "FORBIDDEN");
  });
});

describe("a preview", () => {
  it("shows a draft without a session, and reads its sources as a visitor", async () => {
    const template = await make(shop.operator, { content: contentOf("<p>Shown</p>") });
    await saved(shop.operator, template, {
      content: contentOf("<p>Draft of {{ marketplace.name }}</p>{{ orders.size }}", {
        bindings: [{ variable: "orders", source: { type: "api", endpoint: "/api/orders" } }],
      }),
    });
    const { url, token } = await must("POST", at(template, "/preview"), {
      as: shop.operator,
      body: {},
    });
    const answer = await call("GET", url.slice(url.indexOf("/api/")));
    expect(answer.status).toBe(200);
    expect(answer.body.html).toContain(`Draft of ${shop.marketplace.name}`);
    expect(answer.body.warnings).toMatchObject([{ code: "SOURCE_FAILED" }]);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    const posted = await render(undefined, template.id, { preview: token });
    expect(posted.body).toMatchObject({ version: 2, cache: { hit: false, expires_at: null } });
    expect((await rendered(shop.customer, template.id)).html).toContain("Shown");
    expectRefusal(await render(undefined, template.id, { preview: "x" }), 404, "NOT_FOUND");
  });
});

describe("an error", () => {
  it("names each wrong variable", async () => {
    const variables = [
      { name: "headline", type: "string", required: true },
      { name: "columns", type: "number", validation: { min: 1, max: 4 } },
    ];
    const { id } = await make(shop.operator, {
      content: contentOf("{{ headline }}", { variables }),
    });
    const answer = await render(shop.customer, id, {}, { columns: 9, colour: "red" });
    expectRefusal(answer, 422, "VALIDATION_ERROR", {
      errors: [
        { field: "variables.headline", value: null, message: "is missing" },
        { field: "variables.columns", value: 9, message: "must be at most 4" },
        { field: "variables.colour", value: "red", message: "is not declared" },
      ],
    });
    const one = await render(shop.customer, id, {}, {});
    expectRefusal(one, 422, "VALIDATION_ERROR", { errors: [{ field: "variables.headline" }] });
  });

  it("in a block leaves the block out, unless it is required", async () => {
    const block = (required: boolean) => ({
      id: "gone",
      type: "component",
      required,
      content: { component_id: "", props: {} },
    });
    const component = await makeComponent(shop.operator, {
      props: [{ name: "title", type: "string", required: true }],
    });
    const made = async (required: boolean) => {
      const content = { ...block(required).content, component_id: component.id };
      const blocks = [{ ...block(required), content }];
      return make(shop.operator, { content: { sections: [{ id: "top", blocks }] } });
    };
    const { warnings } = await rendered(shop.customer, (await made(false)).id);
    expect(warnings).toMatchObject([{ code: "BLOCK_LEFT_OUT", section: "top", block: "gone" }]);
    const answer = await render(shop.customer, (await made(true)).id);
    expectRefusal(answer, 422, "TEMPLATE_ERROR", { section: "top", block: "gone" });
  });

  it("beyond a limit names the limit, while other pages are rendered", async () => {
    const endless = "{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}";
    const hostile = await make(shop.operator, { content: contentOf(endless) });
    const good = await make(shop.operator);
    let isOver = false;
    const attacks = Promise.all(
      [1, 2].map(async () => {
        while (!isOver) {
          const answer = await render(shop.operator, hostile.id);
          expectRefusal(answer, 422, "TEMPLATE_LIMIT", { section: "top", block: "words" });
        }
      }),
    );
    for (let n = 0; n < 10; n += 1) await rendered(shop.customer, good.id);
    isOver = true;
    await attacks;
  });

  it("in the address or context has the usual codes", async () => {
    expectRefusal(await render(shop.customer, "nonsense"), 404, "NOT_FOUND");
    const strange = await render(shop.customer, "homepage", { colour: "red" });
    expectRefusal(strange, 422, "VALIDATION_ERROR", { field: "context.colour" });
  });
});

it("members with a content role render any version, others the active one", async () => {
  const template = await make(shop.operator, { content: contentOf("one") });
  await save(shop.operator, template, { content: contentOf("two") });
  expect((await rendered(shop.operator, template.id, { version: 2 })).html).toContain("two");
  expect((await rendered(shop.customer, template.id)).html).toContain("one");
  expectRefusal(await render(shop.customer, template.id, { version: 2 }), 403, "FORBIDDEN");
});

it("scopes the styles of an included template", async () => {
  const inner = await make(shop.operator, {
    content: contentOf("<p class='x'>Inner {{ product.name }}</p>", {
      styles: ".x { color: red }",
    }),
  });
  const outer = await make(shop.operator, { ...including(inner), type: "product" });
  const { html, css } = await rendered(shop.customer, outer.id, { product_id: product.id });
  expect(html).toContain("Inner Saffron &lt;b&gt;");
  expect(html).toContain(`souk-t-${inner.id}`);
  expect(css).toContain(`souk-t-${inner.id}`);
});

it("the function render refuses users", async () => {
  const body = { id: "homepage", variables: {}, context: {} };
  expectRefusal(await call("POST", "/render", { as: shop.customer, body }), 401, "UNAUTHORIZED");
  const list = await call("GET", "/render/content/static_pages?format=html", { as: shop.operator });
  expectRefusal(list, 401, "UNAUTHORIZED");
});
