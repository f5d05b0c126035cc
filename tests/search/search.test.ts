import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  addCategory,
  type Bazaar,
  call,
  listProduct,
  must,
  openBazaar,
  openMarketplace,
  type Person,
  supabaseAs,
} from "../souk.js";

// What a text that is searched finds, and how well each product fits it.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Product = any;

const STOCK = { inventory: { quantity: 5 } };

let bazaar: Bazaar;
let rival: Bazaar;

beforeAll(async () => {
  [bazaar, rival] = await Promise.all([openBazaar(), openBazaar()]);
});

async function search(text: string, more = "", as = bazaar.operator) {
  const list = await must("GET", `/api/products?search=${encodeURIComponent(text)}${more}`, { as });
  return list as { products: Product[]; total: number; filters: Product };
}

const names = ({ products }: { products: Product[] }) => products.map(({ name }) => name);

/** The names of what is found, the fittest first. */
async function found(text: string, as?: Person): Promise<string[]> {
  return names(await search(text, "", as));
}

const list = (name: string, wish: object = {}) => listProduct(bazaar.supplier, { name, ...wish });
const change = (id: string, body: object) =>
  must("PUT", `/api/products/${id}`, { as: bazaar.supplier, body });

describe("a search", () => {
  beforeAll(async () => {
    for (const [name, wish] of [
      ["Brass lantern", { description: "It throws stars on every wall of the riad." }],
      ["Lanternfish, dried", {}],
      ["Crème brûlée dish", { external_id: "CB/100-7" }],
      ["T-shirt of wool", { variants: [{ name: "Burgundy", sku: "AB-123.x", ...STOCK }] }],
      ["The Who", {}],
      ["Glass & Co. 40% café", {}],
      ["漢字入門 book", {}],
      ["Дом из дерева", {}],
    ] as const) {
      await list(name, wish);
    }
  });

  it.each([
    ["lantern", ["Brass lantern", "Lanternfish, dried"]],
    ["LANTERNS brasses", ["Brass lantern"]],
    ["lantern, brass!", ["Brass lantern"]],
    ["the lantern of brass", ["Brass lantern"]],
    ["lant", ["Lanternfish, dried", "Brass lantern"]],
    ["ternfi", ["Lanternfish, dried"]],
    ["ass lan", ["Brass lantern"]],
    ["stars walls", ["Brass lantern"]],
    ["creme brulee", ["Crème brûlée dish"]],
    ["CRÈME", ["Crème brûlée dish"]],
    ["cb/100-7", ["Crème brûlée dish"]],
    ["cb1007", ["Crème brûlée dish"]],
    ["ab-123.x", ["T-shirt of wool"]],
    ["AB 123", ["T-shirt of wool"]],
    ["ab123x", ["T-shirt of wool"]],
    ["burgund shirt", ["T-shirt of wool"]],
    ["t-shirts", ["T-shirt of wool"]],
    ["the who", ["The Who"]],
    ["who", ["The Who"]],
    ["40%", ["Glass & Co. 40% café"]],
    ["%", ["Glass & Co. 40% café"]],
    ["0% c", ["Glass & Co. 40% café"]],
    ["漢字", ["漢字入門 book"]],
    ["дома", ["Дом из дерева"]],
    ["дом", ["Дом из дерева"]],
    // What has only a part of it.
    ["lantern umbrella", ["Brass lantern", "Lanternfish, dried"]],
    ["brass wall umbrella", ["Brass lantern"]],
    ["umbrella lantern café", []],
    ["lantern 77", []],
    ["AB 124", []],
    // What may have been meant.
    ["lantren", ["Brass lantern"]],
    ["lanttern", ["Brass lantern"]],
    ["brss", ["Brass lantern"]],
    ["burgnudi", ["T-shirt of wool"]],
    ["lxntxrn", []],
    ["ab124", []],
  ])("for %s finds %j", async (text, expected) => {
    expect((await found(text)).sort()).toEqual([...expected].sort());
    const { data } = await supabaseAs(bazaar.operator)
      .rpc("list_products", { search: text })
      .throwOnError();
    expect(names(data as never).sort()).toEqual([...expected].sort());
  });

  it.each([
    "'",
    "''; --",
    "\\",
    "\\' | 'a' & !b",
    "a:* <-> b <2> c",
    "!!! ((( & ||| :*A",
    "🫖",
    "🫖 %_",
    "‘’“”…",
    " ",
    "\u0001",
    "\u202e\u0301",
    "a'b\\c",
    "http://x.example/a?b=c&d",
    "x@example.com 1e5 -7.5 1e",
    "é".repeat(200),
    "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(3),
    "lantern ".repeat(25).trim(),
    "\u{1d400}\u{1d401}",
  ])("for %j finds what it finds, and never fails", async (text) => {
    const answer = await call("GET", `/api/products?search=${encodeURIComponent(text)}`, {
      as: bazaar.operator,
    });
    expect(answer.status).toBe(200);
    const direct = await supabaseAs(bazaar.operator).rpc("list_products", { search: text });
    expect(direct.error).toBeNull();
  });

  it("is of at most 200 characters", async () => {
    const answer = await call("GET", `/api/products?search=${"a".repeat(201)}`, {
      as: bazaar.operator,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.field).toBe("search");
    // Straight to the database, the rest is not read.
    const text = `brass ${" ".repeat(300)}${"x".repeat(1_000_000)}`;
    const { data } = await supabaseAs(bazaar.operator)
      .rpc("list_products", { search: text })
      .throwOnError();
    expect(names(data as never)).toEqual(["Brass lantern"]);
  });
});

describe("relevance", () => {
  it("is greater for a name than for what describes the product, that than for its category, and that than for its description", async () => {
    const category_id = await addCategory(bazaar.operator, "Zellige");
    const attributes = [{ name: "style", value: "Zellige", searchable: true }];
    await list("By description", { description: "Laid with zellige." });
    await list("By category", { category_id });
    await list("By attribute", { attributes });
    await list("By brand", { attributes: [{ name: "brand", value: "Zellige" }] });
    await list("By variant", { variants: [{ name: "zellige", ...STOCK }] });
    await list("A zellige table");
    const { products } = await search("zellige");
    expect(products.map(({ name }) => name)).toEqual([
      "A zellige table",
      // Of equal relevance, the newest first.
      "By variant",
      "By brand",
      "By attribute",
      "By category",
      "By description",
    ]);
    const scores = products.map(({ relevance_score }) => relevance_score);
    expect(scores[1]).toBe(scores[3]);
    for (const score of scores) expect(score > 0 && score < 1, score).toBe(true);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it("is greater for a word than for what begins with it, and that is greater than a guess", async () => {
    await list("Harissa");
    await list("Harissas, two");
    await list("Harissaya");
    expect(await found("harissa")).toEqual(["Harissas, two", "Harissa", "Harissaya"]);
    const exact = (await search("harissa")).products[0].relevance_score;
    const begun = (await search("hariss")).products[0].relevance_score;
    const guess = (await search("harisza")).products[0].relevance_score;
    expect(exact).toBeGreaterThan(begun);
    expect(begun).toBeGreaterThan(guess);
    expect(guess).toBeGreaterThan(0);
  });

  it("is no sequence where another one is asked for, and is told all the same", async () => {
    await list("Ottoman, plain", { price: 9 });
    await list("Pouf", { price: 3, description: "Much like an ottoman." });
    const cheapest = await search("ottoman", "&sort=price&order=asc");
    expect(names(cheapest)).toEqual(["Pouf", "Ottoman, plain"]);
    expect(cheapest.products[0].relevance_score).toBeLessThan(cheapest.products[1].relevance_score);
    expect(names(await search("ottoman", "&order=asc"))).toEqual(["Ottoman, plain", "Pouf"]);
    expect(names(await search("ottoman"))).toEqual(["Ottoman, plain", "Pouf"]);
    const all = await must("GET", "/api/products?limit=1", { as: bazaar.operator });
    expect(all.products[0].relevance_score).toBeNull();
    const one = await must("GET", `/api/products/${all.products[0].id}`, { as: bazaar.operator });
    expect(one).not.toHaveProperty("relevance_score");
  });

  it("keeps pages apart, with totals and filters over the whole result", async () => {
    const category_id = await addCategory(bazaar.operator, "Baskets");
    await supabaseAs(bazaar.supplier)
      .from("products")
      .insert(
        Array.from({ length: 23 }, (_, i) => ({
          name: i % 2 ? `Palm basket ${i}` : `Tray ${i}`,
          description: i % 2 ? "" : "It goes well with palm.",
          price: i,
          category_id,
          attributes: [{ name: "brand", value: `Weaver ${i % 2}` }],
        })),
      )
      .throwOnError();
    const pages = [];
    for (let page = 1; page <= 4; page++)
      pages.push(...(await search("palm", `&limit=7&page=${page}`)).products);
    expect(new Set(pages.map(({ id }) => id)).size).toBe(23);
    const scores = pages.map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBeGreaterThan(scores[22]);
    const answer = await search("palm", "&limit=3");
    expect(answer.total).toBe(23);
    expect(answer.filters).toEqual({
      categories: [{ id: category_id, name: "Baskets", count: 23 }],
      price_range: [0, 22],
      brands: [
        { name: "Weaver 0", count: 12 },
        { name: "Weaver 1", count: 11 },
      ],
    });
    const some = await search("palm", `&category=${category_id}&brand=Weaver%201&price_min=4`);
    expect(some.total).toBe(9);
    expect(some.filters.price_range).toEqual([5, 21]);
  });
});

describe("what has only some of what is asked", () => {
  beforeAll(async () => {
    for (const name of [
      "Teak deck chair",
      "Teak deck box",
      "Oak deck chair 45",
      "Teak bench",
      "Shutter of oak",
    ]) {
      await list(name);
    }
  });

  it("comes behind what has all of it, with two of its words", async () => {
    expect(await found("teak deck chair")).toEqual([
      "Teak deck chair",
      ...["Oak deck chair 45", "Teak deck box"],
    ]);
    const { products } = await search("teak deck chair");
    const [all, ...some] = products.map(({ relevance_score }) => relevance_score);
    for (const score of some) expect(score).toBeLessThan(all / 2);
  });

  it("has the numbers, whatever else it lacks", async () => {
    expect(await found("teak deck chair 45")).toEqual(["Oak deck chair 45"]);
    expect(await found("teak bench 45")).toEqual([]);
  });

  it("is of no use beside what has both of two words, or where ten have all", async () => {
    expect(await found("oak shutter")).toEqual(["Shutter of oak"]);
    for (let i = 0; i < 9; i++) await list(`Deck chair of teak, colour ${"abcdefghi"[i]}`);
    expect(await found("teak deck chair")).toHaveLength(10);
  });

  describe("is looked for among what passes the filters", () => {
    const filters: [string, () => Promise<Record<string, string | number>>][] = [
      ["brand", async () => ({ brand: "Of the half" })],
      ["price", async () => ({ price_min: 700 })],
      ["category", async () => ({ category: await addCategory(bazaar.operator, "Halves") })],
    ];

    it.each(filters)("by %s", async (_, filterOf) => {
      const filter = await filterOf();
      const [name = "", value = ""] = Object.entries(filter)[0] ?? [];
      const word = `Sandalwood${name.replaceAll("_", "")}`;
      await list(`${word} zither`, { price: 5 });
      await list(`${word} casket`, {
        price: 800,
        attributes: [{ name: "brand", value: "Of the half" }],
        ...(name === "category" && { category_id: value }),
      });
      const words = `${word} zither`;
      const more = `&${name}=${encodeURIComponent(value)}`;
      const listed = await search(words, more);
      expect(names(listed)).toEqual([`${word} casket`]);
      expect(listed.filters.price_range).toEqual([800, 800]);
      const { data } = await supabaseAs(bazaar.operator)
        .rpc("list_products", { search: words, ...filter } as never)
        .throwOnError();
      expect(names(data as never)).toEqual([`${word} casket`]);
      const path = `/api/products/search/semantic?query=${encodeURIComponent(words)}${more}`;
      const { products } = await must("GET", path, { as: bazaar.operator });
      expect(products.map((product: Product) => product.name)).toContain(`${word} casket`);
      expect(await found(words)).toEqual([words]);
    });

    it("by marketplace", async () => {
      const { operator, supplier, marketplace } = await openBazaar();
      const otherMarketplace = await openMarketplace(operator);
      await listProduct(supplier, { name: "Sandalwood zither", marketplace_id: marketplace.id });
      await listProduct(supplier, {
        name: "Sandalwood casket",
        marketplace_id: otherMarketplace.id,
      });
      const words = "Sandalwood zither";
      expect(await found(words, operator)).toEqual([words]);
      const here = await search(words, `&marketplace_id=${marketplace.id}`, operator);
      expect(names(here)).toEqual([words]);
      const there = await search(words, `&marketplace_id=${otherMarketplace.id}`, operator);
      expect(names(there)).toEqual(["Sandalwood casket"]);
      expect(there.total).toBe(1);
      const path = `/api/products/search/semantic?query=${encodeURIComponent(words)}&marketplace_id=${otherMarketplace.id}`;
      expect(names(await must("GET", path, { as: operator }))).toContain("Sandalwood casket");
    });
  });

  it("stands behind what is meant, too", async () => {
    const { products } = await must(
      "GET",
      "/api/products/search/semantic?query=teak%20deck%20box",
      {
        as: bazaar.operator,
      },
    );
    expect(products[0].name).toBe("Teak deck box");
    expect(products.length).toBeGreaterThan(1);
    expect(products[1].relevance_score).toBeLessThanOrEqual(0.5);
  });
});

describe("what is found", () => {
  it("follows every change at once", async () => {
    const halls = await addCategory(bazaar.operator, "Upper souk");
    const hall = await addCategory(bazaar.operator, "Dyers", halls);
    const product = await list("Skein", {
      category_id: hall,
      attributes: [
        { name: "fibre", value: "Camelhair", searchable: true },
        { name: "origin", value: "Imilchil" },
      ],
      variants: [{ name: "Saffronyellow", sku: "SK-9", ...STOCK }],
    });
    const { operator } = bazaar;
    const finds = async (text: string) => (await found(text)).includes("Skein");
    for (const text of ["skein", "dyers", "upper", "camelhair", "saffronyellow", "sk9"])
      expect(await finds(text), text).toBe(true);
    // Not said to be searchable.
    expect(await finds("imilchil")).toBe(false);

    await change(product.id, {
      attributes: [
        { name: "fibre", value: "Camelhair" },
        { name: "origin", value: "Imilchil", searchable: true },
      ],
    });
    expect([await finds("camelhair"), await finds("imilchil")]).toEqual([false, true]);

    await change(product.id, { variants: [{ name: "Indigoblue", ...STOCK }] });
    expect([await finds("saffronyellow"), await finds("indigoblue")]).toEqual([false, true]);

    await change(product.id, { description: "From the Ourika valley." });
    expect(await finds("ourika")).toBe(true);
    await change(product.id, { external_id: "OX-77" });
    expect(await finds("ox77")).toBe(true);

    await must("PUT", `/api/categories/${halls}`, { as: operator, body: { name: "Riverside" } });
    expect([await finds("upper"), await finds("riverside")]).toEqual([false, true]);
    const other = await addCategory(bazaar.operator, "Hillside");
    await must("PUT", `/api/categories/${hall}`, { as: operator, body: { parent_id: other } });
    expect([await finds("riverside"), await finds("hillside")]).toEqual([false, true]);
    await change(product.id, { category_id: halls });
    expect([await finds("hillside"), await finds("riverside")]).toEqual([false, true]);

    await supabaseAs(bazaar.supplier)
      .from("products")
      .update({ name: "Hank" })
      .eq("id", product.id)
      .throwOnError();
    expect([await found("skein"), await found("hank")]).toEqual([[], ["Hank"]]);
    await must("DELETE", `/api/products/${product.id}`, { as: bazaar.supplier });
    expect(await found("hank")).toEqual([]);
  });

  it("does not change with what is refused", async () => {
    const product = await list("Kilim", { variants: [{ name: "Runner", sku: "KI-1", ...STOCK }] });
    const refused = await call("PUT", `/api/products/${product.id}`, {
      as: bazaar.supplier,
      body: { name: "Boucherouite", variants: [{ name: "x", sku: "AB-123.x" }] },
    });
    expect(refused.status).toBe(409);
    expect(await found("boucherouite")).toEqual([]);
    expect(await found("kilim")).toEqual(["Kilim"]);
    expect(await found("ki1")).toEqual(["Kilim"]);
  });

  it("is what the caller may see", async () => {
    await list("Astrolabe", { status: "draft" });
    await list("Astrolabe of copper");
    expect(await found("astrolabe", bazaar.customer)).toEqual(["Astrolabe of copper"]);
    expect((await found("astrolabe", bazaar.supplier)).sort()).toEqual([
      "Astrolabe",
      "Astrolabe of copper",
    ]);
    expect(await found("astrolabe", bazaar.operator)).toHaveLength(2);
  });

  it("is never another tenant's, and no guess comes from its words", async () => {
    await list("Sextant with mirror");
    await listProduct(rival.supplier, { name: "Quadrant with mirror" });
    expect(await found("mirror")).toEqual(["Sextant with mirror"]);
    expect(await found("mirror", rival.customer)).toEqual(["Quadrant with mirror"]);
    expect(await found("quadrant")).toEqual([]);
    // Known there alone, and near to what is known here: it is guessed at as if it were known nowhere.
    await listProduct(rival.supplier, { name: "Sextans" });
    expect(await found("sextans")).toEqual(["Sextant with mirror"]);
    expect(await found("quadrent")).toEqual([]);
  });

  it("is found however its texts are made", async () => {
    const long = "ä".repeat(3000);
    const words = Array.from({ length: 8000 }, (_, i) => `w${i.toString(36)}`).join(" ");
    const product = await list("Encyclopedia", {
      description: `${long} ${words}`.slice(0, 50_000),
      attributes: Array.from({ length: 200 }, (_, i) => ({
        name: `a${i}`,
        value: `${i} ${"\u{1d538}字".repeat(300)}`,
        searchable: true,
      })),
    });
    expect(await found("encyclopedia w2a")).toEqual(["Encyclopedia"]);
    await change(product.id, { name: "…", description: "", attributes: [] });
    expect(await found("…")).toContain("…");
  });
});

describe("a language", () => {
  it("is the marketplace's, and changes with it", async () => {
    const { operator, supplier, customer, marketplace } = rival;
    const language = (to: string) =>
      must("PUT", `/marketplaces/${marketplace.id}`, { as: operator, body: { language: to } });
    await listProduct(supplier, { name: "Stuhl aus Holz", description: "Für die Küche" });
    const chair = ["Stuhl aus Holz"];
    expect(await found("stühl", customer)).toEqual(chair);
    // To English this is another word, and one that differs by too much.
    expect(await found("Stühlen", customer)).toEqual([]);
    await language("de-AT");
    expect(await found("Stühlen", customer)).toEqual(chair);
    expect(await found("küchen", customer)).toEqual(chair);
    // It is in no text, and is none of the words that count.
    expect(await found("Stühle für Küche", customer)).toEqual(chair);
    await language("ru");
    await listProduct(supplier, { name: "Дома из дерева" });
    expect(await found("доме", customer)).toEqual(["Дома из дерева"]);
    await language("sw");
    expect(await found("holz", customer)).toEqual(chair);
  });
});

describe("the words of a tenant", () => {
  it("are forgotten a day after the last product that had them", async () => {
    const known = async () => {
      const rows = await query<{ word: string }>(
        "select word from private.search_words where tenant_id = $1 and word like 'kasb%' order by word",
        [bazaar.tenantId],
      );
      return rows.map(({ word }) => word);
    };
    const forget = () => query("select private.forget_search_words($1)", [bazaar.tenantId]);
    const age = () =>
      query("update private.search_words set unused_since = unused_since - interval '25 hours'");
    const [stays, goes] = [await list("Kasbah"), await list("Kasbeh")];
    await list("Kasbih");
    await forget();
    expect(await known()).toEqual(["kasbah", "kasbeh", "kasbih"]);
    await change(stays.id, { name: "Fortress" });
    await must("DELETE", `/api/products/${goes.id}`, { as: bazaar.supplier });
    await forget();
    await age();
    await change(stays.id, { name: "Kasbah" });
    await forget();
    expect(await known()).toEqual(["kasbah", "kasbih"]);
    expect(await found("asba")).toEqual(["Kasbah"]);
  });
});
