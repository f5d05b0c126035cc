import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
} from "../souk.js";

function put(as: Person, { id }: { id: string }, body: object) {
  return call("PUT", `/api/marketplaces/${id}`, { as, body });
}

describe("marketplaces", () => {
  it("are created as drafts by admins, and returned completely with their location", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const fields = marketplaceFields({ domain: `Shop-${Date.now()}.Example.COM` });
    const made = await call("POST", "/api/marketplaces", { as: operator, body: fields });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...fields,
      domain: fields.domain.toLowerCase(),
      status: "draft",
      settings: {},
      tenant_id: operator.tenantId,
    });
    expect(made.headers.get("location")).toBe(`/functions/v1/marketplaces/${made.body.id}`);
    for (const path of ["/api/marketplaces", "/marketplaces"]) {
      expect(await must("GET", `${path}/${made.body.id}`, { as: operator })).toEqual(made.body);
      const list = await must("GET", path, { as: operator });
      expect(list).toEqual({ marketplaces: [made.body], total: 1, page: 1, limit: 100 });
    }
  });

  it("report the missing or invalid field, through every interface", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    for (const [field, value] of [
      ["name", undefined],
      ["name", ""],
      ["name", " \u3000\u00a0"],
      ["name", "x".repeat(201)],
      ["category", undefined],
      ["category", "x".repeat(101)],
      ["description", "x".repeat(10_001)],
      ["currency", undefined],
      ["currency", "EURO"],
      ["currency", "eur"],
      ["currency", "XYZ"],
      ["language", undefined],
      ["language", "english!"],
      ["language", "e"],
      ["language", "en_US"],
      ["language", "en-"],
      ["domain", undefined],
      ["domain", "localhost"],
      ["domain", "192.168.0.1"],
      ["domain", "under_score.example.com"],
      ["domain", "-a.example.com"],
      ["domain", "shop.example.com:8080"],
      ["domain", "https://shop.example.com"],
      ["domain", "shop.example.com/de"],
      ["domain", `${"a".repeat(64)}.example.com`],
      ["domain", `${"a.".repeat(126)}com`],
    ] as const) {
      const body = marketplaceFields({ [field]: value });
      const refused = await call("POST", "/api/marketplaces", { as: operator, body });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field, value: value ?? null });
      const direct = await supabaseAs(operator).from("marketplaces").insert(body);
      expect([field, value, Math.floor(direct.status / 100)]).toEqual([field, value, 4]);
    }
    expect((await must("GET", "/api/marketplaces", { as: operator })).total).toBe(0);
  });

  it("accept every BCP 47 tag, and host names in any script", async () => {
    const { operator, marketplace } = await openTestTenant();
    for (const language of [
      "de",
      "zh-Hant-TW",
      "es-419",
      "sl-rozaj-biske",
      "de-CH-1901",
      "en-US-u-ca-gregory",
      "ar-x-souk",
      "gsw",
    ]) {
      expect((await put(operator, marketplace, { language })).body).toMatchObject({ language });
    }
    const label = randomUUID();
    const idn = await put(operator, marketplace, { domain: `Bücher-${label}.Example.` });
    expect(idn.body.domain).toMatch(/^xn--bcher-[0-9a-f-]+-[a-z0-9]+\.example$/);
    const found = await must("GET", `/marketplaces?domain=b%C3%BCcher-${label}.example`, {
      as: operator,
    });
    expect(found.marketplaces).toEqual([idn.body]);
  });

  it("have a domain that is unique across tenants, in any case", async () => {
    const { operator, marketplace } = await openTestTenant();
    const stranger = await register({ tenant_name: "Elsewhere" });
    const domain = marketplace.domain.toUpperCase();
    const blame = { field: "domain", value: marketplace.domain };
    for (const person of [operator, stranger]) {
      const body = marketplaceFields({ domain });
      const taken = await call("POST", "/api/marketplaces", { as: person, body });
      expectRefusal(taken, 409, "CONFLICT", { field: "domain", value: domain });
      const direct = await supabaseAs(person).from("marketplaces").insert(body);
      expect(direct.status).toBe(409);
    }
    const other = await must("POST", "/api/marketplaces", {
      as: stranger,
      body: marketplaceFields(),
    });
    expectRefusal(
      await put(stranger, other, { domain: marketplace.domain }),
      409,
      "CONFLICT",
      blame,
    );
    // It may keep its own domain.
    expect((await put(operator, marketplace, { domain })).status).toBe(200);
  });

  it("change only in the sent fields", async () => {
    const { operator, marketplace } = await openTestTenant();
    const changes = { name: "Herbs", description: "", category: "green" };
    const changed = await put(operator, marketplace, changes);
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...marketplace,
      ...changes,
      updated_at: changed.body.updated_at,
    });
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(marketplace.updated_at));
    expectRefusal(await put(operator, marketplace, {}), 422, "VALIDATION_ERROR");
    const { data } = await supabaseAs(operator)
      .rpc("change_marketplace", { marketplace_id: marketplace.id, changes: { name: "Roots" } })
      .throwOnError();
    expect(data).toEqual({ ...changed.body, name: "Roots", updated_at: data.updated_at });
  });

  it("are not changed by somebody who read an older state", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const path = `/marketplaces/${marketplace.id}`;
    const read = await call("GET", path, { as: operator });
    const tag = read.headers.get("etag") as string;
    expect(tag).toBe(`"${read.body.updated_at}"`);
    const { updated_at } = read.body;
    const changed = await put(operator, marketplace, { name: "Herbs", updated_at });
    expect(changed.body).toMatchObject({ name: "Herbs" });
    expect(changed.headers.get("etag")).toBe(`"${changed.body.updated_at}"`);

    const stale = { field: "updated_at", value: updated_at };
    const ifMatch = (as: Person, header: string, body: object = { category: "mine" }) =>
      call("PUT", `/api${path}`, { as, body, headers: { "if-match": header } });
    for (const refused of [
      await put(operator, marketplace, { category: "mine", updated_at }),
      // The record as it was read, sent back.
      await put(operator, marketplace, { ...read.body, category: "mine" }),
      await ifMatch(operator, tag),
      await ifMatch(operator, `W/${tag}`),
    ]) {
      expectRefusal(refused, 409, "CONFLICT", stale);
      expect(refused.body.error.message).toMatch(/changed.*read it again/i);
    }
    expectRefusal(await ifMatch(operator, '"1"'), 409, "CONFLICT", { field: "updated_at" });
    expectRefusal(await ifMatch(operator, updated_at), 400, "INVALID_REQUEST", {
      field: "If-Match",
    });
    for (const wrong of ["yesterday", 1, null]) {
      const refused = await put(operator, marketplace, { category: "mine", updated_at: wrong });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "updated_at" });
    }
    const direct = await supabaseAs(operator).rpc("change_marketplace", {
      marketplace_id: marketplace.id,
      changes: { category: "mine", updated_at },
    });
    expect([direct.status, direct.error?.message]).toEqual([409, "CONFLICT"]);
    expect(JSON.parse(direct.error?.details ?? "{}")).toEqual(stale);
    expectRefusal(await ifMatch(supplier, tag), 403, "FORBIDDEN");
    const nothing = await put(operator, marketplace, { updated_at: changed.body.updated_at });
    expectRefusal(nothing, 422, "VALIDATION_ERROR");
    expect(await must("GET", path, { as: operator })).toEqual(changed.body);

    for (const header of [changed.headers.get("etag") as string, "*"]) {
      expect((await ifMatch(operator, header, { category: "new" })).status).toBe(200);
    }
    // The same time in another form is the same state.
    const now = await must("GET", path, { as: operator });
    const zulu = now.updated_at.replace("+00:00", "Z");
    const saved = await put(operator, marketplace, { description: "Dry", updated_at: zulu });
    expect(saved.body).toMatchObject({ name: "Herbs", category: "new", description: "Dry" });
  });

  it("accept one of two changes that began from the same state at once", async () => {
    const { operator, marketplace } = await openTestTenant();
    const { updated_at } = marketplace;
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((name) => put(operator, marketplace, { name, updated_at })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it("keep their currency while they contain products", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    expect((await put(operator, marketplace, { currency: "JPY" })).status).toBe(200);
    const product = await listProduct(supplier, { price: 100 });
    expect(product.currency).toBe("JPY");
    expectRefusal(await put(operator, marketplace, { currency: "EUR" }), 409, "CONFLICT", {
      field: "currency",
      value: "EUR",
    });
    expectRefusal(await put(operator, marketplace, { currency: "XYZ" }), 422, "VALIDATION_ERROR", {
      field: "currency",
    });
    const direct = await supabaseAs(operator)
      .from("marketplaces")
      .update({ currency: "EUR" })
      .eq("id", marketplace.id);
    expect(direct.status).toBe(409);
    expect((await put(operator, marketplace, { currency: "JPY", name: "Yen" })).status).toBe(200);
  });

  it("change their status only as allowed, through every interface", async () => {
    const STATES = ["draft", "active", "inactive", "suspended"];
    const MOVES = [
      ["draft", "active"],
      ["active", "inactive"],
      ["active", "suspended"],
      ["inactive", "active"],
      ["inactive", "suspended"],
      ["suspended", "active"],
      ["suspended", "inactive"],
    ];
    const WAYS: Record<string, string[]> = {
      draft: [],
      active: ["active"],
      inactive: ["active", "inactive"],
      suspended: ["active", "suspended"],
    };
    const operator = await register({ tenant_name: "Oasis" });
    for (const from of STATES) {
      for (const to of STATES.filter((state) => state !== from)) {
        const draft = await must("POST", "/api/marketplaces", {
          as: operator,
          body: marketplaceFields(),
        });
        for (const status of WAYS[from] ?? []) await put(operator, draft, { status });
        if (MOVES.some(([a, b]) => a === from && b === to)) {
          expect((await put(operator, draft, { status: to })).body.status).toBe(to);
          continue;
        }
        expectRefusal(await put(operator, draft, { status: to }), 422, "INVALID_TRANSITION", {
          field: "status",
          value: to,
        });
        const direct = await supabaseAs(operator)
          .from("marketplaces")
          .update({ status: to })
          .eq("id", draft.id);
        expect([direct.status, direct.error?.message]).toEqual([422, "INVALID_TRANSITION"]);
      }
    }
  });

  it("are listed in pages, filtered and sorted; customers see the active ones", async () => {
    const { operator, supplier, customer, tenantId, marketplace } = await openTestTenant();
    const client = await registerClient(tenantId);
    const draft = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields({ name: "Almonds", category: "nuts" }),
    });
    const names = async (as: Person, query = "") => {
      const list = await must("GET", `/marketplaces${query}`, { as });
      return list.marketplaces.map(({ name }: { name: string }) => name);
    };
    for (const person of [operator, supplier, client]) {
      expect(await names(person, "?sort=name&order=asc")).toEqual(["Almonds", "Spices"]);
    }
    expect(await names(customer)).toEqual(["Spices"]);
    expectRefusal(
      await call("GET", `/marketplaces/${draft.id}`, { as: customer }),
      404,
      "NOT_FOUND",
    );
    expect(await names(operator, "?status=draft")).toEqual(["Almonds"]);
    expect(await names(operator, "?category=nuts")).toEqual(["Almonds"]);
    expect(await names(operator, `?domain=${marketplace.domain.toUpperCase()}`)).toEqual([
      "Spices",
    ]);
    const page = await must("GET", "/marketplaces?sort=name&order=asc&page=2&limit=1", {
      as: operator,
    });
    expect(page).toEqual({ marketplaces: [marketplace], total: 2, page: 2, limit: 1 });
  });

  it("can be created and changed by admins, and never by another tenant", async () => {
    const { supplier, customer, tenantId, marketplace } = await openTestTenant();
    const [client, stranger] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_name: "Elsewhere" }),
    ]);
    for (const person of [supplier, customer, client]) {
      const body = marketplaceFields();
      const created = await call("POST", "/api/marketplaces", { as: person, body });
      expectRefusal(created, 403, "FORBIDDEN");
      expectRefusal(await put(person, marketplace, { name: "Mine" }), 403, "FORBIDDEN");
      const db = supabaseAs(person);
      const attempts = await Promise.all([
        db.rpc("create_marketplace", body),
        db.from("marketplaces").insert(body),
        db.from("marketplaces").update({ name: "Mine" }).eq("id", marketplace.id),
        db.from("marketplaces").delete().eq("id", marketplace.id),
      ]);
      expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    }
    expectRefusal(await put(stranger, marketplace, { name: "Mine" }), 404, "NOT_FOUND");
    const changes = { name: "Mine" };
    const direct = await supabaseAs(stranger).rpc("change_marketplace", {
      marketplace_id: marketplace.id,
      changes,
    });
    expect(direct.status).toBe(404);
  });
});

const branding = {
  logo_url: "https://shop.example.com/logo.svg",
  favicon_url: "http://shop.example.com",
  colors: { primary: "#1a2b3c", accent_2: "#ABCDEF" },
  custom_css: "@media (width < 600px) { nav > a { color: red } }",
  hosts: ["images.example.com", "a.b-c.example", "xn--mnchen-3ya.example"],
};
const seo = {
  title: "Spices & herbs",
  description: "All of them.",
  keywords: ["spices", "herbs"],
  canonical_url: "https://shop.example.com/?a=b#c",
  meta_tags: { robots: "index" },
  og_tags: { "og:type": "website" },
};
const business = {
  commission_percent: 12.3456,
  payment_methods: ["card", "invoice"],
  ...{ payment_deadline_minutes: 60, checkout_minutes: 43_200 },
  ...{ ship_unpaid: false, delivered_after_days: 7, return_days: 30, commission_on_delivery: true },
  reply_to: "help@spices.example.com",
  ...{ payout_delay_days: 0, max_unpaid_orders: 10, max_unpaid_pieces: 1_000_000 },
  delivery: {
    methods: [
      { key: "post", name: "Post", price: 4.99 },
      { key: "pick-up_1", name: "Pick it up", price: 0 },
      { key: "each", name: "By each", price: 3, per_supplier: true, free_from: 49.5 },
    ],
    recipient: "supplier",
  },
};

const tax = {
  prices_include_tax: false,
  country: "DE",
  collected_by: "operator",
  commission_on_tax: true,
};

describe("settings of a marketplace", () => {
  it("can be sent on creation, and are changed by group", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const made = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields({ settings: { branding, seo } }),
    });
    expect(made.settings).toEqual({ branding, seo });
    const more = await put(operator, made, { settings: { business, tax } });
    expect(more.body.settings).toEqual({ branding, seo, business, tax });
    const renamed = await put(operator, made, {
      settings: { seo: { title: "New" }, branding: {} },
    });
    const settings = { branding, seo: { ...seo, title: "New" }, business, tax };
    expect(renamed.body.settings).toEqual(settings);
    const none = await put(operator, made, { settings: {} });
    expect(none.body.settings).toEqual(settings);
    expect((await put(operator, made, { name: "x" })).body.settings).toEqual(settings);
    expect((await must("GET", `/marketplaces/${made.id}`, { as: operator })).settings).toEqual(
      settings,
    );
  });

  it("merge by field: null removes one, and the value of a field is replaced whole", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const body = marketplaceFields({ settings: { branding, seo, business } });
    const [one, two] = [
      await must("POST", "/api/marketplaces", { as: operator, body }),
      await must("POST", "/api/marketplaces", {
        as: operator,
        body: { ...body, domain: marketplaceFields().domain },
      }),
    ];
    const changes = {
      settings: {
        branding: { logo_url: null, colors: { text: "#000000" } },
        seo: { keywords: ["herbs"], meta_tags: null, og_tags: { "og:title": "Herbs" } },
        business: {
          commission_percent: 15,
          return_days: null,
          max_unpaid_orders: null,
          delivery: { recipient: "operator" },
        },
      },
    };
    const { logo_url: _, ...otherBranding } = branding;
    const { meta_tags: __, ...otherSeo } = seo;
    const { return_days: ___, max_unpaid_orders: ____, ...otherBusiness } = business;
    const settings = {
      branding: { ...otherBranding, colors: { text: "#000000" } },
      seo: { ...otherSeo, keywords: ["herbs"], og_tags: { "og:title": "Herbs" } },
      business: { ...otherBusiness, commission_percent: 15, delivery: { recipient: "operator" } },
    };
    expect((await put(operator, one, changes)).body.settings).toEqual(settings);
    const { data } = await supabaseAs(operator)
      .rpc("change_marketplace", { marketplace_id: two.id, changes })
      .throwOnError();
    expect(data.settings).toEqual(settings);

    const method = { key: "bike", name: "By bike", price: 2 };
    const delivery = { methods: [method] };
    const shorter = await put(operator, one, {
      settings: { business: { delivery }, branding: null },
    });
    expect(shorter.body.settings).toEqual({
      seo: settings.seo,
      business: { ...settings.business, delivery },
    });
    const removed = await put(operator, one, { settings: { business: { delivery: null } } });
    expect(removed.body.settings.business.delivery).toBeUndefined();
    expect(removed.body.settings.business.commission_percent).toBe(15);
  });

  it("do not take back what another admin changed in the same group meanwhile", async () => {
    const { operator, marketplace } = await openTestTenant();
    const send = (business: object) => put(operator, marketplace, { settings: { business } });
    await send({ commission_percent: 10, payment_methods: ["card"] });
    await Promise.all([send({ commission_percent: 15 }), send({ return_days: 30 })]);
    const after = await send({ payment_methods: ["invoice"] });
    expect(after.body.settings.business).toMatchObject({
      commission_percent: 15,
      return_days: 30,
      payment_methods: ["invoice"],
    });
  });

  it("merge when two groups are sent concurrently", async () => {
    const { operator, marketplace } = await openTestTenant();
    await Promise.all([
      put(operator, marketplace, { settings: { branding } }),
      put(operator, marketplace, { settings: { seo } }),
      put(operator, marketplace, { settings: { business } }),
    ]);
    const { settings } = await must("GET", `/marketplaces/${marketplace.id}`, { as: operator });
    expect(settings).toEqual({ branding, seo, business });
  });

  const method = business.delivery.methods[0];
  const wrong: [string, object][] = [
    ["settings", { settings: [] }],
    ["settings.logo", { logo: "x" }],
    ["settings.branding", { branding: "blue" }],
    ["settings.branding.font", { branding: { font: "Times" } }],
    ["settings.branding.logo_url", { branding: { logo_url: "javascript:alert(1)" } }],
    ["settings.branding.logo_url", { branding: { logo_url: "/logo.svg" } }],
    ["settings.branding.logo_url", { branding: { logo_url: "https://me@example.com" } }],
    ["settings.branding.logo_url", { branding: { logo_url: "https://a\u00a0b.com" } }],
    ["settings.branding.logo_url", { branding: { logo_url: "https://a.com/\u3000b" } }],
    ["settings.branding.favicon_url", { branding: { favicon_url: 1 } }],
    ["settings.branding.colors", { branding: { colors: ["#ffffff"] } }],
    ["settings.branding.colors.primary", { branding: { colors: { primary: "red" } } }],
    ["settings.branding.colors.primary", { branding: { colors: { primary: "#fff" } } }],
    ["settings.branding.colors.a b", { branding: { colors: { "a b": "#ffffff" } } }],
    ["settings.branding.custom_css", { branding: { custom_css: "</style><script>" } }],
    ["settings.branding.custom_css", { branding: { custom_css: "x".repeat(50_001) } }],
    ["settings.branding.hosts", { branding: { hosts: "images.example.com" } }],
    ["settings.branding.hosts", { branding: { hosts: ["a.example", "a.example"] } }],
    [
      "settings.branding.hosts",
      { branding: { hosts: Array.from({ length: 21 }, (_, n) => `h${n}.example`) } },
    ],
    ...[
      "https://images.example.com",
      "images.example.com/a",
      "images.example.com:443",
      "*.example.com",
      "Images.example.com",
      "localhost",
      "127.0.0.1",
      "a b.example",
      "a.example;",
      "'self'",
      "-a.example",
      "a..example",
      "a.example.",
      `${"a".repeat(64)}.example`,
      "",
      1,
    ].map((host): [string, object] => [
      "settings.branding.hosts[1]",
      { branding: { hosts: ["a.example", host] } },
    ]),
    ["settings.seo", { seo: ["x"] }],
    ["settings.seo.robots", { seo: { robots: "x" } }],
    ["settings.seo.title", { seo: { title: "x".repeat(201) } }],
    ["settings.seo.description", { seo: { description: 1 } }],
    ["settings.seo.keywords", { seo: { keywords: "a, b" } }],
    ["settings.seo.keywords", { seo: { keywords: ["a", "a"] } }],
    ["settings.seo.keywords[1]", { seo: { keywords: ["a", ""] } }],
    ["settings.seo.canonical_url", { seo: { canonical_url: "shop" } }],
    ["settings.seo.meta_tags.robots", { seo: { meta_tags: { robots: 1 } } }],
    ["settings.seo.og_tags.1og", { seo: { og_tags: { "1og": "x" } } }],
    ["settings.business.vat", { business: { vat: 19 } }],
    ["settings.business.commission_percent", { business: { commission_percent: 101 } }],
    ["settings.business.commission_percent", { business: { commission_percent: -1 } }],
    ["settings.business.commission_percent", { business: { commission_percent: 1.23456 } }],
    ["settings.business.commission_percent", { business: { commission_percent: "5" } }],
    ["settings.business.payment_methods", { business: { payment_methods: "card" } }],
    ["settings.business.payment_methods", { business: { payment_methods: ["card", "card"] } }],
    ["settings.business.payment_methods[0]", { business: { payment_methods: ["x".repeat(51)] } }],
    ["settings.business.payment_deadline_minutes", { business: { payment_deadline_minutes: 4 } }],
    [
      "settings.business.payment_deadline_minutes",
      { business: { payment_deadline_minutes: 43201 } },
    ],
    ["settings.business.payment_deadline_minutes", { business: { payment_deadline_minutes: 5.5 } }],
    ["settings.business.checkout_minutes", { business: { checkout_minutes: 4 } }],
    ["settings.business.checkout_minutes", { business: { checkout_minutes: 43201 } }],
    ["settings.business.delivery", { business: { delivery: [] } }],
    ["settings.business.delivery.free_from", { business: { delivery: { free_from: 1 } } }],
    ["settings.business.delivery.methods", { business: { delivery: { methods: {} } } }],
    [
      "settings.business.delivery.methods",
      { business: { delivery: { methods: [method, method] } } },
    ],
    ["settings.business.delivery.methods[0].key", delivered({ key: "By mule" })],
    ["settings.business.delivery.methods[0].key", delivered({ key: undefined })],
    ["settings.business.delivery.methods[0].name", delivered({ name: "" })],
    ["settings.business.delivery.methods[0].price", delivered({ price: "4" })],
    ["settings.business.delivery.methods[0].price", delivered({ price: -1 })],
    ["settings.business.delivery.methods[0].price", delivered({ price: 4.999 })],
    ["settings.business.delivery.methods[0].price", delivered({ price: undefined })],
    ["settings.business.delivery.methods[0].free_from", delivered({ free_from: "40" })],
    ["settings.business.delivery.methods[0].free_from", delivered({ free_from: -0.01 })],
    ["settings.business.delivery.methods[0].free_from", delivered({ free_from: 1e12 })],
    ["settings.business.delivery.methods[0].free_from", delivered({ free_from: 40.001 })],
    ["settings.business.delivery.methods[0].free_from", delivered({ free_from: null })],
    ["settings.business.delivery.methods[0].per_supplier", delivered({ per_supplier: "yes" })],
    ["settings.business.delivery.methods[0].per_supplier", delivered({ per_supplier: null })],
    ["settings.business.delivery.methods[0].days", delivered({ days: 3 })],
    ["settings.business.delivery.recipient", { business: { delivery: { recipient: "customer" } } }],
    ["settings.business.delivery.recipient", { business: { delivery: { recipient: null } } }],
    ["settings.business.commission_on_delivery", { business: { commission_on_delivery: 1 } }],
    ["settings.business.ship_unpaid", { business: { ship_unpaid: "no" } }],
    ["settings.business.max_unpaid_orders", { business: { max_unpaid_orders: 0 } }],
    ["settings.business.max_unpaid_pieces", { business: { max_unpaid_pieces: 1.5 } }],
    ["settings.business.reply_to", { business: { reply_to: "help@spices, all@example.com" } }],
    ["settings.business.delivered_after_days", { business: { delivered_after_days: 0 } }],
    ["settings.business.return_days", { business: { return_days: 366 } }],
    ["settings.business.return_days", { business: { return_days: 1.5 } }],
    ["settings.business.payout_delay_days", { business: { payout_delay_days: -1 } }],
    ["settings.business.payout_delay_days", { business: { payout_delay_days: 366 } }],
    ["settings.tax", { tax: 19 }],
    ["settings.tax.rate", { tax: { rate: 19 } }],
    ["settings.tax.prices_include_tax", { tax: { prices_include_tax: "yes" } }],
    ["settings.tax.country", { tax: { country: "de" } }],
    ["settings.tax.country", { tax: { country: "XX" } }],
    ["settings.tax.collected_by", { tax: { collected_by: "customer" } }],
    ["settings.tax.commission_on_tax", { tax: { commission_on_tax: 1 } }],
  ];

  /** Refused in a new marketplace, and in the table. PUT removes these fields. */
  const removed: [string, object][] = [
    ["settings.seo", { seo: null }],
    ["settings.business.return_days", { business: { return_days: null } }],
    ["settings.tax", { tax: null }],
    ["settings.tax.country", { tax: { country: null } }],
  ];

  function delivered(overrides: object) {
    return { business: { delivery: { methods: [{ ...method, ...overrides }] } } };
  }

  it("that are invalid are refused by field, through every interface", async () => {
    const { operator, marketplace } = await openTestTenant();
    for (const [field, sent] of [...wrong, ...removed]) {
      const settings = "settings" in sent ? sent.settings : sent;
      if (!removed.some(([, nulls]) => nulls === sent)) {
        expectRefusal(await put(operator, marketplace, { settings }), 422, "VALIDATION_ERROR", {
          field,
        });
      }
      const body = marketplaceFields({ settings });
      const created = await call("POST", "/api/marketplaces", { as: operator, body });
      expectRefusal(created, 422, "VALIDATION_ERROR", { field });
      const direct = await supabaseAs(operator)
        .from("marketplaces")
        .update({ settings })
        .eq("id", marketplace.id);
      expect([direct.status, direct.error?.message]).toEqual([422, "VALIDATION_ERROR"]);
      expect(JSON.parse(direct.error?.details ?? "{}").field).toBe(field);
    }
    expect(
      (await must("GET", `/marketplaces/${marketplace.id}`, { as: operator })).settings,
    ).toEqual({});
  });

  it("with several faults are refused with all of them", async () => {
    const { operator, marketplace } = await openTestTenant();
    const settings = {
      branding: { logo_url: "x", colors: { primary: "red" } },
      seo: { title: 1, keywords: ["a", ""] },
      business: {
        return_days: 0,
        delivery: {
          methods: [
            { ...method, price: 4.999 },
            { ...method, key: "By mule" },
          ],
        },
      },
    };
    const fields = [
      "settings.branding.colors.primary",
      "settings.branding.logo_url",
      "settings.business.delivery.methods[0].price",
      "settings.business.delivery.methods[1].key",
      "settings.business.return_days",
      "settings.seo.keywords[1]",
      "settings.seo.title",
    ];
    const named = (details: { errors: { field: string }[] }) =>
      details.errors.map(({ field }) => field).toSorted();
    const direct = await supabaseAs(operator)
      .from("marketplaces")
      .update({ settings })
      .eq("id", marketplace.id);
    expect(named(JSON.parse(direct.error?.details ?? "{}"))).toEqual(fields);
    const { body } = await put(operator, marketplace, { settings });
    expect(fields).toEqual(expect.arrayContaining(named(body.error.details)));
    // Only the database knows the decimals of the currency.
    const cents = { ...method, price: 4.999 };
    const methods = [cents, { ...cents, key: "other", free_from: 1.001 }];
    const decimals = await put(operator, marketplace, {
      settings: { business: { delivery: { methods } } },
    });
    expectRefusal(decimals, 422, "VALIDATION_ERROR", {
      errors: [
        { field: "settings.business.delivery.methods[0].price", value: 4.999 },
        { field: "settings.business.delivery.methods[1].price", value: 4.999 },
        { field: "settings.business.delivery.methods[1].free_from", value: 1.001 },
      ],
    });
  });

  it("have prices with as many decimals as the currency, and not more", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const make = (currency: string, price: number) =>
      call("POST", "/api/marketplaces", {
        as: operator,
        body: marketplaceFields({ currency, settings: delivered({ price }) }),
      });
    const field = "settings.business.delivery.methods[0].price";
    expect((await make("KWD", 1.234)).status).toBe(201);
    expect((await make("JPY", 500)).status).toBe(201);
    const fine = await make("JPY", 1.5);
    expectRefusal(fine, 422, "VALIDATION_ERROR", { field, value: 1.5 });
    const { body } = await make("EUR", 4.99);
    expectRefusal(await put(operator, body, { currency: "JPY" }), 422, "VALIDATION_ERROR", {
      field,
      value: 4.99,
    });
  });
});
