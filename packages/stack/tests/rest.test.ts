import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { openShop, type Shop } from "./rest-shop.js";
import { oneServer } from "./servers.js";

describe.each(oneServer)("reading through REST on %s", (server) => {
  let shop: Shop;
  let anon: SupabaseClient;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await shop.ask(path, { headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  const rows = async (path: string) => {
    const { status, body } = await get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const ids = async (query: string) => {
    const list = (await rows(`/products?select=id&order=id&${query}`)) as { id: number }[];
    return list.map(({ id }) => id);
  };

  beforeAll(async () => {
    shop = await openShop(server);
    anon = await shop.client(null);
  });
  afterAll(() => shop?.close());

  test("columns, aliases, casts and JSON paths", async () => {
    expect(
      await rows(
        "/products?id=eq.1&select=name,cost:price::text,attributes->size->>cm,first:attributes->colours->0",
      ),
    ).toEqual([{ name: "Lamp", cost: "3", cm: "30", first: "red" }]);
    expect(await rows("/products?id=eq.1&select=label,tags->0")).toEqual([
      { label: "Lamp (7)", tags: "light" },
    ]);
  });

  test.each([
    ["id=eq.2", [2]],
    ["id=neq.2", [1, 3, 4]],
    ["id=not.eq.2", [1, 3, 4]],
    ["price=gt.3&price=lte.50", [2, 3]],
    ["name=like.*a*", [1, 2, 3, 4]],
    ["name=ilike.l*", [1]],
    ["name=match.^[LT]", [1, 3]],
    ["name=imatch.^l", [1]],
    ["id=in.(1,3,99)", [1, 3]],
    ["id=not.in.(1,3)", [2, 4]],
    ["id=in.()", []],
    ['name=in.("Rock, \\"hard\\"",Lamp)', [1, 4]],
    ["supplier_id=is.null", [4]],
    ["supplier_id=not.is.null", [1, 2, 3]],
    ["supplier_id=is.not_null", [1, 2, 3]],
    ["visible=is.true", [1, 2, 3, 4]],
    ["visible=eq.false", []],
    ["supplier_id=isdistinct.1", [3, 4]],
    ["tags=cs.{home}", [1, 2]],
    ["tags=cd.{home,light,x}", [1, 2, 3]],
    ["tags=ov.{light,stone}", [1, 4]],
    ['attributes=cs.{"size":{"cm":90}}', [2]],
    ["season=sl.[5,6)", [1]],
    ["season=sr.[4,9)", [3]],
    ["season=nxl.[4,9)", [2, 3]],
    ["season=nxr.[4,9)", [1, 2]],
    ["season=adj.[5,10)", [1, 3]],
    ["season=ov.[4,5)", [1, 2]],
    ["words=fts.lamp", [1]],
    ["words=plfts(simple).big table", [3]],
    ["words=wfts.lamp or chair", [1, 2]],
    ["words=phfts.soft chair", [2]],
    ["name=fts(english).chairs", [2]],
    ["name=like(any).{L*,C*}", [1, 2]],
    ["name=like(all).{*a*,*b*}", [3]],
    ["id=eq(any).{1,4}", [1, 4]],
    ["id=gt(all).{1,2}", [3, 4]],
    ["quality=eq.good", [1, 2, 3, 4]],
    ["attributes->size->>cm=eq.30", [1]],
    ["attributes->size->cm=gt.30", [2]],
    ["or=(id.eq.1,name.eq.Chair)", [1, 2]],
    ["or=(id.in.(1,2),and(price.gt.40,tags.eq.{}))", [1, 2, 3]],
    ["not.or=(id.eq.1,id.eq.2)", [3, 4]],
    ["and=(id.gt.1,not.or(id.eq.3,id.eq.4))", [2]],
    ['or=(name.eq."Rock, \\"hard\\"",tags.cs.{light,home})', [1, 4]],
    ["label=eq.Lamp (7)", [1]],
  ])("the filter %s", async (query, expected) => {
    expect(await ids(query.split("&").map(escapeValue).join("&"))).toEqual(expected);
  });

  test("order, by JSON path, nulls and a related column", async () => {
    const order = async (by: string, select = "id") =>
      ((await rows(`/products?select=${select}&order=${by}`)) as { id: number }[]).map((r) => r.id);
    expect(await order("price.desc")).toEqual([3, 2, 1, 4]);
    expect(await order("supplier_id.desc.nullslast,id.asc")).toEqual([3, 1, 2, 4]);
    expect(await order("attributes->size->cm.desc.nullslast,id")).toEqual([2, 1, 3, 4]);
    expect(await order("suppliers(name).desc.nullslast,id.desc", "id,suppliers()")).toEqual([
      3, 2, 1, 4,
    ]);
    const { status, body } = await get("/suppliers?select=id,products(id)&order=products(id)");
    expect([status, body.code]).toEqual([400, "PGRST118"]);
  });

  test("embeds to one, to many and through a junction", async () => {
    const { data } = await anon
      .from("products")
      .select("name, suppliers(name), categories(name)")
      .order("name", { referencedTable: "categories" })
      .in("id", [1, 4])
      .order("id");
    expect(data).toEqual([
      {
        name: "Lamp",
        suppliers: { name: "North" },
        categories: [{ name: "Furniture" }, { name: "Lighting" }],
      },
      { name: 'Rock, "hard"', suppliers: null, categories: [] },
    ]);
    expect(
      await rows(
        "/suppliers?select=name,products(name,categories(name))&id=eq.1&products.name=eq.Lamp&products.categories.limit=1&products.categories.order=name.desc",
      ),
    ).toEqual([
      { name: "North", products: [{ name: "Lamp", categories: [{ name: "Lighting" }] }] },
    ]);
    expect(await rows("/people?select=name,passports(code)&order=id&limit=2")).toEqual([
      { name: "Ada", passports: { code: "P-1" } },
      { name: "Bo", passports: null },
    ]);
  });

  test("inner embeds, empty embeds and conditions on an embed's presence", async () => {
    const named = async (query: string) =>
      ((await rows(`/suppliers?${query}&order=id`)) as { name: string }[]).map((r) => r.name);
    expect(await named("select=name,products!inner(name)&products.price=gt.30")).toEqual(["South"]);
    expect(await named("select=name,products()&products=is.null")).toEqual(["East"]);
    expect(await named("select=name,products()&products=not.is.null")).toEqual(["North", "South"]);
    expect(await rows("/suppliers?select=name,products()&id=eq.1")).toEqual([{ name: "North" }]);
    const { headers } = await get("/suppliers?select=name,products!inner(id)&limit=1", {
      Prefer: "count=exact",
    });
    expect(headers.get("content-range")).toBe("0-0/2");
  });

  test("hints, self references, computed relationships and foreign keys as names", async () => {
    const ambiguous = await get("/deals?select=people(name)");
    expect(ambiguous.status).toBe(300);
    expect(ambiguous.body.code).toBe("PGRST201");
    expect(ambiguous.body.details).toHaveLength(2);
    expect(
      await rows("/deals?select=people!deals_buyer_fkey(name),who:people!seller(name)"),
    ).toEqual([{ people: { name: "Bo" }, who: { name: "Cy" } }]);
    expect(await rows("/deals?select=buyer(name),deals_seller_fkey(name)")).toEqual([
      { buyer: { name: "Bo" }, deals_seller_fkey: { name: "Cy" } },
    ]);
    expect(await rows("/people?select=name,staff:people(name),boss_id(name)&id=eq.1")).toEqual([
      { name: "Ada", staff: [{ name: "Bo" }, { name: "Cy" }], boss_id: null },
    ]);
    expect(await rows("/suppliers?select=name,rivals(name)&id=eq.1")).toEqual([
      { name: "North", rivals: [{ name: "East" }] },
    ]);
  });

  test("spreads, to one and to many", async () => {
    expect(
      await rows("/products?select=name,...suppliers(maker:name)&id=in.(1,4)&order=id"),
    ).toEqual([
      { name: "Lamp", maker: "North" },
      { name: 'Rock, "hard"', maker: null },
    ]);
    expect(
      await rows("/suppliers?select=name,...products(items:name)&id=eq.1&products.order=name"),
    ).toEqual([{ name: "North", items: ["Chair", "Lamp"] }]);
  });

  test("views and composite keys lead to relationships too", async () => {
    expect(
      await rows("/cheap_products?select=name,suppliers(name),categories(name)&product_id=eq.1"),
    ).toEqual([
      {
        name: "Lamp",
        suppliers: { name: "North" },
        categories: expect.arrayContaining([{ name: "Lighting" }]),
      },
    ]);
    const tenant = await shop.client({ role: "authenticated", tenant: "a" });
    const { data } = await tenant.from("notes").select("body, comments(body)");
    expect(data).toEqual([{ body: "of a", comments: [{ body: "on a" }] }]);
  });

  test("counts, ranges and the statuses that go with them", async () => {
    const range = async (query: string, headers: Record<string, string>) => {
      const answer = await get(`/products?select=id&order=id${query}`, headers);
      return [answer.status, answer.headers.get("content-range")];
    };
    const exact = { Prefer: "count=exact" };
    expect(await range("", {})).toEqual([200, "0-3/*"]);
    expect(await range("", exact)).toEqual([200, "0-3/4"]);
    expect(await range("&limit=2&offset=1", exact)).toEqual([206, "1-2/4"]);
    expect((await get("/products?offset=9", exact)).body).toMatchObject({
      code: "PGRST103",
      details: "An offset of 9 was requested, but there are only 4 rows.",
    });
    expect(await range("", { ...exact, Range: "2-9" })).toEqual([206, "2-3/4"]);
    expect(await range("&limit=0", exact)).toEqual([206, "*/4"]);
    expect(await range("&offset=9", exact)).toEqual([416, "*/4"]);
    expect(await range("&id=eq.77", exact)).toEqual([200, "*/0"]);
    expect((await get("/products?limit=-1")).body.code).toBe("PGRST103");
    expect(await range("", { Range: "5-2" })).toEqual([416, null]);
    expect((await range("", { Prefer: "count=planned" }))[1]).toMatch(/^0-3\/\d+$/);
    expect((await range("", { Prefer: "count=estimated" }))[1]).toBe("0-3/4");
    const { count, data } = await anon.from("products").select("*", { count: "exact", head: true });
    expect([count, data]).toEqual([4, null]);
  });

  test("a single object is returned, and several rows or none are refused", async () => {
    expect((await anon.from("products").select("name").eq("id", 1).single()).data).toEqual({
      name: "Lamp",
    });
    const several = await anon.from("products").select("name").single();
    expect(several.status).toBe(406);
    expect(several.error).toMatchObject({
      code: "PGRST116",
      details: "The result contains 4 rows",
      message: "Cannot coerce the result to a single JSON object",
    });
    expect(await anon.from("products").select().eq("id", 77).maybeSingle()).toMatchObject({
      data: null,
      error: null,
    });
  });

  test("nulls are stripped and CSV is written on request", async () => {
    const stripped = await get("/products?select=id,supplier_id&id=eq.4", {
      Accept: "application/vnd.pgrst.array+json;nulls=stripped",
    });
    expect(stripped.body).toEqual([{ id: 4 }]);
    const { data } = await anon.from("products").select("id,name").order("id").limit(2).csv();
    expect(data).toBe("id,name\n1,Lamp\n2,Chair");
    expect((await get("/products", { Accept: "image/png" })).body.code).toBe("PGRST107");
  });

  test("a profile chooses the schema", async () => {
    const depot = await shop.client(null, "depot");
    expect((await depot.from("boxes").select()).data).toEqual([{ id: 1, label: "crate" }]);
    const response = await get("/boxes", { "Accept-Profile": "vault" });
    expect([response.status, response.body]).toEqual([
      406,
      {
        code: "PGRST106",
        details: null,
        hint: "Only the following schemas are exposed: public, depot",
        message: "Invalid schema: vault",
      },
    ]);
  });

  test("unknown names are refused, with a similar name as the hint", async () => {
    expect(await get("/produts")).toMatchObject({
      status: 404,
      body: {
        code: "PGRST205",
        message: "Could not find the table 'public.produts' in the schema cache",
        hint: "Perhaps you meant the table 'public.products'",
      },
    });
    expect(await get("/products?select=supplierz(name)")).toMatchObject({
      status: 400,
      body: { code: "PGRST200", hint: "Perhaps you meant 'suppliers' instead of 'supplierz'." },
    });
    expect(await get("/products?select=nope")).toMatchObject({
      status: 400,
      body: { code: "42703", message: "column products.nope does not exist" },
    });
    expect(await get("/products?id=nope.1")).toMatchObject({
      status: 400,
      body: {
        code: "PGRST100",
        message: '"failed to parse filter (nope.1)" (line 1, column 1)',
        details: 'unexpected "n" expecting "not" or operator (eq, gt, ...)',
      },
    });
    expect((await get("/prodxxts")).body.hint).toBe(
      "Perhaps you meant the table 'public.products'",
    );
    expect((await get("/prxxxxxx")).body.hint).toBeNull();
    expect((await get("/products?suppliers.name=eq.x")).body.code).toBe("PGRST108");
    expect((await get("/products?id=eq.x")).body.code).toBe("22P02");
    expect((await get("/a/b/c")).body.code).toBe("PGRST125");
    expect((await get("/products?select=count()")).body.code).toBe("PGRST123");
  });

  test("a syntax error is reported with its position", async () => {
    for (const [query, column, details] of [
      ["order=id.asc.nullslasttt", 17, "unexpected 't' expecting \",\" or end of input"],
      ["order=id.ac", 4, 'unexpected "a" expecting "asc", "desc", "nullsfirst" or "nullslast"'],
      [
        "or=()",
        4,
        'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
      ],
      ["select=attributes->>--1", 15, 'unexpected "-" expecting digit'],
      ["select=id[]", 3, /^unexpected '\[' expecting letter/],
      ["id=is.nil", 4, /isVal/],
    ] as const) {
      const { status, body } = await get(`/products?${query}`);
      expect([status, body.code]).toEqual([400, "PGRST100"]);
      expect(body.message).toContain(`(line 1, column ${column})`);
      if (typeof details === "string") expect(body.details).toBe(details);
      else expect(body.details).toMatch(details);
    }
  });

  test("input that PostgREST ignores is ignored", async () => {
    for (const query of [
      "select=id,suppliers(name)'&id=eq.1",
      "and=(id.eq.1,id.lt.5))&select=id",
      "id=is.nullable&select=id&or=(id.eq.1)",
      "id=in.(1)x&select=id",
      "select=id&id=eq.1&name&limit",
      "select=id&id=eq.1&name=neq.100%25%zz",
      "select=id&id=lt.3&limit=1&limit=x&order=id.asc&order=id.desc",
    ]) {
      const { status, body } = await get(`/products?${query}`);
      expect([status, body.length <= 1], `${query} ${JSON.stringify(body)}`).toEqual([200, true]);
    }
    // A number before a parenthesis is a key.
    expect(await rows("/suppliers?select=products(tags->0)&id=eq.2")).toEqual([
      { products: [{ "0": null }] },
    ]);
  });

  test("an embed can be addressed by its alias and by its name", async () => {
    const embedded = (name: string) =>
      rows(
        `/suppliers?select=goods:products(name)&id=eq.1&${name}.order=name&${name}.limit=1&${name}.name=neq.Lamp`,
      );
    expect(await embedded("products")).toEqual([{ goods: [{ name: "Chair" }] }]);
    expect(await embedded("goods")).toEqual([{ goods: [{ name: "Chair" }] }]);
  });

  test("the best of the accepted and available types is chosen", async () => {
    const type = async (path: string, accept: string) => {
      const response = await shop.ask(path, { headers: { Accept: accept } });
      return response.status === 200 ? response.headers.get("content-type") : response.status;
    };
    const csv = "text/csv; charset=utf-8";
    expect(await type("/categories", "*/*, text/csv")).toBe(csv);
    expect(await type("/categories", "application/json;q=0.5, text/csv;q=0.9")).toBe(csv);
    expect(await type("/categories", "application/*")).toBe(406);
    expect(await type("/", "application/json")).toBe(404);
  });

  test("answers contain their location", async () => {
    const response = await get("/categories?select=name&order=id&id=in.(1,2)");
    expect(response.headers.get("content-location")).toBe(
      "/categories?id=in.%281%2C2%29&order=id&select=name",
    );
    expect((await get("/nowhere")).headers.get("proxy-status")).toBe("PostgREST; error=PGRST205");
    expect((await get("/products?id=eq.x")).headers.get("proxy-status")).toBe(
      "PostgREST; error=22P02",
    );
  });

  test("a function's search vector is searched without another conversion", async () => {
    await shop.db.execute(
      `create function public.searchable(public.products) returns tsvector language sql immutable
       as $$ select coalesce($1.words, '') $$`,
    );
    await expect
      .poll(async () => (await get("/products?searchable=fts.lamp&select=id")).status)
      .toBe(200);
    expect(await ids("searchable=fts.lamp")).toEqual([1]);
    expect((await get("/rpc/cheapest?most=9&words=fts.lamp&select=id")).body).toEqual([{ id: 1 }]);
    expect((await get("/products?select=name->>a->b")).body).toMatchObject({
      code: "42883",
      message: "operator does not exist: text -> unknown",
    });
  });

  test("new tables are found immediately, and dropped ones are gone", async () => {
    await shop.db.execute(
      "create table public.later (id int); insert into public.later values (5)",
    );
    expect(await rows("/later")).toEqual([{ id: 5 }]);
    await shop.db.execute("alter table public.later add column note json");
    await eventually(async () => expect((await get("/later?select=note->a")).status).toBe(200));
    for (const [type, value] of [
      ["text", "5"],
      ["date", "2026-01-01"],
      ["int[]", "{1}"],
    ] as const) {
      const asked = () => get(`/later?id=eq.${value}`);
      for (let i = 0; i < 3; i++) await asked();
      await shop.db.execute(`alter table public.later alter column id type ${type} using null`);
      await eventually(async () => expect((await asked()).status).toBe(200));
    }
    await shop.db.execute("drop table public.later");
    expect((await get("/later")).status).toBe(404);
  });
});

describe.each(oneServer)("options of authenticator on %s", (server) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop(
      server,
      `do $$ begin
        execute format('alter role authenticator in database %I set pgrst.db_aggregates_enabled = ''true''', current_database());
        execute format('alter role authenticator in database %I set pgrst.db_tx_end = ''commit-allow-override''', current_database());
        execute format('alter role authenticator in database %I set pgrst.db_pre_request = ''public.gate''', current_database());
      end $$;
      create function public.gate() returns void language plpgsql as $$
      begin
        if current_setting('request.headers')::json ->> 'x-blocked' is not null then
          raise sqlstate 'PT403' using message = 'blocked';
        end if;
      end $$;`,
      { port: 0, schemas: ["public"], extra_search_path: ["extensions"], max_rows: 2 },
    );
  });
  afterAll(() => shop?.close());
  const json = async (path: string, init?: RequestInit) => (await shop.ask(path, init)).json();

  test("aggregates, grouped, in embeds and in spreads", async () => {
    expect(
      await json("/products?select=supplier_id,price.sum(),n:id.count()&order=supplier_id"),
    ).toEqual([
      { supplier_id: 1, sum: 23, n: 2 },
      { supplier_id: 2, sum: 50, n: 1 },
    ]);
    expect(await json("/products?select=count()")).toEqual([{ count: 4 }]);
    expect(await json("/suppliers?select=name,products(price.max()::int)&id=eq.1")).toEqual([
      { name: "North", products: [{ max: 20 }] },
    ]);
    expect(
      await json(
        "/products?select=...suppliers(city,id.count())&order=suppliers(city)&supplier_id=not.is.null",
      ),
    ).toEqual([
      { city: "Oslo", count: 2 },
      { city: "Rome", count: 1 },
    ]);
  });

  test("tx=rollback rolls the change back", async () => {
    const response = await shop.ask("/categories", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Prefer: "tx=rollback, return=representation",
      },
      body: JSON.stringify({ id: 50, name: "Gone" }),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("preference-applied")).toBe("return=representation, tx=rollback");
    expect(await response.json()).toEqual([{ id: 50, name: "Gone" }]);
    expect(await json("/categories?id=eq.50")).toEqual([]);
  });

  test("db_pre_request runs first", async () => {
    const response = await shop.ask("/products", { headers: { "X-Blocked": "yes" } });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "PT403", message: "blocked" });
  });

  test("no answer is longer than max_rows, embeds included", async () => {
    expect(await json("/products?select=id&order=id")).toHaveLength(2);
    expect(await json("/products?select=id&limit=3")).toHaveLength(2);
    const [category] = await json("/categories?select=products(id)&id=eq.1");
    expect(category.products).toHaveLength(2);
    const counted = await shop.ask("/products?select=id", { headers: { Prefer: "count=exact" } });
    expect(counted.headers.get("content-range")).toBe("0-1/4");
  });
});

const escapeValue = (part: string) => {
  const at = part.indexOf("=");
  return `${part.slice(0, at)}=${encodeURIComponent(part.slice(at + 1))}`;
};
