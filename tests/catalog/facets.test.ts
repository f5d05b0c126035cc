import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import ws from "ws";
import { createClient } from "../../packages/client/src/index.js";
import { SEED } from "../random.js";
import {
  addCategory,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  stackInUse,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Tests attribute filters and facets against a simple filter of the same products in TypeScript.
//
// FACETS_RUNS is the number of random requests. A failure prints the smallest request and its seed, which can be set as
// SOUK_TEST_SEED.

const settings = { numRuns: Number(process.env.FACETS_RUNS ?? 40), seed: SEED };

/** Values that need escaping in a list, JSON, jsonpath, SQL or a URL. */
const VALUES = ["brass", "wool", "a,b", "a\\", 'say "hi"', "it's", "50 % & more", "Größe", "$x"];
const NAMES = ["material", "colour", "brand", "size [cm]", 'odd "name", \\ & ü'];
const WORDS = ["lamp", "rug"];

interface Made {
  id: string;
  category: number;
  word: string;
  price: number;
  attributes: Record<string, string>;
}

interface ListRequest {
  attributes: Record<string, string[]>;
  brand: string[];
  categories: number[];
  search: string | null;
  price_max: number | null;
  ids: number[] | null;
  facets: string[];
}

const COUNT = 60;
const some = <Value>(values: readonly Value[], maxLength = 3) =>
  fc.uniqueArray(fc.constantFrom(...values), { maxLength });
const requests: fc.Arbitrary<ListRequest> = fc.record({
  attributes: fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 5 }),
    { maxKeys: 2 },
  ),
  brand: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, some(VALUES, 4)),
  categories: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, some([0, 1, 2])),
  search: fc.option(fc.constantFrom(...WORDS), { nil: null }),
  price_max: fc.option(fc.constantFrom(3, 6), { nil: null }),
  ids: fc.option(fc.uniqueArray(fc.nat(COUNT - 1), { minLength: 1, maxLength: 40 }), {
    nil: null,
    freq: 4,
  }),
  facets: some(NAMES, 4),
});

const NOTHING: ListRequest = {
  attributes: {},
  brand: [],
  categories: [],
  search: null,
  price_max: null,
  ids: null,
  facets: [],
};

let testTenant: TestTenant;
let categories: string[];
let made: Made[];

const clientOf = async (person: Person) => {
  const { url, anon_key } = stackInUse();
  const souk = createClient(url, anon_key, { realtime: { transport: ws as never } });
  await souk.auth.login({ email: person.email, password: person.password });
  return souk;
};
let souk: Awaited<ReturnType<typeof clientOf>>;

beforeAll(async () => {
  testTenant = await openTestTenant();
  const { operator, supplier } = testTenant;
  // The third category is below the second.
  const [first, second] = [
    await addCategory(operator, "First"),
    await addCategory(operator, "Second"),
  ];
  categories = [first, second, await addCategory(operator, "Third", second)];
  const pick = <Value>(from: readonly Value[], n: number) => from[n % from.length] as Value;
  const wanted = Array.from({ length: COUNT }, (_, n) => ({
    category: n % 3,
    word: pick(WORDS, n >> 1),
    price: 1 + (n % 8),
    attributes: {
      ...Object.fromEntries(
        NAMES.flatMap((name, i) => {
          // Some products lack the attribute, and some have it with an empty value.
          const kind = (n * 7 + i * 5) % 6;
          return kind === 0 ? [] : [[name, kind === 1 ? "" : pick(VALUES, n * (i + 1) + i)]];
        }),
      ),
      // Some have values larger than an index entry.
      ...(n % 7 === 0 && { notes: "long ".repeat(300) }),
    },
  }));
  const { data } = await supabaseAs(supplier)
    .from("products")
    .insert(
      wanted.map(({ category, word, price, attributes }, n) => ({
        name: `${word} ${n}`,
        price,
        category_id: categories[category] as string,
        attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
      })),
    )
    .select("id, name")
    .throwOnError();
  const idOf = new Map(data.map(({ id, name }) => [name, id]));
  made = wanted.map((one, n) => ({ ...one, id: idOf.get(`${one.word} ${n}`) as string }));
  souk = await clientOf(operator);
}, 60_000);

/** The expected result of a request, by a simple filter. `but` is a facet whose own selection is ignored. */
function passing(request: ListRequest, but?: string): Made[] {
  const below = new Set(request.categories.flatMap((n) => (n === 1 ? [1, 2] : [n])));
  return made.filter(
    ({ category, word, price, attributes }, n) =>
      (below.size === 0 || below.has(category)) &&
      (request.search === null || word === request.search) &&
      (request.price_max === null || price <= request.price_max) &&
      (request.ids === null || request.ids.includes(n)) &&
      (but === "brand" ||
        request.brand.length === 0 ||
        request.brand.includes(attributes.brand ?? "")) &&
      Object.entries(request.attributes).every(
        ([name, values]) => name === but || values.includes(attributes[name] ?? ""),
      ),
  );
}

const inOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function facetsOf(request: ListRequest) {
  return request.facets.map((name) => {
    const counts = new Map<string, number>();
    for (const { attributes } of passing(request, name)) {
      const value = attributes[name];
      if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return {
      name,
      values: [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || inOrder(a.value, b.value)),
    };
  });
}

/** The fields of a request that filter, as the client expects them. */
const asQuery = ({ categories: chosen, ids, search, price_max, ...lists }: ListRequest) => ({
  ...lists,
  category: chosen.map((n) => categories[n] as string),
  ...(ids && { ids: ids.map((n) => (made[n] as Made).id) }),
  ...(search && { search }),
  ...(price_max && { price_max }),
});

describe("a list by attributes", () => {
  it("equals a simple filter, and counts each facet without its own selection", async () => {
    await fc.assert(
      fc.asyncProperty(requests, fc.boolean(), async (request, direct) => {
        const asked = { ...asQuery(request), limit: 100 };
        const answer = direct
          ? (await supabaseAs(testTenant.operator).rpc("list_products", asked).throwOnError()).data
          : await souk.products.list(asked);
        const ids = answer.products.map(({ id }: { id: string }) => id);
        const expected = passing(request).map(({ id }) => id);
        expect(ids.toSorted()).toEqual(expected.toSorted());
        expect(answer.total).toBe(expected.length);
        expect(answer.filters.attributes ?? []).toEqual(facetsOf(request));
        expect("attributes" in answer.filters).toBe(request.facets.length > 0);
      }),
      settings,
    );
  });

  it("treats commas as separators, an escaped comma as part of the value, and repeated parameters as more values", async () => {
    const { operator } = testTenant;
    const total = async (sent: string) =>
      (await must("GET", `/api/products?limit=1&${sent}`, { as: operator })).total;
    const having = (...values: string[]) =>
      made.filter(({ attributes }) => values.includes(attributes.material ?? "")).length;
    const name = "attributes[material]";
    expect(await total(`${name}=brass,wool`)).toBe(having("brass", "wool"));
    expect(await total(`${name}=brass&${name}=wool`)).toBe(having("brass", "wool"));
    expect(await total(`${encodeURIComponent(name)}=brass`)).toBe(having("brass"));
    expect(await total(`${name}=a%5C,b,wool`)).toBe(having("a,b", "wool"));
    expect(await total(`${name}=a%5C%5C`)).toBe(having("a\\"));
    expect(await total(`${name}=a%5C`)).toBe(having("a\\"));
    expect(await total(`${name}=a,b`)).toBe(0);
    expect(await total(`${name}=Brass`)).toBe(0);
    expect(await total(`${name}=`)).toBe(COUNT);
    const big = made.filter(({ attributes }) => attributes.brand === "Größe").length;
    expect(await total(`brand=${encodeURIComponent("Größe".normalize("NFD"))}`)).toBe(big);
  });

  it("treats one string of the client as one value, and an empty list of ids as no products", async () => {
    const brand = made.filter(({ attributes }) => attributes.brand === "a,b").length;
    expect((await souk.products.list({ brand: "a,b" })).total).toBe(brand);
    expect((await souk.products.list({ brand: [] })).total).toBe(COUNT);
    expect((await souk.products.list({ ids: [] })).total).toBe(0);
    const [one] = made as [Made];
    expect((await souk.products.list({ ids: one.id })).products).toMatchObject([{ id: one.id }]);
    const all: string[] = [];
    const query = { attributes: { material: ["brass", "wool"] }, limit: 3 };
    for await (const { id } of souk.products.listAll(query)) all.push(id);
    expect(all.toSorted()).toEqual(
      passing({ ...NOTHING, attributes: query.attributes })
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it("also filters a semantic search", async () => {
    const one = made.find(
      ({ word, attributes: { brand, material } }) => word === "lamp" && brand && material,
    )?.attributes;
    const attributes = { material: [one?.material as string, "wool"] };
    const brand = [one?.brand as string, "brass"];
    const expected = passing({ ...NOTHING, attributes, search: "lamp", brand });
    const found = ({ products }: { products: { id: string }[] }) =>
      products.map(({ id }) => id).toSorted();
    const asked = { query: "lamp", brand, attributes, limit: 100 };
    const ids = expected.map(({ id }) => id).toSorted();
    expect(ids).not.toEqual([]);
    expect(found(await souk.search.semantic(asked))).toEqual(ids);
    const { operator } = testTenant;
    expect(found(await must("POST", "/semantic-search", { as: operator, body: asked }))).toEqual(
      ids,
    );
    const { data } = await supabaseAs(operator).rpc("search_by_meaning", asked).throwOnError();
    expect(found(data)).toEqual(ids);
  });

  it("returns the 100 most frequent values of a facet, up to date", async () => {
    const { operator, supplier } = await openTestTenant();
    const rows = Array.from({ length: 130 }, (_, n) => ({
      name: `Cup ${n}`,
      price: 1,
      attributes: [{ name: "code", value: `c${String(n % 120).padStart(3, "0")}` }],
    }));
    await supabaseAs(supplier).from("products").insert(rows).throwOnError();
    const facet = async () => {
      const path = "/api/products?facets=code&limit=1";
      const { filters } = await must("GET", path, { as: operator });
      return filters.attributes[0].values;
    };
    const values = await facet();
    expect(values).toHaveLength(100);
    expect(values.slice(9, 11)).toEqual([
      { value: "c009", count: 2 },
      { value: "c010", count: 1 },
    ]);
    const cup = await listProduct(supplier, {
      name: "Cup",
      price: 1,
      attributes: [{ name: "code", value: "c009" }],
    });
    expect((await facet())[0]).toEqual({ value: "c009", count: 3 });
    const body = { attributes: [{ name: "code", value: "c008" }] };
    await must("PUT", `/api/products/${cup.id}`, { as: supplier, body });
    expect((await facet())[0]).toEqual({ value: "c008", count: 3 });
  });

  it("accepts the longest texts that an index can hold, and refuses a longer brand", async () => {
    const { operator } = await openTestTenant();
    // Four bytes per character, and hardly compressible.
    const long = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        String.fromCodePoint(0x20000 + ((n * 7919) % 40_000)),
      ).join("");
    const brand = (value: string) => [{ name: "brand", value }];
    const product = { name: long(200), price: 1, external_id: long(200) };
    const made = await must("POST", "/api/products", {
      as: operator,
      body: {
        ...product,
        attributes: [...brand(long(250)), { name: "note", value: long(2000) }],
        variants: [{ name: long(200), sku: long(100) }],
      },
    });
    expect(made.attributes[0].value).toBe(long(250));
    const field = "attributes[0].value";
    for (const value of [long(2000), `${long(250)}.`]) {
      const body = { name: "Lamp", price: 1, attributes: brand(value) };
      const answer = await call("POST", "/api/products", { as: operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
      const changed = { as: operator, body: { attributes: brand(value) } };
      expectRefusal(
        await call("PUT", `/api/products/${made.id}`, changed),
        422,
        "VALIDATION_ERROR",
        { field },
      );
      const { imported, errors } = await must("POST", "/api/products/import", {
        as: operator,
        headers: { "content-type": "application/x-ndjson" },
        body: [body, { name: "Rug", price: 1 }]
          .map((line, n) => `${JSON.stringify({ ...line, external_id: `${value.length} ${n}` })}\n`)
          .join(""),
      });
      expect([imported, errors]).toMatchObject([1, [{ line: 1, field }]]);
    }
  });

  it("refuses malformed and too many values", async () => {
    const { operator } = testTenant;
    const many = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`);
    const uuids = many(101).map((_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);
    const sent: [string, string][] = [
      [`facets=${many(11)}`, "facets"],
      [`facets=${"x".repeat(101)}`, "facets"],
      [`ids=${uuids}`, "ids"],
      ["ids=none", "ids"],
      [`category=${uuids.slice(0, 51)}`, "category"],
      [`brand=${many(51)}`, "brand"],
      [`attributes[material]=${many(51)}`, "attributes.material"],
      [
        many(11)
          .map((name) => `attributes[${name}]=x`)
          .join("&"),
        "attributes",
      ],
      ["attributes=brass", "attributes"],
      ["other[material]=brass", "other"],
      ["price_min[material]=1", "price_min"],
    ];
    for (const [asked, field] of sent) {
      const answer = await call("GET", `/api/products?${asked}`, { as: operator });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    const direct: [object, string][] = [
      [{ facets: many(11) }, "facets"],
      [{ facets: [""] }, "facets"],
      [{ ids: uuids }, "ids"],
      [{ category: uuids.slice(0, 51) }, "category"],
      [{ brand: many(51) }, "brand"],
      [{ attributes: { material: many(51) } }, "attributes.material"],
      [{ attributes: { material: "brass" } }, "attributes.material"],
      [{ attributes: { material: [1] } }, "attributes.material"],
      [{ attributes: ["brass"] }, "attributes"],
      [{ attributes: Object.fromEntries(many(11).map((name) => [name, ["x"]])) }, "attributes"],
    ];
    for (const [asked, field] of direct) {
      const { error } = await supabaseAs(operator).rpc("list_products", asked);
      expect([asked, error?.message]).toEqual([asked, "VALIDATION_ERROR"]);
      expect(JSON.parse(error?.details as string)).toMatchObject({ field });
    }
  });
});
