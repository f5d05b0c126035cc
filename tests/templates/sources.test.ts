import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import {
  call,
  listProduct,
  must,
  openMarketplace,
  orderFor,
  register,
  supabaseAsService,
  type Visitor,
} from "../souk.js";
import {
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
} from "./making.js";

// A template's author sees nothing of its readers: sources read what a visitor may read, and addresses with values stay
// with the shop.

const CODE = `sesame ${randomUUID()}`;

let shop: Newsroom;
let product: Row;
let order: Row;
let far: Row;
let readers: [string, Person | Visitor][];
beforeAll(async () => {
  shop = await openNewsroom();
  far = await openMarketplace(shop.operator);
  product = await listProduct(shop.supplier, {
    ...{ name: "Sextant", price: 0, kind: "digital", track_inventory: true },
    ...{ marketplace_id: shop.marketplace.id, inventory: { quantity: 0 } },
  });
  const body = { codes: [CODE, `another ${CODE}`] };
  const keys = `/api/products/${product.id}/licence-keys`;
  await must("POST", keys, { as: shop.supplier, body });
  order = await must("POST", "/api/orders", { as: shop.customer, body: orderFor(product) });
  await listProduct(shop.supplier, {
    ...{ name: "Secret draft", status: "draft", marketplace_id: shop.marketplace.id },
  });
  await listProduct(shop.supplier, { name: "Elsewhere", marketplace_id: far.id });
  readers = [
    ["a customer", shop.customer],
    ["a guest", await openGuest(shop.marketplace)],
    ["an admin", shop.operator],
    ["a supplier", shop.supplier],
    ["a client with a content role", shop.editor],
    ["a visitor", { visits: shop.marketplace.domain }],
  ];
});

// These tests render more pages than the rate limit of a customer allows.
beforeEach(() => query("delete from private.request_counts where subject like 'user:%'"));

type Source = [name: string, type: "api" | "database", address: string];

const bindingsOf = (sources: readonly Source[]) =>
  sources.map(([variable, type, address]) => ({
    variable,
    source: type === "api" ? { type, endpoint: address } : { type, query: address },
  }));

/** A page of an editor that shows its sources, and that its readers see. */
async function showing(type: string, sources: readonly Source[], text?: string): Promise<Row> {
  const shown = sources.map(([name]) => `<p>${name}: {{ ${name} | size }} {{ ${name}.total }}</p>`);
  const content = contentOf(text ?? shown.join(""), { bindings: bindingsOf(sources) });
  const template = await make(shop.editor, { type, content });
  const path = at(template, "/versions/1/activate");
  await must("POST", path, { as: shop.publisher, body: {} });
  return template;
}

const rendered = (as: Person | Visitor | undefined, { id }: Row, context: object = {}) =>
  must("POST", `/api/templates/${id}/render`, {
    as,
    body: { context: { marketplace_id: shop.marketplace.id, ...context } },
  });

const innerOf = ({ html }: Row) =>
  html.replace(/^.*?souk-block">|(<\/div>)+(<\/main><\/div>)?$/g, "");

describe("a source of a template", () => {
  it("reads what a visitor of the marketplace may read, whoever looks", async () => {
    const sources: Source[] = [
      ["found", "api", "/api/products"],
      ["same", "api", "/products"],
      ["rows", "database", "products?select=id,name"],
      ["listed", "database", "rpc/list_products?limit=100"],
      ["sellers", "api", "/api/suppliers"],
    ];
    const template = await showing("homepage", sources);
    const pages = await Promise.all(readers.map(([, as]) => rendered(as, template)));
    for (const page of pages) {
      expect(page.warnings).toEqual([]);
      expect(innerOf(page)).toBe(innerOf(pages[0]));
    }
    expect(pages[0].html).toMatch(/found: \d+ 1</);
    expect(pages[0].html).toMatch(/rows: 1 </);
  });

  it.each([
    ["api", "/api/customers"],
    ["api", "/api/orders"],
    ["api", "/orders"],
    ["api", "/%61pi/orders"],
    ["api", "/auth/me"],
    ["api", "/api/members"],
    ["api", "/api/commissions"],
    ["api", "/api/inventory"],
    ["api", "/api/marketplaces"],
    ["api", "/api/templates"],
    ["api", "/api/content-types"],
    ["api", "/api/analytics/overview"],
    ["api", "/api/webhooks"],
    ["database", "customers?select=*"],
    ["database", "customer_details?select=*"],
    ["database", "orders?select=*"],
    ["database", "order_details?select=*"],
    ["database", "licence_keys?select=*"],
    ["database", "members?select=*"],
    ["database", "media_assets?select=*"],
    ["database", "rpc/me"],
    ["database", "rpc/my_tenants"],
  ] as const)("is empty for every reader if it reads %s %s", async (type, address) => {
    const template = await showing("homepage", [["found", type, address]], "[{{ found }}]");
    for (const [name, as] of readers) {
      const { html, warnings } = await rendered(as, template);
      expect(html, name).toContain("[]");
      expect(warnings, name).toMatchObject([{ code: "SOURCE_FAILED" }]);
    }
  });

  it("of an order's downloads is empty, also for the buyer", async () => {
    const source: Source = ["found", "api", `/api/orders/${order.id}/downloads`];
    const template = await showing("product", [source], "[{{ found.licence_keys | map: 'code' }}]");
    for (const [name, as] of readers) {
      expect((await rendered(as, template)).html, name).toContain("[]");
    }
  });

  it("reads of the marketplace of the page, and of none without one", async () => {
    const template = await showing(
      "homepage",
      [["found", "api", "/api/products"]],
      "[{{ found.products | map: 'name' | join }}]",
    );
    const { html } = await rendered(shop.operator, template, { marketplace_id: far.id });
    expect(html).toContain("[Elsewhere]");
    const without = await rendered(shop.operator, template, { marketplace_id: undefined });
    expect(without.html).toContain("[]");
    expect(without.warnings).toMatchObject([
      { code: "SOURCE_FAILED", message: expect.stringContaining("context.marketplace_id") },
    ]);
  });

  describe.each(["profile", "checkout"])("of type %s", (type) => {
    const sources: Source[] = [
      ["me", "api", "/auth/me"],
      ["orders", "api", "/api/orders"],
      ["same", "api", "/orders"],
      ["rows", "database", "orders?select=id,order_items(id)"],
      ["customers", "api", "/api/customers"],
      ["people", "database", "customers?select=id"],
    ];
    const text = `{{ me.user.email }} orders: {{ orders.total }} {{ same.total }} {{ rows.size }} customers: {{ customers.total }} {{ people.size }}.`;

    it("shows the reader's own customer and orders, and nobody else's", async () => {
      const template = await showing(type, sources, text);
      const own = async (as: Person | Visitor) => innerOf(await rendered(as, template));
      expect(await own(shop.customer)).toBe(`${shop.customer.email} orders: 1 1 1 customers: 1 1.`);
      const other = await register({ tenant_id: shop.tenantId });
      expect(await own(other)).toBe(`${other.email} orders: 0 0 0 customers: 1 1.`);
      for (const as of [shop.operator, shop.supplier, shop.editor]) {
        // Who has registered may have a customer's record, whatever the role.
        expect(await own(as)).toMatch(/^\S+@\S+ orders: 0 0 0 customers: (0 0|1 1)\.$/);
      }
      const visitor = await rendered({ visits: shop.marketplace.domain }, template);
      expect(innerOf(visitor)).not.toMatch(/\d/);
    });

    it("shows the buyer's downloads to the buyer only", async () => {
      const template = await showing(
        type,
        [["found", "api", `/api/orders/${order.id}/downloads`]],
        "[{{ found.licence_keys | map: 'code' | join }}]",
      );
      for (const [name, as] of readers) {
        const { html } = await rendered(as, template);
        expect(html, name).toContain(as === shop.customer ? `[${CODE}]` : "[]");
      }
    });

    it("lends no right of another role", async () => {
      const found: Source[] = [
        ["rows", "database", "products?select=name"],
        ["listed", "api", "/api/products"],
        ["drafts", "database", "templates?select=id"],
      ];
      const template = await showing(type, found);
      const pages = await Promise.all(readers.map(([, as]) => rendered(as, template)));
      for (const page of pages) expect(innerOf(page)).toBe(innerOf(pages[0]));
      expect(pages[0].html).toMatch(/rows: 1 </);
    });

    it("reads nothing of the reader in a preview, with or without a session", async () => {
      const template = await showing(type, sources, text);
      const { token } = await must("POST", at(template, "/preview"), {
        as: shop.operator,
        body: {},
      });
      for (const as of [undefined, shop.customer, shop.operator, shop.editor]) {
        const page = await rendered(as, template, { preview: token });
        expect(page.html).not.toContain("@");
        expect(innerOf(page)).not.toMatch(/\d/);
        expect(page.warnings).toHaveLength(sources.length);
      }
    });
  });

  it("cannot be lent more by a header of the reader", async () => {
    const headers = { "x-souk-rights": "customer", "x-souk-counted": "x" };
    const { total } = await must("GET", "/api/orders", { as: shop.operator, headers });
    expect(total).toBe(1);
    const suppliers = await call("POST", "/api/orders", {
      ...{ as: shop.supplier, body: orderFor(product), headers },
    });
    expect(suppliers.status).toBe(403);
  });
});

it("a product grid shows every member what it shows a customer", async () => {
  const grid = { type: "widget", content: { widget: "product_grid", query: {} } };
  const content = { sections: [{ id: "top", blocks: [grid] }] };
  const template = await make(shop.operator, { content });
  const rival = await register({ tenant_id: shop.tenantId, role: "supplier" });
  for (const as of [shop.customer, shop.operator, shop.supplier, rival, shop.editor]) {
    const { html } = await rendered(as, template);
    const names = [...html.matchAll(/souk-product-name">([^<]*)/g)].map(([, name]) => name);
    expect(names).toEqual(["Sextant"]);
  }
});

describe("the built-in pages", () => {
  it("show an admin what they show a customer", async () => {
    const listed = async (as: Person) => {
      const page = await rendered(as, { id: "search_results" });
      expect(page.warnings).toEqual([]);
      return [...page.html.matchAll(/<h3><bdi>([^<]*)/g)].map(([, name]) => name);
    };
    expect(await listed(shop.customer)).toEqual(["Sextant"]);
    for (const as of [shop.operator, shop.supplier, shop.editor]) {
      expect(await listed(as)).toEqual(["Sextant"]);
      const profile = await rendered(as, { id: "profile" });
      expect(profile.warnings).toEqual([]);
      expect(profile.html).toContain(as.email);
      expect(profile.html).not.toContain("Sextant");
    }
    expect((await rendered(shop.customer, { id: "profile" })).html).toContain("Sextant");
  });
});

describe("an address with a value", () => {
  const variables = [
    { name: "v", type: "string", default_value: "value" },
    { name: "list", type: "array", default_value: ["a", "b"] },
  ];
  const withText = (text: string, more: object = {}) =>
    make(shop.operator, { content: contentOf(text, { variables, ...more }) });
  const shown = async (text: string, v = "value") => {
    const { id } = await withText(text);
    const body = { variables: { v }, context: { marketplace_id: shop.marketplace.id } };
    return must("POST", `/api/templates/${id}/render`, { as: shop.customer, body });
  };
  const url = "https://other.example.com/a";

  it.each([
    ['<img alt="" src="https://other.example.com/{{ v }}">', "value"],
    ['<img alt="" src="https://other.example.com?q={{ v }}">', "value"],
    ['<img alt="" src="HTTPS://OTHER.EXAMPLE.COM/{{ v }}">', "value"],
    ['<img alt="" src="https&#58;//other.example.com/{{ v }}">', "value"],
    ["<img alt='' src='https://other.example.com/{{ v }}'>", "value"],
    ['<img alt="" src="{{ v }}">', url],
    ['<img alt="" src="{% echo v %}">', url],
    ['<img alt="" src="{% cycle v, v %}">', url],
    ['<img alt="" src="{{ v | asset_url }}">', url],
    ['<img alt="" src="{{ v }}/{{ v }}">', "https://other.example.com"],
    ['<img alt="" srcset="{{ v }}">', `${url} 1x, /b 2x`],
    ['<img alt="" src="https://other.example.com/{% if v %}yes{% else %}no{% endif %}">', "value"],
    [
      '<img alt="" src="https://other.example.com/{% for a in list %}{{ a }}{% endfor %}">',
      "value",
    ],
    ['{% capture c %}<img alt="" src="{{ v }}">{% endcapture %}{{ c }}', url],
    [
      "{% assign x = 'https://other.example.com/' | append: v %}<img alt='' src='{{ x }}'>",
      "value",
    ],
    ['<a href="https://other.example.com/{{ v }}">x</a>', "value"],
    ['<a href="{{ v }}">x</a>', url],
    ['<a href{% comment %}{% endcomment %}="{{ v }}">x</a>', url],
    ['<a href="mailto:a@other.example.com?body={{ v }}">x</a>', "value"],
    ['<form action="https://other.example.com/{{ v }}"></form>', "value"],
    ['<video poster="https://other.example.com/{{ v }}"></video>', "value"],
    ['<video src="https://other.example.com/{{ v }}"></video>', "value"],
    ['<audio src="{{ v }}"></audio>', url],
    ['<video><source src="{{ v }}"><track src="/a"></video>', url],
    ['<video><track src="{{ v }}"></video>', url],
    ['<picture><source srcset="{{ v }}"></picture>', `${url} 1x`],
    ['<q cite="{{ v }}">x</q>', url],
    ['<img alt="" src="https://sub.{{ v }}">', "never"],
  ])("at another host is left out, with a warning: %s", async (text, v) => {
    if (v === "never") {
      const refused = await call("POST", "/api/templates", {
        as: shop.editor,
        body: { name: "A page", type: "homepage", content: contentOf(text, { variables }) },
      });
      expect(refused.body).toMatchObject({ error: { code: "TEMPLATE_ERROR" } });
      return;
    }
    const { html, warnings } = await shown(text, v);
    expect(html.toLowerCase()).not.toContain("other.example.com");
    expect(html).toContain("<");
    expect(warnings).toMatchObject([
      {
        ...{ code: "ADDRESS_LEFT_OUT", section: "top", block: "words" },
        message: expect.stringMatching(/other\.example\.com/i),
      },
    ]);
  });

  it("in the props of a component, or in an included template, is left out, too", async () => {
    const component = await makeComponent(shop.operator, {
      content: '<img alt="" src="{{ address }}">',
      props: [{ name: "address", type: "string", required: true }],
    });
    const props = { address: "https://other.example.com/{{ v }}" };
    const block = { id: "c", type: "component", content: { component_id: component.id, props } };
    const inner = await make(shop.operator, {
      content: { variables, sections: [{ id: "in", blocks: [block] }] },
    });
    for (const page of [inner, await make(shop.operator, including(inner))]) {
      const { html, warnings } = await rendered(shop.customer, page);
      expect(html).not.toContain("other.example.com");
      expect(warnings).toMatchObject([{ code: "ADDRESS_LEFT_OUT" }]);
    }
  });

  it.each([
    '<a href="/products/{{ v }}">x</a>',
    '<a href="?page={{ v }}">x</a>',
    '<a href="#{{ v }}">x</a>',
    '<a href="{{ v }}">x</a>',
    '<a href="mailto:{{ v }}">x</a>',
    '<form action="/search?q={{ v }}"></form>',
  ])("in the shop stays: %s", async (text) => {
    const { html, warnings } = await shown(text);
    expect(warnings).toEqual([]);
    expect(html).toContain(text.replace("{{ v }}", "value"));
  });

  it("at the shop's domain and in its media stays", async () => {
    const asset = await upload(shop.operator, png(4, 3), TYPES.png);
    for (const v of [`https://${shop.marketplace.domain}/a`, asset.url]) {
      const { html, warnings } = await shown('<a href="{{ v }}"><img alt="" src="{{ v }}"></a>', v);
      expect(warnings).toEqual([]);
      expect(html).toContain(`<a href="${v}"><img alt="" src="${v}"></a>`);
    }
  });

  it("that the template contains as a whole stays", async () => {
    const text = `<img alt="{{ v }}" src="https://other.example.com/a.png" srcset='https://other.example.com/b.png 2x'>\
<a href="https://other.example.com/?a=1&amp;b=2" title="{{ v }}">x</a>`;
    const { html, warnings } = await shown(text);
    expect(warnings).toEqual([]);
    expect(html).toContain(text.replaceAll("{{ v }}", "value"));
  });

  it("at a host that an admin listed stays", async () => {
    const text = '<img alt="" src="https://pictures.example.com/{{ v }}"><a href="{{ v }}">x</a>';
    const { id } = await withText(text);
    const look = async (v: string) => {
      const body = { variables: { v }, context: { marketplace_id: shop.marketplace.id } };
      return must("POST", `/api/templates/${id}/render`, { as: shop.customer, body });
    };
    expect((await look("x")).warnings).toHaveLength(1);
    const settings = { branding: { hosts: ["pictures.example.com"] } };
    const path = `/api/marketplaces/${shop.marketplace.id}`;
    await must("PUT", path, { as: shop.operator, body: { settings } });
    const listed = await look("https://pictures.example.com/b");
    expect(listed.warnings).toEqual([]);
    for (const near of [
      "https://a.pictures.example.com/b",
      "https://pictures.example.com:8443/b",
    ]) {
      expect((await look(near)).warnings).toMatchObject([{ code: "ADDRESS_LEFT_OUT" }]);
    }
    await must("PUT", path, { as: shop.operator, body: { settings: { branding: null } } });
  });
});

describe("a preview", () => {
  it.each([
    "content role",
    "role of an admin",
  ])("ends when its maker loses the %s", async (what) => {
    const maker = await register({ tenant_id: shop.tenantId });
    const had = what === "content role" ? { content_roles: ["reviewer"] } : { role: "admin" };
    const give = (roles: object) =>
      supabaseAsService().from("members").update(roles).eq("user_id", maker.id).throwOnError();
    await give(had);
    const template = await make(shop.operator);
    const { url } = await must("POST", at(template, "/preview"), { as: maker, body: {} });
    const path = url.slice(url.indexOf("/api/"));
    expect((await call("GET", path)).status).toBe(200);
    await give({ content_roles: [], role: "customer" });
    expect((await call("GET", path)).status).toBe(404);
    expect((await call("GET", path, { as: shop.operator })).status).toBe(404);
  });
});
