import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, type ImportProgress } from "../../packages/client/src/index.js";
import type { sellerFields } from "../../supabase/functions/_shared/catalog/schema.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { imports } from "../../supabase/functions/_shared/imports/routes.ts";
import type { LineError } from "../../supabase/functions/_shared/imports/schema.ts";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  orderFor,
  type Person,
  registerClient,
  SELLERS,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { CSV, counts, importsAt, NDJSON, ndjson } from "./importing.js";

const { send, imported } = importsAt("/api/products/import");

async function exported(as: Person, query = "") {
  const response = await fetch(`${ownStack.functions_url}/api/products/export?${query}`, {
    headers: { authorization: `Bearer ${as.token}` },
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** The function in this process, with other time limits. */
function here(clock: Record<string, string>) {
  const stack = ownStack;
  const environment = {
    SUPABASE_URL: stack.url,
    SUPABASE_ANON_KEY: stack.anon_key,
    SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
    JWT_SECRET: stack.jwt_secret,
    ...clock,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  return createApp({ "/api/products": imports });
}

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
async function productsOf(as: Person): Promise<any[]> {
  return (await must("GET", "/api/products?sort=name&order=asc", { as })).products;
}

/** The number of rows in the ledger of a tenant, and of its events about products. */
async function traces(tenantId: string): Promise<(number | null)[]> {
  const rows = (table: string) =>
    supabaseAsService()
      .from(table)
      .select("*", { count: "exact", head: true })
      .eq("tenant_id", tenantId);
  const [ledger, events] = await Promise.all([
    rows("inventory_movements"),
    rows("events").like("name", "product.%"),
  ]);
  return [ledger.count, events.count];
}

describe("an import of CSV", () => {
  const csv = [
    "external_id,name,description,price,quantity,attributes,attribute:origin",
    'a-1,"Saffron, threads","He said ""red"".\nTwo lines.",12.50,5,"[{""name"":""brand"",""value"":""Sun""}]",Iran',
    "a-2,Salt,,0.99,,,",
    "",
    'a-3,Cumin," spaced ",3,0,,Egypt',
  ].join("\r\n");

  it("lists new products, and changes nothing when it is repeated", async () => {
    const { supplier, tenantId, marketplace } = await openTestTenant();
    expect(await imported(supplier, csv)).toEqual({ ...counts(3), errors: [] });
    const products = await productsOf(supplier);
    expect(products).toMatchObject(
      [
        { name: "Cumin", description: " spaced ", price: 3, inventory: { quantity: 0 } },
        {
          name: "Saffron, threads",
          description: 'He said "red".\nTwo lines.',
          price: 12.5,
          currency: "EUR",
          marketplace_id: marketplace.id,
          kind: "physical",
          status: "active",
          inventory: { quantity: 5, reserved: 0 },
        },
        { name: "Salt", description: "", price: 0.99, attributes: [] },
      ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const saffron = products.find(({ name }) => name.startsWith("Saffron"));
    expect(saffron.attributes).toMatchObject([
      { name: "brand", value: "Sun" },
      { name: "origin", value: "Iran" },
    ]);
    const ledger = await must("GET", "/api/inventory/movements", { as: supplier });
    expect(ledger.movements).toMatchObject([{ reason: "import", quantity_change: 5 }]);

    const before = await traces(tenantId);
    expect(await imported(supplier, csv)).toEqual({ ...counts(0, 0, 3), errors: [] });
    expect(await traces(tenantId)).toEqual(before);
    expect(await productsOf(supplier)).toEqual(products);
  });

  it("changes only what differs", async () => {
    const { supplier, tenantId } = await openTestTenant();
    await imported(supplier, csv);
    const before = await productsOf(supplier);
    const [ledger, events] = await traces(tenantId);
    const change = "external_id,price,quantity\na-1,13,5\na-2,0.99,7\na-3,3,0\n";
    expect(await imported(supplier, change)).toEqual({ ...counts(0, 2, 1), errors: [] });
    const after = await productsOf(supplier);
    expect(after.map(({ price }) => price)).toEqual([3, 13, 0.99]);
    expect(after.map(({ inventory }) => inventory.quantity)).toEqual([0, 5, 7]);
    for (const [at, product] of after.entries()) {
      const { name, description, attributes, created_at } = before[at];
      expect(product).toMatchObject({ name, description, attributes, created_at });
    }
    expect(after[0]).toEqual(before[0]);
    expect(await traces(tenantId)).toEqual([(ledger ?? 0) + 1, (events ?? 0) + 1]);
    // Some empty cells delete a value, and others leave it unchanged.
    await imported(supplier, "external_id,name,description,quantity,attributes\na-1,Saffron,,,\n");
    expect((await productsOf(supplier))[1]).toMatchObject({
      name: "Saffron",
      description: "",
      attributes: [],
      inventory: { quantity: 5 },
    });
  });

  it("reports each invalid line and continues", async () => {
    const { supplier } = await openTestTenant();
    const lines: [string, object?][] = [
      ["external_id,name,price,quantity,category_id,attributes"],
      ["good-1,One,1,1,,"],
      ["short,Two,2", { code: "VALIDATION_ERROR", field: null }],
      ["long,Three,3,,,,,", { code: "VALIDATION_ERROR", field: null }],
      ['quote,Fo"ur,4,,,', { code: "VALIDATION_ERROR", field: null }],
      ['closing,"Fi"ve,5,,,', { code: "VALIDATION_ERROR", field: null }],
      ["good-2,Six,6,1,,"],
      ['open,"Seven,7,1,,', { code: "VALIDATION_ERROR", field: null }],
      ['good-3,"Eight, with comma",8,1,,'],
      ["free,Nine,free,1,,", { code: "VALIDATION_ERROR", field: "price" }],
      ["cheap,Ten,-1,1,,", { code: "VALIDATION_ERROR", field: "price" }],
      ["fine,Eleven,1.001,1,,", { code: "VALIDATION_ERROR", field: "price" }],
      ["half,Twelve,1,0.5,,", { code: "VALIDATION_ERROR", field: "quantity" }],
      [",Thirteen,1,1,,", { code: "VALIDATION_ERROR", field: "external_id" }],
      ["nameless,,1,1,,", { code: "VALIDATION_ERROR", field: "name" }],
      ["priceless,Fifteen,,1,,", { code: "VALIDATION_ERROR", field: "price" }],
      [`lost,Sixteen,1,1,${randomUUID()},`, { code: "NOT_FOUND", field: "category_id" }],
      ["lost,Seventeen,1,1,shelf,", { code: "VALIDATION_ERROR", field: "category_id" }],
      ["odd,Eighteen,1,1,,brand", { code: "VALIDATION_ERROR", field: "attributes" }],
      ["good-1,Again,1,1,,", { code: "CONFLICT", field: "external_id" }],
      ["good-4,Twenty,20,1,,"],
      ['open,"The last,1,,,', { code: "VALIDATION_ERROR", field: null }],
    ];
    const summary = await imported(supplier, lines.map(([line]) => line).join("\n"));
    const bad = lines.flatMap(([, error], at) =>
      error ? [{ line: at + 1, message: expect.any(String), ...error }] : [],
    );
    expect(summary.errors).toEqual(bad);
    expect(summary).toMatchObject(counts(4, 0, 0, bad.length));
    expect((await productsOf(supplier)).map(({ name }) => name).sort()).toEqual([
      "Eight, with comma",
      "One",
      "Six",
      "Twenty",
    ]);
  });

  it("reports a cell that is not valid text and continues", async () => {
    const { supplier } = await openTestTenant();
    const header = "external_id,name,price,attributes,attribute:origin\n";
    const many = Array.from({ length: 300 }, (_, i) => `p-${i},Product ${i},1,,Fez\n`);
    many[280] = "p-280,Pro\0duct,1,,Fez\n";
    many[281] = 'p-281,Product,1,"[{""name"":""a"",""value"":""\\ud800""}]",Fez\n';
    many[282] = "p-282,Product,1,,\0\n";
    const summary = await imported(supplier, header + many.join(""));
    expect(summary).toMatchObject(counts(297, 0, 0, 3));
    expect(summary.errors).toMatchObject([
      { line: 282, code: "VALIDATION_ERROR", field: "name" },
      { line: 283, code: "VALIDATION_ERROR", field: "attributes[0].value" },
      { line: 284, code: "VALIDATION_ERROR", field: "attributes[0].value" },
    ]);
  });

  it("accepts semicolons, tabs, a byte order mark and other encodings than UTF-8", async () => {
    const { supplier } = await openTestTenant();
    expect(
      await imported(supplier, '\ufeffexternal_id;name;price\nx;"A;B";1\ny;Thé;2\n'),
    ).toMatchObject(counts(2));
    expect(await imported(supplier, "external_id\tname\tprice\nx\tA;B\t1\n")).toMatchObject(
      counts(0, 0, 1),
    );
    const latin = Buffer.from("external_id,name,price\ny,Th\xe9,2\nx,A;B,1\n", "latin1");
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        // One byte at a time, as on a very slow network.
        for (const byte of latin) stream.enqueue(Uint8Array.of(byte));
        stream.close();
      },
    });
    expect(await imported(supplier, body)).toMatchObject({
      ...counts(0, 0, 1, 1),
      errors: [{ line: 2, code: "VALIDATION_ERROR" }],
    });
  });

  it("reads the variants of CSV that common programs write", async () => {
    const { supplier } = await openTestTenant();
    const column = 'attribute:size; ""inner"",\nin cm';
    for (const [file, summary] of [
      // Spaces around cells, quoted or not.
      ['external_id, name, price ,description\nx, Tea , 1 , "a, b" \n', counts(1)],
      ['external_id,name,price,description\nx,Tea,1,"a, b"\n', counts(0, 0, 1)],
      ["external_id\tname\tprice\tdescription\nx \tTea\t 1\ta, b\n", counts(0, 0, 1)],
      // Excel's line that names the delimiter, which may be rarer in the header than another character.
      ['\ufeffsep=;\r\nexternal_id;name;price;description\r\nx;Tea;1;"a, b"\r\n', counts(0, 0, 1)],
      ['"sep=,"\nexternal_id,name,price,attribute:a;b;c;d;e\nx,Tea,1,5\n', counts(0, 1)],
      ["SEP=\t\n\nexternal_id\tname\tprice\nx\tTea\t1\n", counts(0, 0, 1)],
      // A delimiter and a line feed in a column name.
      [`external_id,name,price,"${column}"\nx,Tea,1,7\n`, counts(0, 1)],
      [`external_id;"name";price;"${column}"\r\nx;Tea;1;7\r\n`, counts(0, 0, 1)],
    ] as const) {
      const read = await imported(supplier, file, CSV, "dry_run=&marketplace_id");
      expect([file, read]).toEqual([file, { ...summary, errors: [] }]);
    }
    const [tea] = await productsOf(supplier);
    expect(tea).toMatchObject({
      name: "Tea",
      description: "a, b",
      attributes: [{ name: column.slice("attribute:".length).replaceAll('""', '"'), value: "7" }],
    });
    const open = await send(supplier, 'external_id,name,"price\nx,Tea,1\n');
    expect([open.status, (await open.json()).error.code]).toEqual([422, "VALIDATION_ERROR"]);
    // Line numbers count from the start of the file, including lines before the header.
    const late = 'sep=;\nexternal_id;"name"\nx;Tea;1\n';
    expect((await imported(supplier, late)).errors).toMatchObject([{ line: 3 }]);
  });

  it("accepts exported files, whatever their texts begin or end with", async () => {
    const { supplier } = await openTestTenant();
    const texts = [
      "\n=1",
      "\t@a",
      "\uff1d1+1",
      "a;=1",
      "a\t-1",
      " a ",
      "\u00a0a\u3000",
      "a\r\n",
      "'=1",
      "=1",
    ];
    const lines = texts.map((description, i) => ({
      external_id: `${i}`,
      name: `Tea ${i}`,
      price: 1,
      description,
      attributes: [{ name: "note", value: description }],
    }));
    expect(await imported(supplier, ndjson(lines), NDJSON)).toMatchObject(counts(texts.length));
    const csv = (await exported(supplier)).body;
    expect(csv).not.toMatch(/(^|[,;\t\r\n])"?[=@\uff1d]/);
    expect(await imported(supplier, csv)).toEqual({ ...counts(0, 0, texts.length), errors: [] });
    const kept = (await productsOf(supplier)).map(({ description }) => description);
    expect(kept.sort()).toEqual(texts.toSorted());
  });

  it("is refused completely if its header is invalid", async () => {
    const { supplier } = await openTestTenant();
    for (const [header, field] of [
      ["external_id,name,prize", "prize"],
      ["external_id,name,name", "name"],
      ["name,price", "external_id"],
      ["external_id,,name", ""],
    ]) {
      const refused = await send(supplier, `${header}\na,b,c\n`);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({
        error: { code: "VALIDATION_ERROR", details: { field } },
      });
    }
    expect((await send(supplier, "")).status).toBe(422);
    expect(await productsOf(supplier)).toEqual([]);
  });

  it("has at most 300 columns", async () => {
    const { supplier } = await openTestTenant();
    const columns = (attributes: number) =>
      ["external_id", "name", "price"]
        .concat(Array.from({ length: attributes }, (_, i) => `attribute:a${i}`))
        .join(",");
    const row = `a,A,1${",".repeat(297)}`;
    expect(await imported(supplier, `${columns(297)}\n${row}\n`)).toMatchObject(counts(1));
    // The columns of a line of 1 MB, compared with each other, would keep a function busy until its time limit.
    for (const many of [298, 60_000]) {
      const refused = await send(supplier, `${columns(many)}\n${row}\n`);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({
        error: {
          code: "LIMIT_REACHED",
          message: expect.stringContaining("300"),
          details: { cap: "import_columns", maximum: 300 },
        },
      });
    }
  });
});

describe("an import of NDJSON", () => {
  it("accepts whole products with variants", async () => {
    const { supplier, operator, tenantId } = await openTestTenant();
    const category = await supabaseAs(operator)
      .from("categories")
      .insert({ name: "Tea" })
      .select()
      .single()
      .throwOnError();
    const [sku, other] = [randomUUID(), randomUUID()];
    const line = {
      external_id: "tea",
      name: "Tea",
      description: "Mint.",
      price: 4,
      category_id: category.data.id,
      images: [{ url: "https://example.com/tea.png", alt: "A glass" }],
      attributes: [{ name: "brand", value: "Atlas" }],
      variants: [
        { name: "bag", sku, quantity: 3 },
        { name: "box", price: 9.5, quantity: 8 },
      ],
    };
    expect(await imported(supplier, ndjson([line]), NDJSON)).toEqual({ ...counts(1), errors: [] });
    const [tea] = await productsOf(supplier);
    expect(tea).toMatchObject({
      name: "Tea",
      category_id: category.data.id,
      images: line.images,
      variants: [
        { name: "bag", sku, price: 4, inventory: { quantity: 3 } },
        { name: "box", sku: null, price: 9.5, inventory: { quantity: 8 } },
      ],
    });
    const before = await traces(tenantId);
    expect(await imported(supplier, ndjson([line]), NDJSON)).toMatchObject(counts(0, 0, 1));
    expect(await traces(tenantId)).toEqual(before);

    // A variant is identified by its sku, else by its name. Fields that are not sent keep their values.
    const variants = [
      { name: "paper bag", sku, quantity: 2 },
      { name: "crate", sku: other, price: 50, quantity: 1 },
    ];
    const change = { external_id: "tea", category_id: null, variants };
    expect(await imported(supplier, ndjson([change]), NDJSON)).toMatchObject(counts(0, 1));
    expect(await imported(supplier, ndjson([change]), NDJSON)).toMatchObject(counts(0, 0, 1));
    const [changed] = await productsOf(supplier);
    expect(changed.category_id).toBeNull();
    expect(
      // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
      changed.variants.map((v: any) => [v.name, v.price, v.inventory.quantity]).sort(),
    ).toEqual([
      ["box", 9.5, 8],
      ["crate", 50, 1],
      ["paper bag", 4, 2],
    ]);
  });

  it("writes each field of a seller, for a new product and for an existing one", async () => {
    const { supplier, operator } = await openTestTenant();
    const categories = await supabaseAs(operator)
      .from("categories")
      .insert([{ name: "Tea" }, { name: "Coffee" }])
      .select()
      .throwOnError();
    // template_id is not in an import. The others are a product's identity, of digital products, and not in lists.
    type Field = Exclude<
      keyof typeof sellerFields,
      "template_id" | "external_id" | "track_inventory" | "description_html" | "safety"
    >;
    const values: Record<Field, unknown[]> = {
      name: ["Pot", "Kettle"],
      slug: ["tea-pot", "tea-kettle"],
      description: ["Brass.", "Copper."],
      price: [10, 12.5],
      compare_at_price: [12, 15],
      category_id: categories.data.map(({ id }) => id),
      images: ["pot", "kettle"].map((alt) => [{ url: `https://example.com/${alt}.png`, alt }]),
      attributes: ["Sun", "Moon"].map((value) => [{ name: "brand", value }]),
      physical: [{ weight_grams: 100 }, { weight_grams: 200 }],
    };
    for (const at of [0, 1]) {
      const line = Object.fromEntries(
        Object.entries(values).map(([field, both]) => [field, both[at]]),
      );
      const body = ndjson([{ external_id: "pot", ...line }]);
      expect(await imported(supplier, body, NDJSON)).toMatchObject(counts(1 - at, at));
      expect(await productsOf(supplier)).toMatchObject([line]);
    }
  });

  it("matches variants by sku first, and then by name, in any order", async () => {
    const { supplier } = await openTestTenant();
    const importing = async (variants: object[]) => {
      const line = ndjson([{ external_id: "cup", name: "Cup", price: 5, variants }]);
      const summary = await imported(supplier, line, NDJSON);
      expect(await imported(supplier, line, NDJSON)).toMatchObject(
        summary.failed ? summary : counts(0, 0, 1),
      );
      const [cup] = await productsOf(supplier);
      return [
        summary,
        // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
        Object.fromEntries(cup.variants.map((v: any) => [v.name, [v.sku, v.inventory.quantity]])),
      ];
    };
    const start = await importing([
      { name: "Red", sku: "A", quantity: 5 },
      { name: "Blue", sku: "B", quantity: 6 },
    ]);
    expect(start).toEqual([
      { ...counts(1), errors: [] },
      { Red: ["A", 5], Blue: ["B", 6] },
    ]);
    // The same name is the same variant, whatever its case and sku.
    expect((await importing([{ name: "RED", sku: "C", quantity: 1 }]))[1]).toEqual({
      RED: ["C", 1],
      Blue: ["B", 6],
    });
    // Swapped names.
    expect(
      (
        await importing([
          { name: "Blue", sku: "C" },
          { name: "RED", sku: "B" },
        ])
      )[1],
    ).toEqual({ Blue: ["C", 1], RED: ["B", 6] });
    // The first variant is new, because the second matches the existing one by sku.
    expect(
      (
        await importing([
          { name: "Red", quantity: 9 },
          { name: "Crimson", sku: "B" },
        ])
      )[1],
    ).toEqual({ Blue: ["C", 1], Crimson: ["B", 6], Red: [null, 9] });
    // A variant would get the name of another one that the line omits.
    const [refused, after] = await importing([{ name: "Blue", sku: "B" }]);
    expect(refused).toMatchObject({ failed: 1, errors: [{ field: "variants" }] });
    expect(after).toEqual({ Blue: ["C", 1], Crimson: ["B", 6], Red: [null, 9] });
    for (const twice of [
      [
        { name: "Red", quantity: 9 },
        { name: "Red", quantity: 9 },
      ],
      [
        { name: "Blue", sku: "C" },
        { name: "Blue", sku: "C" },
      ],
    ]) {
      expect((await importing(twice))[0]).toMatchObject({
        failed: 1,
        errors: [{ code: "VALIDATION_ERROR", field: "variants[1].name" }],
      });
    }
  });

  it("takes a stock below 0 as 0, and ignores that of digital goods, with a remark", async () => {
    const { supplier, customer } = await openTestTenant();
    const variants = [
      { name: "S", quantity: 2 },
      { name: "M", quantity: -3 },
    ];
    const lines = [
      { external_id: "a", name: "A", price: 1, quantity: -5 },
      { external_id: "b", name: "B", price: 1, variants },
      { external_id: "c", name: "C", price: 1, kind: "digital", quantity: 7 },
      {
        external_id: "d",
        name: "D",
        price: 1,
        kind: "digital",
        track_inventory: true,
        quantity: 7,
      },
      {
        external_id: "e",
        name: "E",
        price: 1,
        kind: "digital",
        variants: [{ name: "S", quantity: 1 }],
      },
      { external_id: "f", name: "F", price: 1, quantity: 4 },
      { external_id: "g", name: "G", price: 1.234, quantity: -4 },
    ];
    const below = { code: "QUANTITY_BELOW_ZERO", message: expect.stringContaining("counts as 0") };
    const ignored = { code: "QUANTITY_IGNORED", message: expect.stringContaining("ignored") };
    const remarks = [
      { line: 1, field: "quantity", ...below },
      { line: 2, field: "variants[1].quantity", ...below },
      { line: 3, field: "quantity", ...ignored },
      { line: 4, field: "quantity", ...ignored },
      { line: 5, field: "variants[0].quantity", ...ignored },
    ];
    const body = ndjson(lines);
    const errors = [expect.objectContaining({ line: 7, field: "price" })];
    const trial = await imported(supplier, body, NDJSON, "dry_run=true");
    expect(trial).toEqual({ ...counts(6, 0, 0, 1), errors, remarks });
    expect(await productsOf(supplier)).toEqual([]);
    expect(await imported(supplier, body, NDJSON)).toEqual({
      ...counts(6, 0, 0, 1),
      errors,
      remarks,
    });
    expect(await imported(supplier, body, NDJSON)).toEqual({
      ...counts(0, 0, 6, 1),
      errors,
      remarks,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
    const stocks = (await productsOf(supplier)).map(({ name, inventory, variants }: any) => [
      name,
      inventory.quantity,
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      ...variants.map((one: any) => one.inventory.quantity),
    ]);
    expect(stocks).toEqual([
      ["A", 0],
      ["B", 2, 2, 0],
      ["C", 0],
      ["D", 0],
      ["E", 0, 0],
      ["F", 4],
    ]);

    const csv = "external_id,name,price,quantity\nh,H,1,-1\n";
    expect((await imported(supplier, csv)).remarks).toEqual([{ ...remarks[0], line: 2 }]);
    const steps = await send(supplier, body, NDJSON, "", { accept: NDJSON });
    const [last] = (await steps.text()).trim().split("\n").slice(-1);
    expect(JSON.parse(last as string)).toMatchObject({ remarks, done: true });
    const { url, anon_key } = ownStack;
    const souk = createClient(url, anon_key, { accessToken: async () => supplier.token });
    expect((await souk.products.import(body, { format: "ndjson" })).remarks).toEqual(remarks);

    // Orders have reserved more.
    const [f] = (await productsOf(supplier)).filter(({ name }) => name === "F");
    await must("POST", "/api/orders", { as: customer, body: orderFor(f, 2) });
    const short = await imported(supplier, ndjson([{ external_id: "f", quantity: -1 }]), NDJSON);
    expect(short).toMatchObject({ failed: 1, errors: [{ code: "INSUFFICIENT_INVENTORY" }] });
    expect(short.remarks).toBeUndefined();
  });

  it("lets skus repeat if an admin says so, and matches their variants by name", async () => {
    const { operator, supplier } = await openTestTenant();
    const variants = (first: number) => [
      { name: "S", sku: "A", quantity: first },
      { name: "M", sku: "A", quantity: 2 },
    ];
    const body = (first: number) =>
      ndjson([
        { external_id: "a", name: "A", price: 1, variants: variants(first) },
        { external_id: "b", name: "B", price: 1, variants: [{ name: "S", sku: "A" }] },
      ]);
    const refused = await imported(operator, body(1), NDJSON);
    expect(refused).toMatchObject({
      ...counts(1, 0, 0, 1),
      errors: [{ line: 1, code: "CONFLICT" }],
    });
    const denied = await send(supplier, body(1), NDJSON, "unique_skus=false");
    expect(denied.status).toBe(403);
    const settings = async () => (await must("GET", "/api/tenant", { as: operator })).settings;
    const trial = await imported(operator, body(1), NDJSON, "unique_skus=false&dry_run=true");
    expect(trial).toEqual({ ...counts(1, 0, 1), errors: [] });
    expect(await settings()).toEqual({ sellers: SELLERS });
    const done = await imported(operator, body(1), NDJSON, "unique_skus=false");
    expect(done).toEqual({ ...counts(1, 0, 1), errors: [] });
    expect(await settings()).toEqual({ sellers: SELLERS, catalog: { unique_skus: false } });
    expect(await imported(operator, body(1), NDJSON)).toEqual({ ...counts(0, 0, 2), errors: [] });
    expect(await imported(operator, body(5), NDJSON)).toEqual({ ...counts(0, 1, 1), errors: [] });
    const [a] = (await productsOf(operator)).filter(({ external_id }) => external_id === "a");
    expect(a.variants).toMatchObject([
      { name: "S", sku: "A", inventory: { quantity: 5 } },
      { name: "M", sku: "A", inventory: { quantity: 2 } },
    ]);
  });

  it("refuses each line by the usual rules", async () => {
    const [{ supplier, operator, customer, tenantId, marketplace }, elsewhere] = await Promise.all([
      openTestTenant(),
      openTestTenant(),
    ]);
    const sku = randomUUID();
    const [mine, operators, theirs] = await Promise.all([
      listProduct(supplier, { variants: [{ name: "one", sku }] }),
      listProduct(operator),
      listProduct(elsewhere.supplier),
    ]);
    const [held] = await Promise.all([listProduct(supplier, { name: "Held" })]);
    await must("POST", "/api/orders", { as: customer, body: orderFor(held, 4) });
    const lines: [unknown, object][] = [
      ["no object", { code: "INVALID_JSON", field: null }],
      [[1], { code: "INVALID_JSON", field: null }],
      [
        { external_id: "a", name: "A", price: "1" },
        { code: "VALIDATION_ERROR", field: "price" },
      ],
      [{ external_id: "b", name: "B", price: 1, colour: "red" }, { field: "colour" }],
      [
        { external_id: "c", name: "C", price: 1, variants: [{ name: "x", quantity: 0.5 }] },
        { field: "variants[0].quantity" },
      ],
      [
        { external_id: "d", name: "D", price: 1, variants: [{ name: "x", sku }] },
        { code: "CONFLICT", field: "variants[0].sku" },
      ],
      [{ external_id: "e", name: "E", price: 1, currency: "USD" }, { field: "currency" }],
      [
        { external_id: "f", name: "F", price: 1, kind: "service", quantity: 1 },
        { code: "VALIDATION_ERROR", field: "quantity" },
      ],
      [
        { external_id: "g", name: "G", price: 1, quantity: 1, variants: [{ name: "x" }] },
        { code: "VALIDATION_ERROR", field: "quantity" },
      ],
      [
        { id: theirs.id, price: 1 },
        { code: "NOT_FOUND", field: "id" },
      ],
      [
        { id: operators.id, price: 1 },
        { code: "NOT_FOUND", field: "id" },
      ],
      [
        { id: mine.id, kind: "digital" },
        { code: "VALIDATION_ERROR", field: "kind" },
      ],
      [
        { id: held.id, quantity: 3 },
        { code: "INSUFFICIENT_INVENTORY", field: "quantity" },
      ],
      [
        { external_id: "h", name: "H", price: 1, marketplace_id: elsewhere.marketplace.id },
        { code: "NOT_FOUND", field: "marketplace_id" },
      ],
      [
        {
          external_id: "i",
          name: "I",
          price: 1,
          supplier_id: operators.supplier_id ?? theirs.supplier_id,
        },
        { code: expect.stringMatching(/FORBIDDEN|NOT_FOUND/) },
      ],
      [{ external_id: "j", name: "J", price: 1, status: "discontinued" }, { field: "status" }],
      [
        { external_id: "k", name: "K", price: 1, variants: [{ name: "x", price: 0.001 }] },
        { code: "VALIDATION_ERROR", field: "variants[0].price" },
      ],
      [
        { external_id: "l", name: "L", price: 1, variants: [{ name: "x" }, { name: " " }] },
        { code: "VALIDATION_ERROR", field: "variants[1].name" },
      ],
      [
        {
          external_id: "m",
          name: "M",
          price: 1,
          variants: [
            { name: "Red", quantity: 5 },
            { name: "Red", quantity: 7 },
          ],
        },
        { code: "VALIDATION_ERROR", field: "variants[1].name" },
      ],
      [
        {
          external_id: "n",
          name: "N",
          price: 1,
          variants: [{ name: "Caf\u00e9" }, { name: "b" }, { name: " CAFE\u0301" }],
        },
        { code: "VALIDATION_ERROR", field: "variants[2].name" },
      ],
      [
        {
          external_id: "o",
          name: "O",
          price: 1,
          variants: [
            { name: "a", sku: "twice" },
            { name: "b", sku: "twice" },
          ],
        },
        { code: "CONFLICT", field: "variants[1].sku" },
      ],
    ];
    const before = await traces(tenantId);
    const summary = await imported(supplier, ndjson(lines.map(([line]) => line)), NDJSON);
    expect(summary.errors).toMatchObject(
      lines.map(([, error], at) => ({ line: at + 1, ...error })),
    );
    expect(summary).toMatchObject(counts(0, 0, 0, lines.length));
    expect(await traces(tenantId)).toEqual(before);
    expect(await stockOf(held)).toEqual({ product: { quantity: 10, reserved: 4 } });
    expect(marketplace.id).toBe(held.marketplace_id);
  });

  it("identifies products by external_id per supplier and marketplace", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const line = ndjson([{ external_id: "x", name: "Mine", price: 1 }]);
    expect(await imported(supplier, line, NDJSON)).toMatchObject(counts(1));
    expect(await imported(operator, line, NDJSON)).toMatchObject(counts(1));
    const second = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });
    // With two marketplaces, the line or the query must name one.
    expect(await imported(supplier, line, NDJSON)).toMatchObject({
      ...counts(0, 0, 0, 1),
      errors: [{ field: "marketplace_id" }],
    });
    const [here, there] = [`marketplace_id=${marketplace.id}`, `marketplace_id=${second.id}`];
    expect(await imported(supplier, line, NDJSON, here)).toMatchObject(counts(0, 0, 1));
    expect(await imported(supplier, line, NDJSON, there)).toMatchObject(counts(1));
    const mine = (await productsOf(supplier))[0];
    // An admin names the supplier.
    const named = { external_id: "x", name: "Yours", price: 1, supplier_id: mine.supplier_id };
    expect(await imported(operator, ndjson([named]), NDJSON, here)).toMatchObject(counts(0, 1));
    expect((await productsOf(supplier)).map(({ name }) => name).sort()).toEqual(["Mine", "Yours"]);
    // A discontinued product releases its external_id.
    await supabaseAsService()
      .from("products")
      .update({ status: "discontinued" })
      .eq("supplier_id", mine.supplier_id)
      .throwOnError();
    expect(await imported(supplier, line, NDJSON, here)).toMatchObject(counts(1));
  });

  it("as a dry run has no effect", async () => {
    const { supplier, tenantId } = await openTestTenant();
    const lines = ndjson([
      { external_id: "a", name: "A", price: 1, quantity: 4 },
      { external_id: "b", name: "B", price: 1.234 },
    ]);
    const before = await traces(tenantId);
    expect(await imported(supplier, lines, NDJSON, "dry_run=true")).toMatchObject({
      ...counts(1, 0, 0, 1),
      errors: [{ line: 2, field: "price" }],
    });
    expect(await traces(tenantId)).toEqual(before);
    expect(await productsOf(supplier)).toEqual([]);
  });

  it("reports invalid text anywhere, and continues", async () => {
    const { supplier } = await openTestTenant();
    const lines = Array.from({ length: 300 }, (_, i) => ({
      external_id: `p-${i}`,
      name: `Product ${i}`,
      price: 1,
    }));
    const bad = [
      { name: "a\0" },
      { external_id: "\ud800" },
      { description: "\udc00\ud800" },
      { attributes: [{ name: "b\0", value: "c" }] },
      { variants: [{ name: "v", sku: "\0" }] },
      { "na\0me": "x" },
    ];
    for (const [i, fields] of bad.entries()) Object.assign(lines[280 + i] as object, fields);
    const summary = await imported(supplier, ndjson(lines), NDJSON);
    expect(summary).toMatchObject(counts(294, 0, 0, 6));
    expect(summary.errors.map(({ line, field }: LineError) => [line, field])).toEqual([
      [281, "name"],
      [282, "external_id"],
      [283, "description"],
      [284, "attributes[0].name"],
      [285, "variants[0].sku"],
      [286, "na\0me"],
    ]);
  });

  it("ends when no more data arrives, and keeps what arrived", async () => {
    const { supplier } = await openTestTenant();
    const app = here({ REQUEST_TIMEOUT_MS: "5000" });
    const lines = Array.from({ length: 260 }, (_, i) => ({
      external_id: `p-${i}`,
      name: `Product ${i}`,
      price: 1,
    }));
    const stalling = (accept: string, come: string) => {
      const cancelled = vi.fn();
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => stream.enqueue(new TextEncoder().encode(come)),
        cancel: cancelled,
      });
      const answer = app.request("/api/products/import", {
        method: "POST",
        headers: { "content-type": NDJSON, accept, authorization: `Bearer ${supplier.token}` },
        body,
        duplex: "half",
      } as RequestInit);
      return { answer, cancelled };
    };
    const TIMEOUT = { error: { code: "TIMEOUT", message: expect.any(String), details: {} } };

    const whole = stalling("application/json", ndjson(lines));
    const refused = await whole.answer;
    expect([refused.status, await refused.json()]).toEqual([504, TIMEOUT]);
    expect(whole.cancelled).toHaveBeenCalledOnce();
    expect((await must("GET", "/api/products", { as: supplier })).total).toBe(250);

    const nothing = stalling(NDJSON, "").answer;
    const streamed = await stalling(NDJSON, ndjson(lines)).answer;
    const steps = (await streamed.text()).trim().split("\n");
    expect(streamed.status).toBe(200);
    expect(steps.map((step) => JSON.parse(step))).toEqual([
      { line: 250, ...counts(0, 0, 250), errors: [], done: false },
      TIMEOUT,
    ]);
    expect((await nothing).status).toBe(504);
  });

  it("sends something at regular intervals, and always ends with an answer", async () => {
    const { supplier } = await openTestTenant();
    const app = here({ LONGEST_SILENCE_MS: "20", REQUEST_TIMEOUT_MS: "2000" });
    const line = (n: number) => ndjson([{ external_id: `p-${n}`, name: `Product ${n}`, price: 1 }]);
    const text = new TextEncoder();
    /** An import whose second line arrives after a pause, or never. */
    const slowly = async (accept: string, ending: boolean) => {
      const body = new ReadableStream<Uint8Array>({
        async start(stream) {
          stream.enqueue(text.encode(line(1)));
          if (!ending) return;
          await new Promise((resolve) => setTimeout(resolve, 150));
          stream.enqueue(text.encode(line(2)));
          stream.close();
        },
      });
      return app.request("/api/products/import", {
        method: "POST",
        headers: { "content-type": NDJSON, accept, authorization: `Bearer ${supplier.token}` },
        body,
        duplex: "half",
      } as RequestInit);
    };
    const TIMEOUT = { error: { code: "TIMEOUT", message: expect.any(String), details: {} } };

    for (const accept of ["application/json", "*/*"]) {
      const whole = await slowly(accept, true);
      expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "application/json"]);
      const content = await whole.text();
      expect(content).toMatch(/^ {2,}\{/);
      expect(JSON.parse(content)).toMatchObject({ failed: 0, errors: [] });
      const broken = await (await slowly(accept, false)).text();
      expect(broken).toMatch(/^ {2,}\{/);
      expect(JSON.parse(broken)).toEqual(TIMEOUT);
    }

    const lines = async (ending: boolean) =>
      (await (await slowly(NDJSON, ending)).text())
        .trim()
        .split("\n")
        .map((one) => JSON.parse(one));
    const nothingYet = { line: 0, ...counts(), errors: [], done: false };
    const steps = await lines(true);
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.at(-1)).toEqual({ line: 2, ...counts(0, 0, 2), errors: [], done: true });
    expect(steps.slice(0, -1).every((step) => step.done === false)).toBe(true);
    expect(steps[0]).toEqual(nothingYet);
    expect((await lines(false)).at(-1)).toEqual(TIMEOUT);
  });

  it("stops when its connection is closed", async () => {
    const { supplier } = await openTestTenant();
    const app = here({ LONGEST_SILENCE_MS: "50", REQUEST_TIMEOUT_MS: "2000" });
    for (const accept of ["application/json", NDJSON]) {
      const cancelled = vi.fn();
      let n = 0;
      const endless = new ReadableStream<Uint8Array>({
        async pull(stream) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          const lines = Array.from({ length: 100 }, () => {
            n += 1;
            return { external_id: `${accept}-${n}`, name: `Product ${n}`, price: 1 };
          });
          stream.enqueue(new TextEncoder().encode(ndjson(lines)));
        },
        cancel: cancelled,
      });
      const answer = await app.request("/api/products/import", {
        method: "POST",
        headers: { "content-type": NDJSON, accept, authorization: `Bearer ${supplier.token}` },
        body: endless,
        duplex: "half",
      } as RequestInit);
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
      await eventually(() => expect(cancelled).toHaveBeenCalledOnce());
    }
  });

  it("reports its progress", async () => {
    const { supplier } = await openTestTenant();
    const lines = Array.from({ length: 510 }, (_, i) => ({
      external_id: `p-${i}`,
      name: `Product ${i}`,
      price: i === 10 ? -1 : 1,
    }));
    const response = await send(supplier, ndjson(lines), NDJSON, "", { accept: NDJSON });
    expect(response.headers.get("content-type")).toBe(NDJSON);
    const steps = (await response.text())
      .trim()
      .split("\n")
      .map((step) => JSON.parse(step));
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.map(({ done }) => done)).toEqual([...steps.slice(1).map(() => false), true]);
    expect(steps[0].errors).toMatchObject([{ line: 11, field: "price" }]);
    expect(steps.at(-1)).toEqual({ line: 510, ...counts(509, 0, 0, 1), errors: [], done: true });
  });
});

describe("an import of more than one request", () => {
  /** Texts of records, some with several lines, some invalid, below a header of several lines. */
  const header = 'sep=;\r\n\nexternal_id;name;price;description;"attribute:in\n\ncm"\n';
  const records = Array.from({ length: 11 }, (_, n) => {
    if (n === 4) return `p-${n};Tea;-1;;\n`;
    if (n === 7) return `p-${n};Te"a;1;;\n\n`;
    return n % 3 === 0
      ? `p-${n};Tea ${n};1;"one\n\ntwo ""of"" ${n}\n";5\r\n`
      : `p-${n};Tea ${n};1;Läämp;7\n`;
  });
  const file = header + records.join("");
  const bounds: Record<string, string>[] = [
    { IMPORT_RECORDS: "1" },
    { IMPORT_RECORDS: "3" },
    { IMPORT_CHARACTERS: "60" },
    { IMPORT_MS: "0" },
  ];
  /** The client, with the function in this process. */
  function clientHere(as: Person, bound: Record<string, string>) {
    const app = here(bound);
    const requests: URL[] = [];
    const client = createClient(ownStack.url, ownStack.anon_key, {
      accessToken: async () => as.token,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const url = new URL(request.url);
        requests.push(url);
        url.pathname = url.pathname.replace("/functions/v1", "");
        return app.request(new Request(url, request));
      },
    });
    return { client, requests };
  }
  async function* cut(text: string, size: number) {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  it("continues at the line in the answer, automatically in the client", async () => {
    const { supplier } = await openTestTenant();
    const whole = await imported(supplier, file, CSV, "dry_run=true");
    expect(whole).toMatchObject(counts(9, 0, 0, 2));
    for (const bound of bounds) {
      for (const source of [() => file, () => cut(file, 7), () => cut(file, 1000)]) {
        const { client, requests } = clientHere(supplier, bound);
        const reported: ImportProgress[] = [];
        const onProgress = (progress: ImportProgress) => reported.push(progress);
        const options = { format: "csv", dry_run: true, onProgress } as const;
        expect([bound, await client.products.import(source(), options)]).toEqual([bound, whole]);
        expect(requests.length).toBeGreaterThan(1);
        expect(reported.at(-1)).toMatchObject({ ...counts(9, 0, 0, 2), done: true });
        expect(reported.map(({ line }) => line)).toEqual(
          reported.map(({ line }) => line).toSorted((a, b) => a - b),
        );
      }
    }
  });

  it("ends each answer with next_line, after the whole body was read", async () => {
    const { supplier } = await openTestTenant();
    const app = here({ IMPORT_RECORDS: "300" });
    const lines = Array.from({ length: 700 }, (_, n) => ({
      external_id: `p-${n}`,
      name: `Product ${n}`,
      price: n % 200 === 0 ? -1 : 1,
    }));
    const post = async (accept: string, firstLine: number) => {
      const text = ndjson(lines.slice(firstLine - 1));
      let read = 0;
      const body = new ReadableStream<Uint8Array>({
        async start(stream) {
          for await (const chunk of cut(text, 5000)) stream.enqueue(chunk);
          stream.close();
        },
      }).pipeThrough(
        new TransformStream({
          transform(chunk, stream) {
            read += chunk.length;
            stream.enqueue(chunk);
          },
        }),
      );
      const answer = await app.request(`/api/products/import?first_line=${firstLine}`, {
        method: "POST",
        headers: { "content-type": NDJSON, accept, authorization: `Bearer ${supplier.token}` },
        body,
        duplex: "half",
      } as RequestInit);
      const answered = (await answer.text()).trim().split("\n");
      expect([answer.status, read]).toEqual([200, text.length]);
      return answered.map((one) => JSON.parse(one));
    };
    const [summary] = await post("application/json", 1);
    expect(summary).toMatchObject({ ...counts(298, 0, 0, 2), next_line: 301 });
    const steps = await post(NDJSON, 301);
    expect(steps.at(-1)).toMatchObject({
      line: 600,
      ...counts(299, 0, 0, 1),
      done: false,
      next_line: 601,
    });
    expect(steps.flatMap(({ errors }) => errors)).toMatchObject([{ line: 401 }]);
    const [rest] = await post("application/json", 601);
    expect(rest).toEqual({
      ...counts(99, 0, 0, 1),
      errors: [expect.objectContaining({ line: 601 })],
    });
    // From the first line again: nothing changes.
    const [again] = await post("application/json", 1);
    expect(again).toMatchObject({ ...counts(0, 0, 298, 2), next_line: 301 });
    // Many small chunks, and no other limit is reached before.
    vi.stubEnv("IMPORT_RECORDS", "5000");
    const drops = cut("x\n".repeat(4_100), 2);
    const drip = new ReadableStream<Uint8Array>({
      async pull(stream) {
        const { value, done } = await drops.next();
        if (done) stream.close();
        else stream.enqueue(value);
      },
    });
    const dripped = await app.request("/api/products/import", {
      method: "POST",
      headers: { "content-type": NDJSON, authorization: `Bearer ${supplier.token}` },
      body: drip,
      duplex: "half",
    } as RequestInit);
    expect(await dripped.json()).toMatchObject({ failed: 4_000, next_line: 4_001 });
    const refused = await send(supplier, "", NDJSON, "first_line=0");
    expect([refused.status, (await refused.json()).error.details.field]).toEqual([
      422,
      "first_line",
    ]);
  });
});

describe("imports and exports", () => {
  it("are allowed to admins and suppliers, and clients may export", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    await Promise.all([listProduct(supplier), listProduct(operator)]);
    for (const person of [customer, client]) {
      const refused = await send(person, "external_id,name,price\na,A,1\n");
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: { code: "FORBIDDEN" } });
    }
    expect((await send(undefined, "external_id\n")).status).toBe(401);
    expect((await call("GET", "/api/products/export")).status).toBe(401);
    expect((await exported(customer)).status).toBe(403);
    for (const [person, rows] of [
      [operator, 2],
      [client, 2],
      [supplier, 1],
    ] as const) {
      const { body } = await exported(person, "format=ndjson");
      expect(body.trim().split("\n")).toHaveLength(rows);
    }
    const wrong = await send(supplier, "{}", "application/json");
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ error: { code: "INVALID_REQUEST" } });
    expect((await send(supplier, "x", CSV, "dry_run=perhaps")).status).toBe(422);
    expect((await exported(operator, "format=pdf")).status).toBe(422);
  });

  it("are compatible: an exported file changes nothing, and restores a catalogue in another tenant", async () => {
    const [here, there] = await Promise.all([openTestTenant(), openTestTenant()]);
    const { supplier, operator, customer, tenantId } = here;
    const formulas = [
      ...[
        "=1+1",
        "+1",
        "-1",
        "@x",
        "＝1",
        "'=1",
        "''@x",
        "'quoted'",
        "\ttab",
        "\rreturn",
        "\nline",
      ],
      ...["a;=1", "a;'=1", "a\t-1", 'a;"+1"'],
    ];
    for (const [at, name] of formulas.entries()) {
      await listProduct(supplier, { name, description: `${name}\r\n"x", y\nz`, price: at });
    }
    const variants = [
      { name: "one", sku: randomUUID(), price: 3, inventory: { quantity: 2 } },
      { name: "two" },
    ];
    await listProduct(supplier, {
      name: "With variants",
      attributes: [{ name: "brand", value: 'a,b;"c"' }],
      physical: { weight_grams: 1200 },
      images: [{ url: "https://example.com/1.png", alt: "=one" }],
      inventory: { quantity: 0 },
      variants,
    });
    await listProduct(supplier, { name: "A service", kind: "service", inventory: { quantity: 0 } });
    await listProduct(operator, { name: "A draft", status: "draft" });
    const sold = await listProduct(supplier, { name: "Sold out", inventory: { quantity: 1 } });
    await must("POST", "/api/orders", { as: customer, body: orderFor(sold) });

    const before = [await traces(tenantId), await productsOf(operator)];
    for (const [format, type] of [
      ["csv", CSV],
      ["ndjson", NDJSON],
    ]) {
      const file = await exported(operator, `format=${format}`);
      expect(file.status).toBe(200);
      expect(file.headers.get("content-type")).toContain(type);
      expect(file.headers.get("content-disposition")).toContain(`products.${format}`);
      expect(await imported(operator, file.body, type)).toEqual({
        ...counts(0, 0, formulas.length + 4),
        errors: [],
      });
      expect([await traces(tenantId), await productsOf(operator)]).toEqual(before);
    }

    // No cell of the CSV is a formula for a spreadsheet.
    const { body } = await exported(supplier);
    expect(body).not.toMatch(/(^|[,;\t])"*[=+\-@＝]/m);

    // The same catalogue in another tenant. The external_id of each product is its old id.
    const { body: lines } = await exported(supplier, "format=ndjson");
    const elsewhere = lines
      .trim()
      .split("\n")
      .map((line: string) => {
        const { id, marketplace_id: _m, supplier_id: _s, ...product } = JSON.parse(line);
        return { ...product, external_id: id };
      });
    expect(await imported(there.supplier, ndjson(elsewhere), NDJSON)).toMatchObject(
      counts(elsewhere.length),
    );
    const shown = ({ name, description, price, kind }: Record<string, unknown>) => ({
      name,
      description,
      price,
      kind,
    });
    expect((await productsOf(there.supplier)).map(shown)).toEqual(
      (await productsOf(supplier)).map(shown),
    );
  });

  it("can be filtered", async () => {
    const { operator, supplier } = await openTestTenant();
    const [tea] = [
      (
        await supabaseAs(operator)
          .from("categories")
          .insert({ name: "Tea" })
          .select()
          .single()
          .throwOnError()
      ).data,
    ];
    const green = (
      await supabaseAs(operator)
        .from("categories")
        .insert({ name: "Green", parent_id: tea.id })
        .select()
        .single()
        .throwOnError()
    ).data;
    const sencha = await listProduct(supplier, { name: "Sencha", category_id: green.id });
    await listProduct(operator, { name: "Salt", status: "draft" });
    const names = async (query: string) =>
      (await exported(operator, `format=ndjson&${query}`)).body
        .split("\n")
        .filter(Boolean)
        .map((line: string) => JSON.parse(line).name);
    expect(await names(`category=${tea.id}`)).toEqual(["Sencha"]);
    expect(await names(`supplier_id=${sencha.supplier_id}`)).toEqual(["Sencha"]);
    expect(await names("status=draft")).toEqual(["Salt"]);
    expect(await names(`marketplace_id=${sencha.marketplace_id}`)).toHaveLength(2);
    expect(await names(`marketplace_id=${randomUUID()}`)).toEqual([]);
  });

  // Three pages of an export and five batches of an import on Postgres. PGlite shares its process with the tests.
  const many = process.env.DATABASE_URL ? 1100 : 500;
  it(`of ${many} products return the same records`, async () => {
    const { supplier, tenantId } = await openTestTenant();
    const lines = Array.from({ length: many }, (_, i) => ({
      external_id: `sku-${i}`,
      name: `Product "${i}", of many`,
      description: `Number ${i}.\n${"It is described at some length. ".repeat(1 + (i % 10))}`,
      price: (i % 1000) + 0.25,
      quantity: i % 7,
      attributes: [{ name: "brand", value: `Brand ${i % 20}` }],
      ...(i % 10 === 0
        ? { quantity: undefined, variants: ["s", "m"].map((name) => ({ name, quantity: i % 3 })) }
        : {}),
    }));
    expect(await imported(supplier, ndjson(lines), NDJSON)).toEqual({
      ...counts(many),
      errors: [],
    });
    const before = await traces(tenantId);
    for (const [format, type] of [
      ["csv", CSV],
      ["ndjson", NDJSON],
    ]) {
      const { body } = await exported(supplier, `format=${format}`);
      expect(body.match(/sku-\d+/g)).toHaveLength(many);
      expect(await imported(supplier, body, type)).toEqual({ ...counts(0, 0, many), errors: [] });
    }
    expect(await traces(tenantId)).toEqual(before);
  });

  it("do not deadlock when two run concurrently", async () => {
    const { supplier, customer } = await openTestTenant();
    const lines = Array.from({ length: 60 }, (_, i) => ({
      external_id: `p-${i}`,
      name: `Product ${i}`,
      price: 1,
      quantity: 50,
    }));
    const [forth, back] = await Promise.all([
      imported(supplier, ndjson(lines), NDJSON),
      imported(supplier, ndjson(lines.toReversed()), NDJSON),
    ]);
    expect([forth.imported + back.imported, forth.unchanged + back.unchanged]).toEqual([60, 60]);
    const products = await productsOf(supplier);
    const item = ({ id, price }: { id: string; price: number }) => ({
      product_id: id,
      quantity: 1,
      price,
    });
    const more = lines.map((line) => ({ ...line, description: "More.", quantity: 60 }));
    const answers = await Promise.all([
      imported(supplier, ndjson(more), NDJSON),
      imported(supplier, ndjson(more.toReversed()), NDJSON),
      ...Array.from({ length: 10 }, (_, i) =>
        must("POST", "/api/orders", {
          as: customer,
          body: {
            ...orderFor(products[0]),
            items: (i % 2 ? products : products.toReversed()).slice(0, 30).map(item),
          },
        }),
      ),
    ]);
    expect(answers.slice(0, 2).map(({ failed }) => failed)).toEqual([0, 0]);
    const { data } = await supabaseAsService()
      .from("inventory")
      .select("quantity, reserved")
      .in(
        "product_id",
        products.map(({ id }) => id),
      )
      .throwOnError();
    expect(data?.every(({ quantity }) => quantity === 60)).toBe(true);
    expect(data?.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(300);
  });

  it.skipIf(!process.env.DATABASE_URL)("wait for each other outside the database", async () => {
    const { supplier, tenantId, customer } = await openTestTenant();
    const line = { external_id: "a", name: "A", price: 1 };
    const other = new pg.Client({ connectionString: ownStack.db_url as string });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("begin");
    await other.query("select private.hold('import', $1)", [tenantId]);

    const { status, error } = await supabaseAs(supplier).rpc("import_products", {
      lines: [line],
    });
    expect([status, error?.message]).toEqual([409, "CONFLICT"]);
    expect(error?.hint).toContain("Another import");

    // More empty imports than connections: nothing waits for them, and they do not wait.
    const empty = Array.from({ length: 24 }, () => imported(supplier, "external_id,name\n"));
    expect((await Promise.all(empty)).every(({ failed }) => failed === 0)).toBe(true);

    const waiting = Array.from({ length: 24 }, () => send(supplier, ndjson([line]), NDJSON));
    let ended = 0;
    for (const one of waiting) one.finally(() => (ended += 1));
    await must("GET", "/api/products", { as: customer });
    expect(ended).toBe(0);

    const app = here({ REQUEST_TIMEOUT_MS: "1000" });
    const refused = await app.request("/api/products/import", {
      method: "POST",
      headers: { "content-type": NDJSON, authorization: `Bearer ${supplier.token}` },
      body: ndjson([line]),
    });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: "CONFLICT" } });

    await other.query("commit");
    const summaries = await Promise.all(
      waiting.map(async (answer) => JSON.parse(await (await answer).text())),
    );
    expect(summaries.reduce((sum, { imported }) => sum + imported, 0)).toBe(1);
    expect(summaries.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(23);
  });

  it("have their own limits", async () => {
    const { supplier } = await openTestTenant();
    // A larger body than other endpoints accept: one invalid line and many empty ones.
    const long = "x".repeat(1_500_000);
    const body = `${ndjson([{ external_id: "a", name: "A", price: 1, description: long }])}${"\n".repeat(500_000)}${ndjson([{ external_id: "b", name: "B", price: 1 }])}`;
    expect(await imported(supplier, body, NDJSON)).toMatchObject({
      ...counts(1, 0, 0, 1),
      errors: [{ line: 1, code: "INVALID_JSON" }],
    });
    const piece = new TextEncoder().encode(`${" ".repeat(1_048_575)}\n`);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(stream) {
        sent += 1;
        if (sent > 78) stream.close();
        else stream.enqueue(piece);
      },
    });
    const refused = await send(supplier, endless, NDJSON);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
  });
});

describe("imports through supabase-js", () => {
  it("process each line separately, whatever it contains", async () => {
    const { supplier, customer } = await openTestTenant();
    const lines = [
      { external_id: "a", name: "A", price: 1 },
      5,
      null,
      { external_id: "b", name: "B", price: "dear" },
      { external_id: "c", name: "C", price: 1, marketplace_id: "here" },
      { external_id: "d", name: "D", price: 1, variants: { name: "x" } },
      { external_id: "e", name: "E", price: 1, variants: [5] },
      { external_id: "f", name: "F", price: 1, quantity: -3 },
      { id: "f", name: "F", price: 1 },
      { external_id: "g", name: "G", price: 1 },
    ];
    const { data } = await supabaseAs(supplier).rpc("import_products", { lines }).throwOnError();
    expect(data).toMatchObject({
      ...counts(3, 0, 0, 7),
      remarks: [{ line: 8, field: "quantity" }],
    });
    // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
    expect(data.errors.map(({ line }: any) => line)).toEqual([2, 3, 4, 5, 6, 7, 9]);
    expect((await productsOf(supplier)).map(({ name }) => name)).toEqual(["A", "F", "G"]);
    for (const wrong of [{}, null, Array.from({ length: 1001 }, () => ({}))]) {
      const refused = await supabaseAs(supplier).rpc("import_products", { lines: wrong });
      expect(refused.status).toBe(422);
    }
    expect((await supabaseAs(customer).rpc("import_products", { lines })).status).toBe(403);
    expect((await supabaseAs(customer).rpc("export_products")).status).toBe(403);
  });
});
