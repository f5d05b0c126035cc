import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShop, type Shop } from "./rest-shop.js";
import { oneServer } from "./servers.js";

describe.each(oneServer)("changing and calling through REST on %s", (server) => {
  let shop: Shop;
  let anon: SupabaseClient;
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await shop.ask(path, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  const full = { Prefer: "return=representation" };

  beforeAll(async () => {
    shop = await openShop(server);
    anon = await shop.client(null);
  });
  afterAll(() => shop?.close());

  describe("insert", () => {
    test("returns as much of the new row as requested", async () => {
      const minimal = await send("POST", "/categories", { id: 10, name: "Ten" });
      expect([minimal.status, minimal.body]).toEqual([201, ""]);
      expect(minimal.headers.get("content-range")).toBe("*/*");
      const named = await send(
        "POST",
        "/categories",
        { id: 11, name: "Eleven" },
        { Prefer: "return=headers-only" },
      );
      expect([named.status, named.headers.get("location")]).toEqual([201, "/categories?id=eq.11"]);
      await shop.db.execute(`
        create view public.tagged as select p.id, p.name, c.id as category
          from public.products p, public.categories c;
        create function public.put_tagged() returns trigger language plpgsql as $$ begin return new; end $$;
        create trigger put instead of insert on public.tagged for each row execute function public.put_tagged();
        grant all on public.tagged to anon;`);
      const joined = await send("POST", "/tagged", { id: 1 }, { Prefer: "return=headers-only" });
      expect(joined.headers.get("location")).toBe("/tagged?id=eq.1&category=is.null");
      const shown = await anon
        .from("products")
        .insert({ name: "Sofa", supplier_id: 1, price: 99.5 })
        .select("name, stock, quality, suppliers(name), label")
        .single();
      expect(shown.error).toBeNull();
      expect(shown.data).toEqual({
        name: "Sofa",
        stock: 7,
        quality: "good",
        suppliers: { name: "North" },
        label: "Sofa (7)",
      });
    });

    test("inserts all of many rows or none", async () => {
      const { data, count } = await anon
        .from("categories")
        .insert(
          [
            { id: 20, name: "a" },
            { id: 21, name: "b" },
          ],
          { count: "exact" },
        )
        .select("id");
      expect([data, count]).toEqual([[{ id: 20 }, { id: 21 }], 2]);
      const clash = await send("POST", "/categories", [
        { id: 22, name: "c" },
        { id: 20, name: "again" },
      ]);
      expect([clash.status, clash.body.code]).toEqual([409, "23505"]);
      expect((await anon.from("categories").select().eq("id", 22)).data).toEqual([]);
    });

    test("fills missing values with nulls or, on request, with defaults", async () => {
      const rows = [{ name: "p1", stock: 3 }, { name: "p2" }];
      const uneven = await send("POST", "/products", rows);
      expect(uneven.body).toMatchObject({
        code: "PGRST102",
        message: "All object keys must match",
      });
      const defaults = await send("POST", "/products?columns=name,stock&select=name,stock", rows, {
        Prefer: "missing=default, return=representation",
      });
      expect(defaults.body).toEqual([
        { name: "p1", stock: 3 },
        { name: "p2", stock: 7 },
      ]);
      const nulls = await send("POST", "/products?columns=name,stock", rows);
      expect([nulls.status, nulls.body.code]).toEqual([400, "23502"]);
      const one = await send("POST", "/products?select=price,stock", { name: "p3" }, full);
      expect(one.body).toEqual([{ price: 1, stock: 7 }]);
    });

    test("reads CSV, forms, bytes and numbers that JavaScript would round", async () => {
      const csv = await send(
        "POST",
        "/suppliers",
        'id,name,city\n30,"Q ""x"", y",NULL\n31,Z,Bern\n',
        {
          "Content-Type": "text/csv",
          ...full,
        },
      );
      expect(csv.body).toEqual([
        { id: 30, name: 'Q "x", y', city: null },
        { id: 31, name: "Z", city: "Bern" },
      ]);
      const form = await send("POST", "/suppliers", "id=32&name=A+b", {
        "Content-Type": "application/x-www-form-urlencoded",
      });
      expect(form.status).toBe(201);
      const exact = await shop.ask("/products?select=price", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...full },
        body: '{"name": "exact", "price": 12345678901234567890.12345}',
      });
      expect(await exact.text()).toBe('[{"price":12345678901234567890.12345}]');
      const photo = await send(
        "POST",
        "/products?select=id",
        { name: "photo", photo: "\\x00ff" },
        full,
      );
      expect(photo.status).toBe(201);
      const found = await anon.from("products").select("name,photo").eq("photo", "\\x00ff");
      expect(found.data).toEqual([{ name: "photo", photo: "\\x00ff" }]);
    });

    test("refuses values and keys that no column accepts", async () => {
      expect(await send("POST", "/categories", { id: 40, nope: 1 })).toMatchObject({
        status: 400,
        body: {
          code: "PGRST204",
          message: "Could not find the 'nope' column of 'categories' in the schema cache",
        },
      });
      expect((await send("POST", "/categories", "{oops")).body).toMatchObject({
        code: "PGRST102",
        message: "Empty or invalid json",
      });
      expect((await send("POST", "/products", { name: "x", stock: -1 })).body.code).toBe("23514");
      const orphan = await send("POST", "/products", { name: "x", supplier_id: 777 });
      expect([orphan.status, orphan.body.code]).toEqual([409, "23503"]);
    });
  });

  test("upsert merges or ignores, by primary key or by the columns of on_conflict", async () => {
    const merged = await anon
      .from("categories")
      .upsert([
        { id: 1, name: "Furnishing" },
        { id: 60, name: "New" },
      ])
      .select();
    expect([merged.status, merged.data]).toEqual([
      201,
      [
        { id: 1, name: "Furnishing" },
        { id: 60, name: "New" },
      ],
    ]);
    expect((await anon.from("categories").upsert({ id: 60, name: "Newer" })).status).toBe(200);
    const ignored = await anon
      .from("categories")
      .upsert({ id: 60, name: "Ignored" }, { ignoreDuplicates: true })
      .select();
    expect(ignored.data).toEqual([]);
    const named = await anon
      .from("products")
      .upsert({ supplier_id: 1, name: "Lamp", price: 4 }, { onConflict: "supplier_id,name" })
      .select("id, price");
    expect(named.data).toEqual([{ id: 1, price: 4 }]);
    expect((await send("PUT", "/categories?id=eq.61", { id: 61, name: "Put" }, full)).status).toBe(
      201,
    );
    expect((await send("PUT", "/categories?id=eq.61", { id: 62, name: "Put" })).body.code).toBe(
      "PGRST115",
    );
    expect((await send("PUT", "/categories?name=eq.x", { id: 1, name: "x" })).status).toBe(405);
  });

  test("update and delete change the filtered rows only", async () => {
    const updated = await anon
      .from("products")
      .update({ stock: 1 }, { count: "exact" })
      .or("id.eq.2,id.eq.3")
      .select("id, stock")
      .order("id");
    expect([updated.data, updated.count]).toEqual([
      [
        { id: 2, stock: 1 },
        { id: 3, stock: 1 },
      ],
      2,
    ]);
    expect((await send("PATCH", "/products?id=eq.2", {})).status).toBe(204);
    expect((await send("PATCH", "/products?id=eq.2", { stock: 4 })).status).toBe(204);
    const deleted = await anon.from("people").delete().eq("id", 77).select();
    expect([deleted.status, deleted.data]).toEqual([200, []]);
    await send("POST", "/people", { id: 78, name: "Gone" });
    expect((await send("DELETE", "/people?id=eq.78")).status).toBe(204);
    expect((await anon.from("people").select("*", { count: "exact" })).count).toBe(3);
  });

  test("a change of all rows without a condition is refused, as by safeupdate", async () => {
    const { data: before } = await anon.from("products").select().order("id");
    for (const [method, command] of [
      ["PATCH", "UPDATE"],
      ["DELETE", "DELETE"],
    ] as const) {
      const refused = await send(method, "/products", { stock: 0 });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({
        code: "21000",
        message: `${command} requires a WHERE clause`,
      });
    }
    expect((await anon.from("products").select().order("id")).data).toEqual(before);
  });

  test("a change that exceeds a singular answer or max-affected is rolled back", async () => {
    const many = await anon.from("products").update({ stock: 55 }).gt("id", 0).select().single();
    expect([many.status, many.error?.code]).toEqual([406, "PGRST116"]);
    const limited = await send(
      "PATCH",
      "/products?id=gt.0",
      { stock: 55 },
      {
        Prefer: "handling=strict, max-affected=1",
      },
    );
    expect([limited.status, limited.body.code]).toEqual([400, "PGRST124"]);
    expect((await anon.from("products").select().eq("stock", 55)).data).toEqual([]);
    const strict = await send("GET", "/products", undefined, { Prefer: "handling=strict, nope=1" });
    expect(strict.body).toMatchObject({ code: "PGRST122", details: "Invalid preferences: nope=1" });
    const odd = await send("GET", "/categories?select=id&id=eq.1", undefined, {
      Prefer: "handling=strict, max-affected=many, timezone=Europe/Oslo",
    });
    expect([odd.status, odd.headers.get("preference-applied")]).toEqual([
      200,
      "handling=strict, timezone=Europe/Oslo",
    ]);
    // A preference is checked when the kind of request is known.
    const nowhere = { Prefer: "handling=strict, timezone=+05:30" };
    expect((await send("GET", "/nowhere", undefined, nowhere)).body.code).toBe("PGRST205");
    expect((await send("GET", "/people", undefined, nowhere)).body.code).toBe("PGRST122");
  });

  describe("rpc", () => {
    test("scalars, by POST and GET, with defaults and variadic arguments", async () => {
      expect((await anon.rpc("add", { a: 1, b: 2 })).data).toBe(3);
      expect((await anon.rpc("add", { a: 1 }, { get: true })).data).toBe(11);
      expect((await send("GET", "/rpc/total?prices=1&prices=2&prices=3")).body).toBe(6);
      expect((await send("POST", "/rpc/total", { prices: [4, 5] })).body).toBe(9);
      expect((await send("POST", "/rpc/echo", { any: [1, "thing"] })).body).toEqual({
        any: [1, "thing"],
      });
      expect((await anon.rpc("over", { a: 1 })).data).toBe("int");
      expect((await anon.rpc("over", { b: "x" })).data).toBe("text");
      const nothing = await anon.rpc("nothing");
      expect([nothing.status, nothing.data]).toEqual([204, null]);
    });

    test("rows of tables and of their own types, filtered, ordered and with embeds", async () => {
      const cheap = await anon
        .rpc("cheapest", { most: 100 })
        .select("name, suppliers(name), label")
        .not("supplier_id", "is", null)
        .order("name");
      expect(cheap.error).toBeNull();
      expect(cheap.data).toContainEqual({
        name: "Lamp",
        suppliers: { name: "North" },
        label: "Lamp (7)",
      });
      expect((await anon.rpc("one_product", { wanted: 3 }).select("name")).data).toEqual({
        name: "Table",
      });
      expect((await anon.rpc("pairs").eq("n", 2)).data).toEqual([{ n: 2, word: "two" }]);
      const counted = await anon.rpc("pairs", {}, { count: "exact", get: true }).range(0, 0);
      expect([counted.status, counted.count]).toEqual([206, 2]);
      const head = await anon.rpc("pairs", {}, { head: true, count: "exact" });
      expect([head.data, head.count]).toEqual([null, 2]);
    });

    test("forms contain arguments, several of one name for a variadic one", async () => {
      const form = (path: string, body: string) =>
        send("POST", path, body, { "Content-Type": "application/x-www-form-urlencoded" });
      expect((await form("/rpc/total", "prices=1&prices=2")).body).toBe(3);
      expect((await form("/rpc/add", "a=1&b=2&b=3")).body).toBe(4);
      expect((await form("/rpc/pairs", "n=1")).body.code).toBe("PGRST202");
      const csv = await send("POST", "/rpc/add", "a,c\n1,2", { "Content-Type": "text/csv" });
      expect(csv.body.message).toBe(
        "Could not find the function public.add(a, c) in the schema cache",
      );
      const other = { "Content-Type": "application/vnd.pgrst.object+json" };
      expect((await send("POST", "/rpc/add", { a: 1 }, other)).body.code).toBe("PGRST102");
    });

    test("a function's own statement_timeout applies from its beginning", async () => {
      await shop.db.execute(`
        create function public.patience() returns text language sql stable
        set statement_timeout to '7s' as $$ select current_setting('statement_timeout') $$;
        create function public.naps() returns text language sql stable
        set statement_timeout to '20ms' as $$ select pg_sleep(2)::text $$;`);
      expect((await send("POST", "/rpc/patience", {})).body).toBe("7s");
      // PGlite has one thread, so nothing can interrupt it.
      if (server === "pglite") return;
      expect((await send("POST", "/rpc/naps", {})).body.code).toBe("57014");
    });

    test("ambiguous overloads are listed, the shortest first", async () => {
      await shop.db.execute(`
        create function public.same(arg int) returns int language sql as 'select 1';
        create function public.same(arg text, num int default 0) returns int language sql as 'select 2';
        create function public.same(arg xml) returns int language sql as 'select 3';`);
      const { status, body } = await send("GET", "/rpc/same?arg=1");
      expect([status, body.code]).toEqual([300, "PGRST203"]);
      expect(body.message).toContain(
        "public.same(arg => integer), public.same(arg => xml), public.same(arg => text, num => integer)",
      );
      expect((await send("OPTIONS", "/rpc/nowhere")).status).toBe(404);
    });

    test("a function's volatility decides whether it may write", async () => {
      const lies = await send("POST", "/rpc/writes_but_says_stable", {});
      expect([lies.status, lies.body.code]).toEqual([400, "0A000"]);
      expect((await send("GET", "/rpc/touch")).status).toBe(405);
      expect((await send("POST", "/rpc/touch")).body).toBe(98);
    });

    test("the database can set the status and headers of the answer", async () => {
      const { status, headers, body } = await send("POST", "/rpc/teapot", {});
      expect([status, body]).toEqual([418, "short and stout"]);
      expect([headers.get("x-pot"), headers.get("cache-control")]).toEqual(["tea", "no-store"]);
      await shop.db.execute(`
        create function public.biscuits() returns int language sql as $f$
          select set_config('response.headers', '[{"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}, {"content-type": "text/x"}]', true);
          select 1 $f$;`);
      const baked = (await send("POST", "/rpc/biscuits", {})).headers;
      expect([baked.getSetCookie(), baked.get("content-type")]).toEqual([["a=1", "b=2"], "text/x"]);
    });

    test("a status or header that HTTP does not allow is refused", async () => {
      await shop.db.execute(`
        create function public.bad_header() returns int language sql as $f$
          select set_config('response.headers', '[{"X-Bad": "a\\nb"}]', true); select 1 $f$;
        create function public.bad_status() returns int language sql as $f$
          select set_config('response.status', '99', true); select 1 $f$;
        create table public."größe 🐘" ("ключ" int primary key);`);
      expect((await send("POST", "/rpc/bad_header", {})).body.code).toBe("PGRST111");
      expect((await send("POST", "/rpc/bad_status", {})).body.code).toBe("PGRST112");
      const table = `/${encodeURIComponent("größe 🐘")}`;
      const made = await send("POST", table, { ключ: 1 }, { Prefer: "return=headers-only" });
      expect(made.headers.get("location")).toBe(`${table}?${encodeURIComponent("ключ")}=eq.1`);
      expect((await send("GET", `${table}?select=ключ`)).body).toEqual([{ ключ: 1 }]);
    });

    test("an unknown function or argument is refused with its name", async () => {
      expect(await send("POST", "/rpc/addd", { a: 1 })).toMatchObject({
        status: 404,
        body: {
          code: "PGRST202",
          message: "Could not find the function public.addd(a) in the schema cache",
          hint: "Perhaps you meant to call the function public.add",
        },
      });
      expect((await send("POST", "/rpc/add", { a: 1, c: 2 })).body).toMatchObject({
        details:
          "Searched for the function public.add with parameters a, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.",
        hint: "Perhaps you meant to call the function public.add(a, b)",
      });
      expect((await send("PATCH", "/rpc/add", {})).body.code).toBe("PGRST101");
    });

    test.each([
      ["P0001", "no", null, 400, { code: "P0001", message: "no", details: null, hint: null }],
      [
        "PT422",
        "SOLD_OUT",
        '{"left":0}',
        422,
        {
          code: "PT422",
          message: "SOLD_OUT",
          details: '{"left":0}',
          hint: "look again",
        },
      ],
      ["23505", "twice", null, 409, { code: "23505" }],
      ["42501", "no", null, 401, { code: "42501" }],
      ["40001", "again", null, 500, { code: "40001" }],
      ["53300", "full", null, 503, { code: "53300" }],
      ["57014", "late", null, 500, { code: "57014" }],
      ["28000", "no", null, 403, { code: "28000" }],
      ["P0002", "no", null, 500, { code: "P0002" }],
      ["22012", "zero", null, 400, { code: "22012" }],
      [
        "PGRST",
        '{"code":"X1","message":"own","hint":"h"}',
        '{"status":429,"headers":{"X-Why":"so"}}',
        429,
        {
          code: "X1",
          message: "own",
          details: null,
          hint: "h",
        },
      ],
      [
        "PGRST",
        '{"code":"X","message":"m"}',
        '{"status":400,"headers":{"a b":"c"}}',
        500,
        { code: "PGRST121" },
      ],
      [
        "PGRST",
        '{"code":"X","message":"m","hint":1}',
        '{"status":400,"headers":{}}',
        500,
        { code: "PGRST121" },
      ],
      ["PT204", "nothing to say", null, 204, {}],
      ["PGRST", "no json", "{}", 500, { code: "PGRST121" }],
    ])("the condition %s (%s) is answered as PostgREST does", async (state, note, extra, status, body) => {
      const answer = await send("POST", "/rpc/refuse", { state, note, ...(extra && { extra }) });
      expect(answer.status).toBe(status);
      if (status !== 204) expect(answer.body).toMatchObject(body);
      if (status === 429) expect(answer.headers.get("x-why")).toBe("so");
      if (status === 401) expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    });
  });
});
