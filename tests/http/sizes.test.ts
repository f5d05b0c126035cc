import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import ws from "ws";
import { query } from "../database.js";
import { getOrder, place, placed } from "../orders/ordering.js";
import { passDeadline } from "../orders/shipping.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAs,
} from "../souk.js";
import { operationOf } from "../tenancy/expected.js";
import { addressOf, operations } from "../tenancy/operations.js";
import {
  checkoutOf,
  makers,
  openTenantRecords,
  type Row,
  type TenantRecords,
} from "../tenancy/tenant-records.js";

// Inputs that are larger than they look. Everything that accepts a number, a text or a list is found in the database's
// catalog and in the OpenAPI document, so new columns and operations are tested automatically.

/** The records for these tests. The tests change many of them. */
let of: TenantRecords;

async function openSizes(): Promise<void> {
  of = await openTenantRecords("sizes");
  const methods = [{ key: "post", name: "Post", price: 4.95 }];
  of.marketplace = await must("PUT", `/api/marketplaces/${of.marketplace.id}`, {
    as: of.people.admin,
    body: { settings: { business: { commission_percent: 10, delivery: { methods } } } },
  });
}

afterAll(() => of?.receiver.close());

/** A placeholder in a body for a number that JavaScript could not write. */
const HERE = "number goes here";

/** Ways to write a number at length. */
const NUMERALS: Record<string, (value: number) => string> = {
  "16,000 zeros": (value) => `${value}${Number.isInteger(value) ? "." : ""}${"0".repeat(16_000)}`,
  "1e-16000": () => "1e-16000",
  "1e16000": () => "1e16000",
};

const NOTATIONS = Object.keys(NUMERALS);

/** Returns the items one after the other, and starts again after the last. */
function inTurn<One>(all: readonly One[]): () => One {
  let next = 0;
  return () => all[next++ % all.length] as One;
}

/** The text of a body in which every placeholder is a number written at length. */
function written(body: unknown, numeral: string): string {
  const marks = new RegExp(`"${HERE} (\\S+)"`, "g");
  return JSON.stringify(body).replaceAll(marks, (_, value) => NUMERALS[numeral]?.(+value) ?? "");
}

const mark = (value: unknown) => `${HERE} ${typeof value === "number" ? value : 5}`;

/** A JSON value with all its numbers marked, and one more wherever it accepts one. */
function marked(value: unknown): unknown {
  if (typeof value === "number") return mark(value);
  if (Array.isArray(value)) return value.length > 0 ? value.map(marked) : [mark(1)];
  if (typeof value !== "object") return value;
  const entries = Object.entries(value ?? {}).map(([key, held]) => [key, marked(held)]);
  return Object.fromEntries(entries);
}

/** Variations of a body: each has a placeholder in one argument or column, or next to its content. */
function variations(body: Row, takes: Column[], names: string[]): Row[] {
  return takes.flatMap(({ name, type }) => {
    if (!/^json/.test(type)) return [{ ...body, [name]: mark(body[name]) }];
    const held = body[name];
    const tried = [marked(held), Array.isArray(held) ? [...held, mark(1)] : null];
    if (!Array.isArray(held)) {
      for (const key of [...names, "zeros"]) tried.push({ ...held, [key]: mark(held?.[key]) });
    }
    return tried.flatMap((each) => (each === null ? [] : [{ ...body, [name]: each }]));
  });
}

interface Column {
  name: string;
  type: string;
}

interface Writable {
  name: string;
  takes: Column[];
  /** For a function: the number of required arguments. */
  required?: number;
}

const NUMBERS =
  "'numeric', 'json', 'jsonb', 'double precision', 'real', 'integer', 'bigint', 'smallint'";
const TEXTS = "'text', 'json', 'jsonb', 'text[]', 'uuid[]', 'character varying'";

/** Tables with the columns of some types that a user may write, and functions with their arguments of these types. */
async function writables(types: string): Promise<{ tables: Writable[]; functions: Writable[] }> {
  const [tables, functions] = await Promise.all([
    query<Writable>(`
      select c.relname as name, jsonb_agg(jsonb_build_object('name', a.attname, 'type', a.atttypid::regtype)) as takes
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
        and a.atttypid::regtype::text in (${types})
        and (
          has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
          or has_column_privilege('authenticated', c.oid, a.attnum, 'update')
        )
      group by c.relname
    `),
    query<Writable>(`
      select p.proname as name, p.pronargs - p.pronargdefaults as required,
        jsonb_agg(jsonb_build_object('name', a.name, 'type', a.type::regtype)) as takes
      from pg_proc p
      cross join lateral unnest(p.proargnames, p.proargtypes::oid[]) with ordinality as a (name, type, position)
      where p.pronamespace = 'public'::regnamespace
        and a.position <= p.pronargs
        and a.type::regtype::text in (${types})
        and has_function_privilege('authenticated', p.oid, 'execute')
        and (p.provolatile = 'v' or ${types !== TEXTS})
        and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      group by p.oid
    `),
  ]);
  return { tables, functions };
}

interface Sent {
  method: string;
  path: string;
  body: Row;
}

/** The body that supabase-js would send for each operation, by the called function. */
async function callsByFunction(): Promise<Map<string, Row>> {
  const caught: Sent[] = [];
  const { url, anon_key } = ownStack;
  const db = createClient(url, anon_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
    global: {
      fetch: async (to, { method, body } = {}) => {
        const { pathname } = new URL(String(to));
        caught.push({
          method: method ?? "GET",
          path: pathname,
          body: JSON.parse(`${body ?? "{}"}`),
        });
        return new Response("null", { headers: { "content-type": "application/json" } });
      },
    },
  });
  for (const { rest } of Object.values(operations)) await rest?.(db, of);
  const { type, id } = of.description;
  const functions = caught.filter(({ path }) => path.startsWith("/rest/v1/rpc/"));
  return new Map([
    ...functions.map(({ path, body }) => [path.split("/").at(-1) as string, body] as const),
    [
      "import_products",
      {
        marketplace_id: of.marketplace.id,
        lines: [
          { external_id: "long", name: of.mark, price: 5, variants: [{ name: "One", price: 6 }] },
        ],
      },
    ],
    ["create_checkout", { request: checkoutOf(of) }],
    ["payout_statement_lines", { payout_id: of.payout.id }],
    ["register_media", { bucket: "uploads", path: of.mark, alt_text: of.mark, tags: [of.mark] }],
    ["content_to_merge", { type, id, version_number: 1 }],
    [
      "merge_content",
      { type, id, from: "new", into: "main", from_version: 1, into_version: 1, document: {} },
    ],
    ["perform_once", { key: "long", operation: "create_product", arguments: newProduct() }],
  ]);
}

function newProduct(): Row {
  const variants = [{ name: "One", price: 6, inventory: { quantity: 3 } }];
  return { name: of.mark, price: 5, marketplace_id: of.marketplace.id, variants };
}

/** Sends a body without supabase-js, which would have to parse its numbers. */
async function send(path: string, method: string, body: string, role = "admin"): Promise<Row> {
  const { url, anon_key } = ownStack;
  const token = of.people[role as keyof typeof of.people].token;
  const response = await fetch(`${url}/rest/v1/${path}`, {
    method,
    headers: {
      apikey: anon_key,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      prefer: "return=representation",
    },
    body,
  });
  return { path, sent: body.slice(0, 400), status: response.status, text: await response.text() };
}

/** PostgREST's answer when a maximum is exceeded. */
const beyond = (cap: string) => ({
  status: 422,
  error: { code: "PT422", message: "LIMIT_REACHED", details: expect.stringContaining(`"${cap}"`) },
});

/** Expects a refusal, or an answer with short numbers. */
function expectShort({ text, ...answer }: Row): void {
  expect(answer.status, `${JSON.stringify(answer)} ${text.slice(0, 400)}`).toBeLessThan(500);
  if (answer.status < 300)
    expect({ ...answer, long: /0{40}/.test(text) }).toEqual({ ...answer, long: false });
}

/** All rows of the tenant, or without a tenant, that contain a number at length. */
async function longNumbersKept(): Promise<string[]> {
  const columns = await query<{ place: string; name: string; type: string; owner: string | null }>(`
    select format('%I.%I', n.nspname, c.relname) as place, quote_ident(a.attname) as name, a.atttypid::regtype as type,
      (
        select quote_ident(o.attname) from pg_attribute o
        where o.attrelid = c.oid and o.attname = case c.relname when 'tenants' then 'id' else 'tenant_id' end
      ) as owner
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition
      and a.atttypid::regtype::text in ('numeric', 'json', 'jsonb', 'text')
  `);
  const parts = columns.map(
    ({ place, name, owner }) =>
      `select '${place}.${name}' as place where exists (
         select from ${place} t where t.${name}::text like '%${"0".repeat(100)}%' ${owner ? `and t.${owner} = $1` : ""}
       )`,
  );
  const found = await query<{ place: string }>(parts.join(" union all "), [of.tenantId]);
  return found.map(({ place }) => place);
}

describe("a number written at length", () => {
  beforeAll(openSizes, 90_000);

  it("is shortened or refused in every table that a user can write", async () => {
    const { tables } = await writables(NUMBERS);
    const numeral = inTurn(NOTATIONS);
    expect(tables.length).toBeGreaterThan(3);
    for (const { name, takes } of tables) {
      const owner = name === "tenants" ? "id" : "tenant_id";
      const [row] = await query<Row>(
        `select to_jsonb(t) as row from public.${name} t where ${owner} = $1 limit 1`,
        [of.tenantId],
      );
      expect({ name, row }).toEqual({ name, row: expect.anything() });
      const held = row?.row as Row;
      const insertable = await query<{ column: string }>(
        `select a.attname as column from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0
         and a.attname <> 'id' and has_column_privilege('authenticated', a.attrelid, a.attnum, 'insert')`,
        [`public.${name}`],
      );
      const fresh = {
        sku: undefined,
        external_id: undefined,
        code: undefined,
        domain: `${Math.random()}.example.com`,
      };
      const whole = Object.fromEntries(
        insertable.map(({ column }) => [
          column,
          column in fresh ? fresh[column as "sku"] : held[column],
        ]),
      );
      for (const body of variations(whole, takes, [])) {
        expectShort(await send(name, "POST", written(body, numeral())));
      }
      for (const [{ name: column }, body] of takes.flatMap((take) =>
        variations(held, [take], []).map((each) => [take, each] as const),
      )) {
        const key = "id" in held ? `id=eq.${held.id}` : `tenant_id=eq.${of.tenantId}`;
        const change = written({ [column]: body[column] }, numeral());
        expectShort(await send(`${name}?${key}`, "PATCH", change));
      }
    }
    expect(await longNumbersKept()).toEqual([]);
  });

  it.each(
    NOTATIONS,
  )("as %s does not become part of an order: it has the product's own price", async (numeral) => {
    const { product } = of;
    const items = [
      { product_id: product.id, variant_id: product.variants[0].id, quantity: 1, price: 5 },
    ];
    const body = {
      marketplace_id: of.marketplace.id,
      customer_id: of.customerId,
      items,
      delivery_method: "post",
      shipping_address: { street: "1", city: "Fez", postal_code: "3" },
    };
    expectShort(await send("rpc/place_order", "POST", written(marked(body), numeral)));
    const { status, text } = await send("rpc/place_order", "POST", JSON.stringify(body));
    expect([status, JSON.parse(text).total_amount]).toEqual([200, 9.95]);
    expect(text.length).toBeLessThan(3500);
  });

  it("is shortened or refused in every body and query of the API", async () => {
    // In JavaScript, 1e-16000 is zero.
    const numeral = inTurn(NOTATIONS.filter((each) => each !== "1e-16000"));
    const { body: document } = await call("GET", "/api/openapi.json");
    let tried = 0;
    // First the operations that need the records unchanged.
    const sorted = Object.entries(operations).toSorted(
      ([, a], [, b]) => Number(Boolean(b.uses)) - Number(Boolean(a.uses)),
    );
    for (const [name, { body, open, uses }] of sorted) {
      const { method, path } = addressOf(name, of);
      const operation =
        document.paths[operationOf(name).split(" ")[1] as string]?.[method.toLowerCase()];
      if (open || method === "DELETE" || path === "/auth/logout") continue;
      const numbers = numbersOf(
        document,
        operation?.requestBody?.content?.["application/json"]?.schema,
      );
      const given = body?.(of);
      if (typeof given === "string") continue;
      for (const at of numbers) {
        if (uses && uses !== "product") of[uses] = await makers[uses](of);
        const sent = written(put(structuredClone(body?.(of) as Row), at), numeral());
        const answer = await call(method, addressOf(name, of).path, {
          as: of.people.admin,
          body: sent,
        });
        expectShort({
          path,
          at,
          sent: sent.slice(0, 300),
          status: answer.status,
          text: JSON.stringify(answer.body),
        });
        tried += 1;
      }
      for (const { name: parameter, schema, in: place } of operation?.parameters ?? []) {
        if (
          place !== "query" ||
          !/number|integer/.test(JSON.stringify(schema.type ?? schema.anyOf ?? ""))
        )
          continue;
        const to = `${path}${path.includes("?") ? "&" : "?"}${parameter}=${NUMERALS[numeral()]?.(1)}`;
        // The HTTP server itself refuses a URL that is too long.
        const answer = await call(method, to, { as: of.people.admin, body: given }).catch(
          () => null,
        );
        if (answer)
          expectShort({
            path: parameter,
            status: answer.status,
            text: JSON.stringify(answer.body),
          });
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(30);
    expect(await longNumbersKept()).toEqual([]);
  });

  it("is shortened or refused by every function that a user can call", async () => {
    const [{ functions }, calls, numeric] = await Promise.all([
      writables(NUMBERS),
      callsByFunction(),
      query<Column>(`
        select distinct a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and a.atttypid = 'numeric'::regtype
      `),
    ]);
    expect(functions.length).toBeGreaterThan(15);
    const numeral = inTurn(NOTATIONS);
    for (const { name, takes, required } of functions) {
      // A function without an operation can be tested if it needs no argument.
      const body = calls.get(name) ?? (required === 0 ? {} : undefined);
      expect({ name, body }).toEqual({ name, body: expect.anything() });
      const names = takes.some(({ name }) => name === "changes")
        ? numeric.map((each) => each.name)
        : [];
      for (const each of variations(body as Row, takes, names)) {
        const answer = await send(
          `rpc/${name}`,
          "POST",
          written({ ...each, ...(each.key ? { key: crypto.randomUUID() } : {}) }, numeral()),
        );
        expectShort(answer);
      }
    }
    expect(await longNumbersKept()).toEqual([]);
  });
});

const LONG = "x".repeat(150_000);

/** Variations of a body: a text of 150 kB, or a list of that size, wherever one is accepted. */
function lengthened(body: Row, { name, type }: Column): Row[] {
  const held = body[name];
  const wide = Array.from({ length: 60_000 }, () => "a");
  if (type.endsWith("[]"))
    return [[...(held ?? []), LONG], wide].map((each) => ({ ...body, [name]: each }));
  if (!/^json/.test(type)) return [{ ...body, [name]: LONG }];
  const longer = Array.isArray(held)
    ? [[...held, LONG], wide]
    : [
        { ...held, long: LONG },
        { ...held, wide },
      ];
  return [...longer, LONG].map((each) => ({ ...body, [name]: each }));
}

/** Places where the tenant has more data than all maximums allow. */
async function longTextsKept(): Promise<string[]> {
  const columns = await query<{ place: string; name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as place, quote_ident(a.attname) as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_attribute o on o.attrelid = c.oid and o.attname = 'tenant_id'
    where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition
      and a.atttypid::regtype::text in (${TEXTS})
  `);
  const parts = columns.map(
    ({ place, name }) =>
      `select '${place}.${name}' as place where exists (
         select from ${place} t where octet_length(t.${name}::text) > 110000 and t.tenant_id = $1
       )`,
  );
  const found = await query<{ place: string }>(parts.join(" union all "), [of.tenantId]);
  return found.map(({ place }) => place);
}

describe("a text of 150 kB", () => {
  beforeAll(openSizes, 90_000);

  it("is stored by no table that a user can write", async () => {
    const { tables } = await writables(TEXTS);
    expect(tables.length).toBeGreaterThan(5);
    for (const { name, takes } of tables) {
      const owner = name === "tenants" ? "id" : "tenant_id";
      const rows = `select to_jsonb(t) as row from public.${name} t where ${owner} = $1 limit 1`;
      const [row] = await query<Row>(rows, [of.tenantId]);
      const held = row?.row as Row;
      for (const take of takes) {
        for (const body of lengthened(held, take)) {
          const answers = [
            await send(name, "POST", JSON.stringify({ ...body, id: undefined })),
            await send(
              `${name}?${owner}=eq.${of.tenantId}`,
              "PATCH",
              JSON.stringify({ [take.name]: body[take.name] }),
            ),
          ];
          for (const { path, status, text } of answers) {
            expect(status, `${path} ${take.name}: ${text.slice(0, 300)}`).toBeLessThan(500);
          }
        }
      }
    }
    expect(await longTextsKept()).toEqual([]);
  });

  it("is stored by no function that a user can call", async () => {
    const [{ functions }, calls] = await Promise.all([writables(TEXTS), callsByFunction()]);
    for (const { name, takes, required } of functions) {
      const body = calls.get(name) ?? (required === 0 ? {} : undefined);
      expect({ name, body }).toEqual({ name, body: expect.anything() });
      for (const take of takes) {
        for (const longer of lengthened(body as Row, take)) {
          const { status, text } = await send(`rpc/${name}`, "POST", JSON.stringify(longer));
          expect(status, `${name} ${take.name}: ${text.slice(0, 300)}`).toBeLessThan(500);
        }
      }
    }
    expect(await longTextsKept()).toEqual([]);
  });

  it("is not a region", async () => {
    const { category, people } = of;
    for (const [name, args] of [
      ["list_products", {}],
      ["list_placement_slots", { category_id: category.id }],
      ["top_sales", {}],
    ] as const) {
      const db = supabaseAs(people.admin);
      expect((await db.rpc(name, { ...args, region: "x".repeat(64) })).error).toBeNull();
      const { error } = await db.rpc(name, { ...args, region: "x".repeat(65) });
      expect({ name, ...error }).toMatchObject({ name, message: "VALIDATION_ERROR" });
    }
  });
});

describe("a record", () => {
  const WIDE = "\u{1F9FF}";
  const wide = (length: number) => WIDE.repeat(length);

  it("of a product is at most a megabyte, with everything that can be added to it", async () => {
    const { supplier, marketplace } = await openTestTenant();
    const db = supabaseAs(supplier);
    const images = Array.from({ length: 100 }, (_, i) => ({
      url: `https://example.com/${i}`,
      alt: wide(500),
    }));
    const attributes = Array.from({ length: 100 }, (_, i) => ({
      name: `a${i}`,
      value: wide(2000),
    }));
    const fields = {
      name: "Rug",
      price: 5,
      marketplace_id: marketplace.id,
      description: wide(50_000),
    };
    expect(await db.from("products").insert({ ...fields, images, attributes })).toMatchObject(
      beyond("record_bytes"),
    );
    const { id } = await listProduct(supplier, { images });
    await db
      .from("products")
      .update({ attributes: attributes.slice(0, 50) })
      .eq("id", id)
      .throwOnError();
    expect(
      await db
        .from("products")
        .update({ attributes, description: wide(50_000) })
        .eq("id", id),
    ).toMatchObject(beyond("record_bytes"));
    const variants = Array.from({ length: 200 }, (_, i) => ({ product_id: id, name: `v${i}` }));
    await db.from("product_variants").insert(variants).throwOnError();
    expect(
      await db.from("product_variants").insert({ product_id: id, name: "one more" }),
    ).toMatchObject({
      status: 422,
      error: { message: "VALIDATION_ERROR", details: expect.stringContaining('"variants"') },
    });
    // The rest of the maximum is for the variants.
    const most = attributes.slice(0, 68);
    await db
      .from("products")
      .update({ attributes: most, description: wide(40_000) })
      .eq("id", id)
      .throwOnError();
    const listed = await db
      .from("product_variants")
      .select("id")
      .eq("product_id", id)
      .throwOnError();
    const widened = listed.data?.map((variant, i) => ({ ...variant, name: wide(196) + i }));
    expect(
      await db.rpc("update_product", { product_id: id, changes: { variants: widened } }),
    ).toMatchObject(beyond("record_bytes"));
  });

  it("of an order has notes of at most a quarter of that", async () => {
    const { supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const note = () =>
      call("POST", `/api/orders/${order.id}/notes`, { as: customer, body: { text: wide(5000) } });
    for (let i = 0; i < 13; i += 1) expect((await note()).status).toBe(201);
    expectRefusal(await note(), 422, "LIMIT_REACHED", { field: "text", cap: "record_bytes" });
  });

  it("of a marketplace, a category and a calendar has space for a manual configuration", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const db = supabaseAs(operator);
    const tags = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`t${i}`, wide(1000)]));
    const settings = {
      branding: { custom_css: wide(50_000) },
      seo: { meta_tags: tags, og_tags: tags },
    };
    expect(
      await db.from("marketplaces").update({ settings }).eq("id", marketplace.id),
    ).toMatchObject(beyond("record_bytes"));
    const options = Array.from({ length: 500 }, (_, i) => `${i} ${"x".repeat(190)}`);
    const attributes = Array.from({ length: 10 }, (_, i) => ({
      name: `a${i}`,
      type: "select",
      options,
    }));
    expect(await db.from("categories").insert({ name: "Rugs", attributes })).toMatchObject(
      beyond("record_bytes"),
    );
    const service = await listProduct(supplier, {
      kind: "service",
      inventory: { quantity: 0 },
    });
    const hours = Array.from({ length: 30 }, (_, i) => ({
      opens: `10:${i + 10}:00`,
      closes: `10:${i + 10}:30`,
    }));
    const exceptions = Array.from({ length: 1000 }, (_, i) => ({
      date: new Date(Date.UTC(2027, 0, i)).toISOString().slice(0, 10),
      hours,
    }));
    const calendar = { product_id: service.id, time_zone: "UTC", duration_minutes: 30, exceptions };
    expect(await db.rpc("set_service_calendar", calendar)).toMatchObject(beyond("record_bytes"));
  });
});

describe("an answer with many records", () => {
  it("has a maximum size for embeds and lists, and tells the caller to ask for less", async () => {
    const { supplier, customer, marketplace } = await openTestTenant();
    const db = supabaseAs(supplier);
    const attributes = Array.from({ length: 100 }, (_, i) => ({
      name: `a${i}`,
      value: "\u{1F9FF}".repeat(2000),
    }));
    const row = { name: "Rug", price: 5, marketplace_id: marketplace.id, attributes };
    const rows = Array.from({ length: 11 }, () => row);
    await db.from("products").insert(rows).throwOnError();
    const embed = (limit: number) =>
      db
        .from("marketplaces")
        .select("id, products(id, attributes)")
        .limit(limit, { referencedTable: "products" });
    expect(await embed(11)).toMatchObject(beyond("embed_bytes"));
    expect((await embed(5)).data?.[0]?.products).toHaveLength(5);
    const list = (limit: number) => call("GET", `/api/products?limit=${limit}`, { as: customer });
    // Simulates one that is forty times as large.
    await query(
      `update private.product_openings set opening = rpad(opening, 32000000)
       where product_id = (select id from public.products where tenant_id = $1 limit 1)`,
      [supplier.tenantId],
    );
    expectRefusal(await list(11), 422, "LIMIT_REACHED", { field: "limit", cap: "list_bytes" });
    await query(
      "select private.write_openings(array(select id from public.products where tenant_id = $1))",
      [supplier.tenantId],
    );
    expect((await list(3)).body.products).toHaveLength(3);
  });
});

describe("the events of a minute", () => {
  /** Simulates this many events by other connections of the tenant, in this minute and the next. */
  const suppose = (tenantId: string, events: number) =>
    query(
      `insert into private.event_counts (tenant_id, backend, minute, events)
       select $1, -m, date_trunc('minute', now()) + m * interval '1 minute', $2 from generate_series(0, 1) as m
       on conflict (tenant_id, backend) do update set events = excluded.events`,
      [tenantId, events],
    );
  const eventsOf = async ({ tenantId }: Person) => {
    const rows = await query("select name from public.events where tenant_id = $1", [tenantId]);
    return rows.length;
  };

  it("have a maximum: a statement that would write more is refused completely", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const lines = Array.from({ length: 20 }, (_, i) => ({
      external_id: `rug-${i}`,
      name: "Rug",
      price: 5,
    }));
    const supply = supabaseAs(supplier);
    const list = (of: object[]) =>
      supply.rpc("import_products", { lines: of, marketplace_id: marketplace.id }).throwOnError();
    await list(lines);
    await suppose(operator.tenantId, 4990);
    const before = await eventsOf(operator);
    const all = supply.from("products").update({ name: "Carpet" }).like("external_id", "rug-%");
    expect(await all).toMatchObject(beyond("events_per_minute"));
    expect(await eventsOf(operator)).toBe(before);
    const { data } = await supply.from("products").select("name").throwOnError();
    expect(new Set(data?.map(({ name }) => name))).toEqual(new Set(["Rug"]));
    // A large event counts by its size: three products of 300 kB are a hundred.
    const attributes = Array.from({ length: 150 }, (_, i) => ({
      name: `a${i}`,
      value: "x".repeat(2000),
    }));
    const three = ["rug-2", "rug-3", "rug-4"];
    const large = supply.from("products").update({ attributes }).in("external_id", three);
    expect(await large).toMatchObject(beyond("events_per_minute"));
    // A few more are accepted, and imports are never refused.
    await supply
      .from("products")
      .update({ name: "Kilim" })
      .eq("external_id", "rug-1")
      .throwOnError();
    await suppose(operator.tenantId, 5000);
    const product = await must("GET", "/api/products", { as: supplier });
    const change = { name: "Runner" };
    const path = `/api/products/${product.products[0].id}`;
    expectRefusal(await call("PUT", path, { as: supplier, body: change }), 422, "LIMIT_REACHED", {
      cap: "events_per_minute",
      maximum: 5000,
    });
    const changed = lines.map((line) => ({ ...line, name: "Mat" }));
    expect((await list(changed)).data).toMatchObject({ updated: 20, failed: 0 });
    // Other tenants are not affected.
    const neighbour = await register({ tenant_name: "Next door" });
    await must("PATCH", "/api/tenant", { as: neighbour, body: { name: "Still next door" } });
  });

  it("do not stop jobs", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const order = await placed(customer, product);
    await suppose(operator.tenantId, 5000);
    expectRefusal(await place(customer, orderFor(product)), 422, "LIMIT_REACHED", {
      cap: "events_per_minute",
      maximum: 5000,
    });
    await passDeadline(order);
    expect((await getOrder(customer, order)).status).toBe("cancelled");
  });
});

describe("the products of a supplier", () => {
  /** Simulates a count of this many products. */
  const suppose = (supplierId: string, products: number) =>
    query(
      `insert into private.product_counts (tenant_id, supplier_id, products, counted_at, when_all_were_counted)
       select s.tenant_id, s.id, $2, now(), $2 from public.suppliers s where s.id = $1
       on conflict (tenant_id, supplier_id) do update set products = excluded.products, counted_at = now(), when_all_were_counted = $2`,
      [supplierId, products],
    );

  it("have a maximum in every interface, and are counted again before one is refused", async () => {
    const { supplier } = await openTestTenant();
    const { supplier_id } = await listProduct(supplier);
    await suppose(supplier_id, 99_999);
    await listProduct(supplier);
    // There are two, and the count finds that this one is the third.
    await listProduct(supplier);
    const [counted] = await query(
      "select products from private.product_counts where supplier_id = $1",
      [supplier_id],
    );
    expect(counted).toEqual({ products: "2" });
  });

  it("are refused above the maximum, one by one and in bulk", async () => {
    const { supplier, marketplace } = await openTestTenant();
    const { id, supplier_id } = await listProduct(supplier);
    const claims = { sub: supplier.id, tenant_id: supplier.tenantId, role: "authenticated" };
    /** Runs statements of a supplier with a maximum of three, and rolls them back. */
    const among = (...sent: string[]) =>
      query(`
        begin;
        update private.caps set value = 3 where name = 'products_per_supplier';
        select set_config('request.jwt.claims', '${JSON.stringify(claims)}', true);
        set local role authenticated;
        ${sent.join("; ")};
        rollback`);
    const insert = (products: number) =>
      `insert into public.products (name, price, marketplace_id, supplier_id)
       select 'Rug', 5, '${marketplace.id}', '${supplier_id}' from generate_series(1, ${products})`;
    await among(insert(1), insert(1));
    await expect(among(insert(3))).rejects.toThrow("LIMIT_REACHED");
    await expect(among(insert(1), insert(1), insert(1))).rejects.toThrow("LIMIT_REACHED");
    const lines = [1, 2, 3].map((i) => ({ external_id: `rug-${i}`, name: "Rug", price: 5 }));
    await among(`
      do $$
      begin
        if public.import_products('${JSON.stringify(lines)}') ->> 'imported' <> '2' then
          raise 'otherwise';
        end if;
      end
      $$`);
    // Discontinued products do not count.
    const gone = `update public.products set status = 'discontinued' where id = '${id}'`;
    await among(gone, insert(3));
    await expect(among(gone, insert(4))).rejects.toThrow("LIMIT_REACHED");
  });
});

/** The paths of all numbers in a schema: `["items", 0, "price"]`. */
function numbersOf(document: Row, schema: Row | undefined, depth = 0): (string | number)[][] {
  if (!schema || depth > 8) return [];
  if (schema.$ref) {
    const [, , , name] = schema.$ref.split("/");
    return numbersOf(document, document.components.schemas[name], depth + 1);
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const types = [schema.type].flat();
  return [
    ...(types.includes("number") || types.includes("integer") ? [[]] : []),
    ...parts.flatMap((part: Row) => numbersOf(document, part, depth + 1)),
    ...Object.entries<Row>(schema.properties ?? {}).flatMap(([name, of]) =>
      numbersOf(document, of, depth + 1).map((path) => [name, ...path]),
    ),
    ...numbersOf(document, schema.items, depth + 1).map((path) => [0, ...path]),
  ];
}

/** A body with a placeholder at a path. Missing objects on the path are created. */
function put(body: Row, [step, ...rest]: (string | number)[]): unknown {
  if (step === undefined) return mark(body);
  const held = body ?? (typeof step === "number" ? [] : {});
  held[step] = put(held[step], rest);
  return held;
}
