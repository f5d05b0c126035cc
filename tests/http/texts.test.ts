import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { visible } from "../../supabase/functions/_shared/values/names.ts";
import { query } from "../database.js";
import { counts, importsAt, NDJSON, ndjson } from "../imports/importing.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import {
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  orderFor,
  PASSWORD,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { makeComponent, make as makeTemplate } from "../templates/making.js";

/** The fields of a path in the OpenAPI document that the tests read. */
interface Operation {
  get?: { parameters?: { name: string; schema: { enum?: string[] } }[] };
}

// The form of texts: a name has a visible character, and accents are stored in one normal form.

const { imported } = importsAt("/api/products/import");

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

describe("a name without a visible character", () => {
  /** A zero-width space, a soft hyphen, a no-break space, a word joiner and a filler of Hangul. */
  const INVISIBLE = "\u200b\u00ad\u00a0\u2060\u3164";

  it("is refused by every operation with a name", async () => {
    const { paths, components } = (await call("GET", "/api/openapi.json")).body;
    const taken: unknown[] = [];
    let tried = 0;
    for (const [path, item] of Object.entries<Record<string, object>>(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        // biome-ignore lint/suspicious/noExplicitAny: the document is read as a consumer reads it.
        const schema = (operation as any).requestBody?.content?.["application/json"]?.schema;
        const { properties } = schema?.$ref
          ? components.schemas[schema.$ref.split("/").at(-1)]
          : (schema ?? {});
        if (properties?.name?.type !== "string") continue;
        // A key of letters, such as `hero_image`.
        if (properties.name.pattern?.startsWith("^[")) continue;
        tried += 1;
        const address = path.replaceAll(/\{\w+\}/g, () => randomUUID());
        const { status, body } = await call(method.toUpperCase(), address, {
          as: testTenant.operator,
          body: { name: INVISIBLE },
        });
        const { field, errors = [{ field }] } = body.error?.details ?? {};
        const refused = errors.map((error: { field: string }) => error.field);
        if (status !== 422 || !refused.includes("name"))
          taken.push([method, path, status, refused]);
      }
    }
    expect(taken).toEqual([]);
    expect(tried).toBeGreaterThan(15);
  });

  it("is refused with the field in which it was sent", async () => {
    const account = { email: `${randomUUID()}@example.com`, password: PASSWORD };
    for (const tenant_name of [INVISIBLE, "\u0085", ""]) {
      for (const answer of [
        await call("POST", "/auth/register", { body: { ...account, tenant_name } }),
        await call("POST", "/auth/tenants", { as: testTenant.operator, body: { tenant_name } }),
      ]) {
        expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "tenant_name" });
      }
      const direct = await supabaseAs(testTenant.operator).rpc("open_tenant", { tenant_name });
      expect(direct.error?.details).toContain('"tenant_name"');
    }
    for (const [name, arguments_] of [
      ["create_product", { name: "Cup", price: 1, variants: [{ name: "a" }, { name: INVISIBLE }] }],
      ["create_product", { name: "Cup", price: 1, variants: [{ name: "a" }, { name: null }] }],
    ] as const) {
      const { error } = await supabaseAs(testTenant.supplier).rpc(name, arguments_);
      expect(error?.details).toContain('"variants[1].name"');
    }
  });

  it("is refused by every table with names of its own", async () => {
    const tables = await query<{ name: string }>(`
      select c.relname as name
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'name' and a.atttypid = 'text'::regtype
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and not exists (
          select from pg_catalog.pg_constraint k
          where k.conrelid = c.oid and k.contype = 'c'
            and pg_get_constraintdef(k.oid) ~ 'is_more_than_spaces\\(name\\)'
        )
      order by c.relname`);
    // These are copies of other names, or the name of an account, for which its email is the default.
    expect(tables.map(({ name }) => name)).toEqual(["bookings", "mails", "members", "order_items"]);
    const { supplier, operator } = testTenant;
    const supplierId = (await must("GET", "/auth/me", { as: supplier })).supplier_id;
    const table = (name: string) => supabaseAs(operator).from(name);
    for (const { error } of [
      await table("suppliers").update({ name: INVISIBLE }).eq("id", supplierId),
      await table("customers").insert({ name: INVISIBLE }),
      await table("categories").insert({ name: INVISIBLE }),
    ]) {
      expect(error?.code).toBe("23514");
    }
  });

  it("has the same definition in the database and in the functions", async () => {
    const found = await query<{ code: number }>(`
      select code
      from (
        select generate_series(1, 55295) as code
        union all select generate_series(57344, 131071)
        union all select generate_series(917504, 917999)
      ) as characters
      where not private.is_more_than_spaces(chr(code))
      order by code`);
    const expected: number[] = [];
    for (let code = 1; code <= 917_999; code++) {
      if ((code >= 0xd800 && code < 0xe000) || (code > 0x1ffff && code < 0xe0000)) continue;
      if (!visible(2).safeParse(String.fromCodePoint(code)).success) expected.push(code);
    }
    expect(found.map(({ code }) => code)).toEqual(expected);
  });
});

describe("a text in NFD", () => {
  const nfc = (text: string) => text.normalize("NFC");
  const nfd = (text: string) => text.normalize("NFD");

  it("is stored in NFC by every table to which members write texts", async () => {
    const tables = await query<{ name: string }>(`
      select c.relname as name
      from pg_catalog.pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and exists (
          select from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and not a.attisdropped
            and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)
        )
        and not exists (
          select from pg_catalog.pg_trigger t where t.tgrelid = c.oid and t.tgname = '_keep_nfc'
        )
      order by c.relname`);
    expect(tables.map(({ name }) => name)).toEqual([
      "audit_log",
      "events",
      "ledger_lines",
      "licence_keys",
      "mails",
      "published_content",
      "webhook_deliveries",
    ]);
    const others = await query<{ name: string }>(`
      select t.tgrelid::regclass::text as name
      from pg_catalog.pg_trigger t
      join pg_catalog.pg_trigger k on k.tgrelid = t.tgrelid and k.tgname = '_keep_nfc'
      where not t.tgisinternal and t.tgtype & 3 = 3 and t.tgname < '_keep_nfc'`);
    expect(others, "row triggers before it").toEqual([]);
  });

  it("is the same product, variant, brand and option as in NFC", async () => {
    const { operator, supplier } = testTenant;
    const category_id = (
      await must("POST", "/api/categories", {
        as: operator,
        body: {
          name: nfd("Cafés"),
          attributes: [{ name: nfd("Größe"), type: "select", options: [nfd("Übergroß"), "klein"] }],
        },
      })
    ).id;
    const line = (form: typeof nfc) => ({
      external_id: form("tasse-é"),
      name: form("Tassé"),
      price: 4,
      category_id,
      description: form("Crème\n"),
      attributes: [
        { name: "brand", value: form("Möbel") },
        { name: form("Größe"), value: form("Übergroß") },
      ],
      variants: [{ name: form("Vert foncé"), sku: form("é-1"), quantity: 3 }],
    });
    expect(await imported(supplier, ndjson([line(nfd)]), NDJSON)).toMatchObject(counts(1));
    for (const form of [nfc, nfd]) {
      expect(await imported(supplier, ndjson([line(form)]), NDJSON)).toMatchObject(counts(0, 0, 1));
      const direct = await supabaseAs(supplier).rpc("import_products", { lines: [line(form)] });
      expect(direct.data).toMatchObject(counts(0, 0, 1));
      const brand = form("Möbel");
      const listed = await must("GET", `/api/products?brand=${encodeURIComponent(brand)}`, {
        as: operator,
      });
      expect(listed.products).toMatchObject([
        {
          external_id: nfc("tasse-é"),
          name: nfc("Tassé"),
          brand: nfc("Möbel"),
          variants: [{ name: nfc("Vert foncé"), sku: nfc("é-1") }],
        },
      ]);
      const { data } = await supabaseAs(operator).rpc("list_products", { brand: [brand] });
      expect(data.total).toBe(1);
    }
    const twice = [line(nfc), line(nfd)].map(({ variants, ...product }) => product);
    expect(await imported(supplier, ndjson(twice), NDJSON)).toMatchObject({
      ...counts(0, 0, 1, 1),
      errors: [{ line: 2, code: "CONFLICT", field: "external_id" }],
    });
    const { data } = await supabaseAs(operator).from("categories").select().eq("id", category_id);
    expect(data).toMatchObject([
      {
        name: nfc("Cafés"),
        attributes: [{ name: nfc("Größe"), options: [nfc("Übergroß"), "klein"] }],
      },
    ]);
  });

  it("is the same payment method and synonym as in NFC", async () => {
    const { operator, supplier, customer, marketplace } = testTenant;
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: { settings: { business: { payment_methods: [nfd("Überweisung")] } } },
    });
    const product = await listProduct(supplier);
    for (const form of [nfc, nfd]) {
      const order = { ...orderFor(product), payment_method: form("Überweisung") };
      const placed = await must("POST", "/api/orders", { as: customer, body: order });
      expect(placed.payment_method).toBe(nfc("Überweisung"));
      const direct = await supabaseAs(customer).rpc("place_order", order);
      expect(direct.error).toBeNull();
    }
    const made = await supabaseAs(operator)
      .from("search_synonyms")
      .insert({ terms: [nfd("Sofá"), nfc("diván")] })
      .select()
      .single();
    expect(made.data?.terms.map(nfc)).toEqual(made.data?.terms);
  });

  it("changes nothing else in its record, and no URLs", async () => {
    const { supplier } = testTenant;
    // In JSON, the combining mark follows the n of \n.
    const value = `a\n\u0303${nfd("é")}`;
    const url = `https://example.com/${nfd("é")}.jpg`;
    const product = await listProduct(supplier, {
      name: nfd("Crêpe"),
      price: 1.1,
      images: [{ url, alt: nfd("é") }],
      attributes: [{ name: "note", value }],
      physical: { weight_grams: 5 },
    });
    expect(product).toMatchObject({
      name: nfc("Crêpe"),
      price: 1.1,
      images: [{ url, alt: "\u00e9" }],
      attributes: [{ name: "note", value: "a\n\u0303\u00e9" }],
      physical: { weight_grams: 5, delivery: null },
      template_id: null,
    });
    const { data } = await supabaseAs(supplier)
      .from("products")
      .update({ description: nfd("Brûlée") })
      .eq("id", product.id)
      .select("description, name, images")
      .single()
      .throwOnError();
    expect(data).toMatchObject({ description: nfc("Brûlée"), name: product.name });
  });
});

describe("a list that is sorted by a text", () => {
  // Capital mails come before small ones in byte order, and locales of different servers order these names
  // differently.
  const NAMES = ["Änderung", "ape-b", "apeb", "Apfel", "Zebra", "zoo", "Əli", "əmi"];
  const ADDRESSES = ["a-z", "a_b", "ab", "b-a", "ba"].map((name) => `${name}@sorted.example.com`);
  const KEYS = ["a_z", "ab", "b_a", "ba"];
  const TEXTS: Record<string, readonly string[]> = { name: NAMES, email: ADDRESSES, key: KEYS };

  const mail = { subject: "Hello", html_content: "<p>Hello</p>" };
  const posted =
    (path: string, bodyOf: (text: string) => object) =>
    async ({ operator }: TestTenant, texts: readonly string[]) => {
      for (const text of texts) await must("POST", path, { as: operator, body: bodyOf(text) });
    };
  const products = posted("/api/products", (name) => ({ name, price: 1, status: "active" }));
  const renamed = (column: string) => (shop: TestTenant, texts: readonly string[]) =>
    query(
      `update public.members m
       set ${column} = ($2::text[])[k.n]
       from (select user_id, row_number() over () as n from public.members where tenant_id = $1) as k
       where m.tenant_id = $1 and m.user_id = k.user_id and k.n <= cardinality($2::text[])`,
      [shop.tenantId, texts],
    );

  /** For each list that can be sorted by a text: creates records with the given texts. */
  const makers: Record<string, (shop: TestTenant, texts: readonly string[]) => Promise<unknown>> = {
    "/auth/tenants name": posted("/auth/tenants", (tenant_name) => ({ tenant_name })),
    "/auth/invitations email": posted("/auth/invitations", (email) => ({ email, role: "client" })),
    "/api/members name": renamed("name"),
    "/api/members email": renamed("email"),
    "/api/suppliers name": posted("/api/suppliers", (name) => ({ name })),
    "/api/customers name": posted("/api/customers", (name) => ({ name })),
    "/api/customers email": posted("/api/customers", (email) => ({ name: "Ada", email })),
    "/api/marketplaces name": posted("/api/marketplaces", (name) => marketplaceFields({ name })),
    "/api/products name": products,
    "/api/inventory name": products,
    "/api/templates/components name": posted("/api/templates/components", (name) => ({
      ...{ name, category: "media", content: "Hello" },
    })),
    "/api/email-templates name": posted("/api/email-templates", (name) => ({
      ...{ key: `key_${KEYS.length + NAMES.indexOf(name)}`, name, ...mail },
    })),
    "/api/email-templates key": posted("/api/email-templates", (key) => ({
      ...{ key, name: "Ours", ...mail },
    })),
    "/api/mails/suppressions email": (shop, texts) =>
      query(
        `insert into public.mail_suppressions (tenant_id, email, reason)
         select $1, unnest($2::text[]), 'unsubscribed'`,
        [shop.tenantId, texts],
      ),
  };

  it("has folded names, and other texts by their bytes, in every list of the API", async () => {
    const { paths } = (await call("GET", "/api/openapi.json")).body;
    const sorts = Object.entries<Operation>(paths).flatMap(([path, { get }]) =>
      (get?.parameters?.find(({ name }) => name === "sort")?.schema.enum ?? [])
        .filter((field) => !/_at$|date|amount|^number$|^price$|^available$|^quantity$/.test(field))
        .map((field) => `${path} ${field}`),
    );
    expect(sorts.sort()).toEqual(Object.keys(makers).sort());
    for (const sort of sorts) {
      const [path, field] = sort.split(" ") as [string, string];
      const shop = await openTestTenant();
      // A tenant has three members here.
      const all = TEXTS[field] as readonly string[];
      const texts = path === "/api/members" ? all.filter((_, n) => n % 3 === 0) : all;
      await makers[sort]?.(shop, texts.toReversed());
      for (const order of ["asc", "desc"]) {
        const answer = await must("GET", `${path}?sort=${field}&order=${order}`, {
          as: shop.operator,
        });
        const rows = Object.values(answer).find(Array.isArray) as Record<string, string>[];
        const found = rows
          .map((row) => (row[field] ?? row.product_name) as string)
          .filter((text) => texts.includes(text));
        expect([sort, order, found]).toEqual([
          ...[sort, order, order === "asc" ? texts : texts.toReversed()],
        ]);
      }
    }
  });
});

describe("a search without a visible character", () => {
  it("is ignored in every operation and function that searches", async () => {
    const { operator } = testTenant;
    const texts = {
      title: { en: "Terms" },
      slug: "terms",
      content: { type: "doc", content: [] },
    };
    const product = await listProduct(testTenant.supplier, { status: "active" });
    await must("POST", "/api/orders", { as: testTenant.customer, body: orderFor(product) });
    await upload(operator, png(4, 3), TYPES.png, { alt_text: "Terms" });
    await makeTemplate(operator);
    await makeComponent(operator);
    await must("POST", "/api/content/static_pages", {
      as: operator,
      body: { ...texts, marketplace_id: testTenant.marketplace.id },
    });
    for (const blank of [" ", "\u00a0", "\u200b \u00ad"]) {
      const { paths } = (await call("GET", "/api/openapi.json")).body;
      const lists = Object.entries<Operation>(paths).filter(([, { get }]) =>
        get?.parameters?.some(({ name }) => name === "search"),
      );
      expect(lists.length).toBeGreaterThan(4);
      for (const [path] of lists) {
        const address = path.replace("{type}", "static_pages");
        const [all, found] = [
          await must("GET", address, { as: operator }),
          await must("GET", `${address}?search=${encodeURIComponent(blank)}`, { as: operator }),
        ];
        expect([path, all.total]).not.toEqual([path, 0]);
        expect([path, found.total]).toEqual([path, all.total]);
      }
      const functions = await query<{ name: string; takes: string[] }>(`
        select p.proname::text as name, p.proargnames[1:p.pronargs]::text[] as takes
        from pg_catalog.pg_proc p
        where p.pronamespace = 'public'::regnamespace and 'search' = any (p.proargnames)
        order by 1`);
      expect(functions.map(({ name }) => name)).toEqual([
        ...[
          "found_customers",
          "found_orders",
          "list_content",
          "list_media",
          "list_products",
          "list_templates",
        ],
      ]);
      for (const { name, takes } of functions) {
        const type = name === "list_content" && takes.includes("type") ? "static_pages" : undefined;
        const rpc = (search?: string) =>
          supabaseAs(operator).rpc(name, { type, search }).throwOnError();
        const totalOf = ({ data }: Awaited<ReturnType<typeof rpc>>) => data.total ?? data.length;
        const [all, found] = [totalOf(await rpc()), totalOf(await rpc(blank))];
        expect([name, all]).not.toEqual([name, 0]);
        expect([name, found]).toEqual([name, all]);
      }
    }
  });
});
