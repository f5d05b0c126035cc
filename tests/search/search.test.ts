import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Text search: the matches, and their relevance.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Product = any;

const STOCK = { inventory: { quantity: 5 } };

let testTenant: TestTenant;
let rival: TestTenant;

beforeAll(async () => {
  [testTenant, rival] = await Promise.all([openTestTenant(), openTestTenant()]);
});

async function search(text: string, more = "", as = testTenant.operator) {
  const list = await must("GET", `/api/products?search=${encodeURIComponent(text)}${more}`, { as });
  return list as { products: Product[]; total: number; filters: Product };
}

const names = ({ products }: { products: Product[] }) => products.map(({ name }) => name);

/** The names of the matches, the most relevant first. */
async function found(text: string, as?: Person): Promise<string[]> {
  return names(await search(text, "", as));
}

const list = (name: string, overrides: object = {}) =>
  listProduct(testTenant.supplier, { name, ...overrides });
const change = (id: string, body: object) =>
  must("PUT", `/api/products/${id}`, { as: testTenant.supplier, body });

async function addCategory(name: string, parent_id: string | null = null): Promise<string> {
  const body = { name, parent_id };
  return (await must("POST", "/api/categories", { as: testTenant.operator, body })).id;
}

describe("a search", () => {
  beforeAll(async () => {
    for (const [name, overrides] of [
      ["Brass lantern", { description: "It throws stars on every wall of the riad." }],
      ["Lanternfish, dried", {}],
      ["Crème brûlée dish", { external_id: "CB/100-7" }],
      ["T-shirt of wool", { variants: [{ name: "Burgundy", sku: "AB-123.x", ...STOCK }] }],
      ["The Who", {}],
      ["Glass & Co. 40% café", {}],
      ["漢字入門 book", {}],
      ["Дом из дерева", {}],
    ] as const) {
      await list(name, overrides);
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
    // Products that match a part of the words.
    ["lantern umbrella", ["Brass lantern", "Lanternfish, dried"]],
    ["brass wall umbrella", ["Brass lantern"]],
    ["umbrella lantern café", []],
    ["lantern 77", []],
    ["AB 124", []],
    // Products that match a corrected word.
    ["lantren", ["Brass lantern"]],
    ["lanttern", ["Brass lantern"]],
    ["brss", ["Brass lantern"]],
    ["burgnudi", ["T-shirt of wool"]],
    ["lxntxrn", []],
    ["ab124", []],
  ])("for %s finds %j", async (text, expected) => {
    expect((await found(text)).sort()).toEqual([...expected].sort());
    const { data } = await supabaseAs(testTenant.operator)
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
  ])("for %j never fails", async (text) => {
    const answer = await call("GET", `/api/products?search=${encodeURIComponent(text)}`, {
      as: testTenant.operator,
    });
    expect(answer.status).toBe(200);
    const direct = await supabaseAs(testTenant.operator).rpc("list_products", { search: text });
    expect(direct.error).toBeNull();
  });

  it("has at most 200 characters", async () => {
    const answer = await call("GET", `/api/products?search=${"a".repeat(201)}`, {
      as: testTenant.operator,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.field).toBe("search");
    // A direct call of the database function ignores the rest.
    const text = `brass ${" ".repeat(300)}${"x".repeat(1_000_000)}`;
    const { data } = await supabaseAs(testTenant.operator)
      .rpc("list_products", { search: text })
      .throwOnError();
    expect(names(data as never)).toEqual(["Brass lantern"]);
  });
});

describe("relevance", () => {
  it("is highest for a name, then for brand, variants and attributes, then for the category, then for the description", async () => {
    const category_id = await addCategory("Zellige");
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
      // Products of equal relevance, newest first.
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

  it("is highest for the exact word, then for a prefix, then for a correction", async () => {
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

  it("does not change a requested sort order, and is still returned", async () => {
    await list("Ottoman, plain", { price: 9 });
    await list("Pouf", { price: 3, description: "Much like an ottoman." });
    const cheapest = await search("ottoman", "&sort=price&order=asc");
    expect(names(cheapest)).toEqual(["Pouf", "Ottoman, plain"]);
    expect(cheapest.products[0].relevance_score).toBeLessThan(cheapest.products[1].relevance_score);
    expect(names(await search("ottoman", "&order=asc"))).toEqual(["Ottoman, plain", "Pouf"]);
    expect(names(await search("ottoman"))).toEqual(["Ottoman, plain", "Pouf"]);
    const all = await must("GET", "/api/products?limit=1", { as: testTenant.operator });
    expect(all.products[0].relevance_score).toBeNull();
    const one = await must("GET", `/api/products/${all.products[0].id}`, {
      as: testTenant.operator,
    });
    expect(one).not.toHaveProperty("relevance_score");
  });

  it("keeps pages disjoint, with totals and filters over the whole result", async () => {
    const category_id = await addCategory("Baskets");
    await supabaseAs(testTenant.supplier)
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

describe("a partial match", () => {
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

  it("needs two words, and is listed after full matches", async () => {
    expect(await found("teak deck chair")).toEqual([
      "Teak deck chair",
      ...["Oak deck chair 45", "Teak deck box"],
    ]);
    const { products } = await search("teak deck chair");
    const [all, ...some] = products.map(({ relevance_score }) => relevance_score);
    for (const score of some) expect(score).toBeLessThan(all / 2);
  });

  it("always contains the numbers", async () => {
    expect(await found("teak deck chair 45")).toEqual(["Oak deck chair 45"]);
    expect(await found("teak bench 45")).toEqual([]);
  });

  it("is omitted when there is a full match of two words, or ten full matches", async () => {
    expect(await found("oak shutter")).toEqual(["Shutter of oak"]);
    for (let i = 0; i < 9; i++) await list(`Deck chair of teak, colour ${"abcdefghi"[i]}`);
    expect(await found("teak deck chair")).toHaveLength(10);
  });

  describe("is only searched within the filters", () => {
    const asLists = (filter: Record<string, string | number>) =>
      Object.fromEntries(
        Object.entries(filter).map(([name, value]) => [
          name,
          typeof value === "string" ? [value] : value,
        ]),
      );
    const filters: [string, () => Promise<Record<string, string | number>>][] = [
      ["brand", async () => ({ brand: "Of the half" })],
      ["price", async () => ({ price_min: 700 })],
      ["category", async () => ({ category: await addCategory("Halves") })],
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
      const asked = `${word} zither`;
      const more = `&${name}=${encodeURIComponent(value)}`;
      const listed = await search(asked, more);
      expect(names(listed)).toEqual([`${word} casket`]);
      expect(listed.filters.price_range).toEqual([800, 800]);
      const { data } = await supabaseAs(testTenant.operator)
        .rpc("list_products", { search: asked, ...asLists(filter) } as never)
        .throwOnError();
      expect(names(data as never)).toEqual([`${word} casket`]);
      const path = `/api/products/search/semantic?query=${encodeURIComponent(asked)}${more}`;
      const { products } = await must("GET", path, { as: testTenant.operator });
      expect(products.map((product: Product) => product.name)).toContain(`${word} casket`);
      expect(await found(asked)).toEqual([asked]);
    });
  });

  it("is listed after matches by meaning, too", async () => {
    const { products } = await must(
      "GET",
      "/api/products/search/semantic?query=teak%20deck%20box",
      {
        as: testTenant.operator,
      },
    );
    expect(products[0].name).toBe("Teak deck box");
    expect(products.length).toBeGreaterThan(1);
    expect(products[1].relevance_score).toBeLessThanOrEqual(0.5);
  });
});

describe("the matches of a search", () => {
  it("follow every change immediately", async () => {
    const parent = await addCategory("Upper souk");
    const category = await addCategory("Dyers", parent);
    const product = await list("Skein", {
      category_id: category,
      attributes: [
        { name: "fibre", value: "Camelhair", searchable: true },
        { name: "origin", value: "Imilchil" },
      ],
      variants: [{ name: "Saffronyellow", sku: "SK-9", ...STOCK }],
    });
    const { operator } = testTenant;
    const finds = async (text: string) => (await found(text)).includes("Skein");
    for (const text of ["skein", "dyers", "upper", "camelhair", "saffronyellow", "sk9"])
      expect(await finds(text), text).toBe(true);
    // The attribute is not searchable.
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

    await must("PUT", `/api/categories/${parent}`, { as: operator, body: { name: "Riverside" } });
    expect([await finds("upper"), await finds("riverside")]).toEqual([false, true]);
    const other = await addCategory("Hillside");
    await must("PUT", `/api/categories/${category}`, { as: operator, body: { parent_id: other } });
    expect([await finds("riverside"), await finds("hillside")]).toEqual([false, true]);
    await change(product.id, { category_id: parent });
    expect([await finds("hillside"), await finds("riverside")]).toEqual([false, true]);

    await supabaseAs(testTenant.supplier)
      .from("products")
      .update({ name: "Hank" })
      .eq("id", product.id)
      .throwOnError();
    expect([await found("skein"), await found("hank")]).toEqual([[], ["Hank"]]);
    await must("DELETE", `/api/products/${product.id}`, { as: testTenant.supplier });
    expect(await found("hank")).toEqual([]);
  });

  it("do not change with refused requests", async () => {
    const product = await list("Kilim", { variants: [{ name: "Runner", sku: "KI-1", ...STOCK }] });
    const refused = await call("PUT", `/api/products/${product.id}`, {
      as: testTenant.supplier,
      body: { name: "Boucherouite", variants: [{ name: "x", sku: "AB-123.x" }] },
    });
    expect(refused.status).toBe(409);
    expect(await found("boucherouite")).toEqual([]);
    expect(await found("kilim")).toEqual(["Kilim"]);
    expect(await found("ki1")).toEqual(["Kilim"]);
  });

  it("are visible to the caller", async () => {
    await list("Astrolabe", { status: "draft" });
    await list("Astrolabe of copper");
    expect(await found("astrolabe", testTenant.customer)).toEqual(["Astrolabe of copper"]);
    expect((await found("astrolabe", testTenant.supplier)).sort()).toEqual([
      "Astrolabe",
      "Astrolabe of copper",
    ]);
    expect(await found("astrolabe", testTenant.operator)).toHaveLength(2);
  });

  it("never contain another tenant's products, and corrections do not use its words", async () => {
    await list("Sextant with mirror");
    await listProduct(rival.supplier, { name: "Quadrant with mirror" });
    expect(await found("mirror")).toEqual(["Sextant with mirror"]);
    expect(await found("mirror", rival.customer)).toEqual(["Quadrant with mirror"]);
    expect(await found("quadrant")).toEqual([]);
    // Only the other tenant has this word, which is close to one here: it is corrected as if nobody had it.
    await listProduct(rival.supplier, { name: "Sextans" });
    expect(await found("sextans")).toEqual(["Sextant with mirror"]);
    expect(await found("quadrent")).toEqual([]);
  });

  it("contain products with unusual texts", async () => {
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
    // In English this is another word, with too large a distance.
    expect(await found("Stühlen", customer)).toEqual([]);
    await language("de-AT");
    expect(await found("Stühlen", customer)).toEqual(chair);
    expect(await found("küchen", customer)).toEqual(chair);
    // A stop word that is in no text does not count.
    expect(await found("Stühle für Küche", customer)).toEqual(chair);
    await language("ru");
    await listProduct(supplier, { name: "Дома из дерева" });
    expect(await found("доме", customer)).toEqual(["Дома из дерева"]);
    await language("sw");
    expect(await found("holz", customer)).toEqual(chair);
  });
});

describe("the words of a tenant", () => {
  it("are deleted a day after the last product that contained them", async () => {
    const known = async () => {
      const rows = await query<{ word: string }>(
        "select word from private.search_words where tenant_id = $1 and word like 'kasb%' order by word",
        [testTenant.tenantId],
      );
      return rows.map(({ word }) => word);
    };
    const forget = () => query("select private.delete_old_search_words($1)", [testTenant.tenantId]);
    const age = () =>
      query("update private.search_words set unused_since = unused_since - interval '25 hours'");
    const [stays, goes] = [await list("Kasbah"), await list("Kasbeh")];
    await list("Kasbih");
    await forget();
    expect(await known()).toEqual(["kasbah", "kasbeh", "kasbih"]);
    await change(stays.id, { name: "Fortress" });
    await must("DELETE", `/api/products/${goes.id}`, { as: testTenant.supplier });
    await forget();
    await age();
    await change(stays.id, { name: "Kasbah" });
    await forget();
    expect(await known()).toEqual(["kasbah", "kasbih"]);
    expect(await found("asba")).toEqual(["Kasbah"]);
  });
});

describe("words with several spellings", () => {
  let shop: TestTenant;
  const asked = async (text: string, path = "/api/products?search=") => {
    const where = `${path}${encodeURIComponent(text)}`;
    const { products } = await must("GET", where, { as: shop.operator });
    return products.map(({ name, relevance_score }: Product) => [name, relevance_score]);
  };
  const sell = (...products: (string | [string, object])[]) =>
    Promise.all(
      products.map((product) => {
        const [name, overrides] = typeof product === "string" ? [product, {}] : product;
        return listProduct(shop.supplier, { name, ...overrides });
      }),
    );

  beforeAll(async () => {
    shop = await openTestTenant();
  });

  it.each([
    ["wifi", "Wi-Fi router"],
    ["wi-fi", "WiFi repeater"],
    ["wi\u2011fi", "WiFi camera"],
    ["hifi", "Hi-Fi tower"],
    ["Hi-Fi", "Hifi speaker"],
    ["16gb", "Memory of 16 GB"],
    ["16 GB", "Stick with 16GB"],
    ["16-GB", "Card with 16 GB"],
    ["500ml", "Bottle, 500 ml"],
    ["500 ml", "Flask 500ml"],
    ["1,5l", "Jug of 1.5 l"],
    ["1.5 l", "Kettle 1,5l"],
    ["1,5 L", "Pot 1.5L"],
    ["ESP32-C6", "Board ESP32-C6"],
    ["esp32c6", "Kit ESP32-C6"],
    ["ESP32-C6", "Module ESP32C6"],
    ["tshirt", "T-Shirt, plain"],
    ["node.js", "Nodejs handbook"],
    ["h&m", "H&M voucher"],
    ["mens", "Men's hat"],
    ["stainless-steel", "Stainless steel spoon"],
  ])("finds %s for %s, and products with the same spelling", async (text, name) => {
    await sell(name, `${text} as it is asked`);
    const all = await asked(text);
    const scores = Object.fromEntries(all);
    expect(scores[name]).toBeGreaterThan(0.9 * scores[`${text} as it is asked`]);
  });

  it("distinguishes numbers with the same beginning", async () => {
    await sell("Bucket, 5 l", "Bucket, 15 l");
    for (const text of ["1,5 l", "1.5l"]) {
      const seen = (await asked(text)).map(([name]: [string]) => name);
      expect(seen).not.toContain("Bucket, 5 l");
      expect(seen).not.toContain("Bucket, 15 l");
    }
  });

  it.each([
    ["vitamin a", "Vitamin A capsules", ["Vitamin B capsules", "Vitamin C", "Vitamin D drops"]],
    ["down jacket", "Down jacket", ["Rain jacket", "Jacket of wool", "Winter jacket"]],
    ["can opener", "Can opener", ["Bottle opener", "Opener"]],
    ["t-shirt", "White T-shirt", ["White shirt", "Shirt"]],
    ["off road tyre", "Off-road tyre", ["Road tyre", "Summer road tyre"]],
  ])("ranks the product with the stop word first for %s", async (text, first, others) => {
    shop = await openTestTenant();
    await sell(...others, first, ...others.map((name) => `Other ${name}`));
    for (const path of ["/api/products?search=", "/api/products/search/semantic?query="]) {
      const [best, next] = await asked(text, path);
      expect([path, best[0]]).toEqual([path, first]);
      expect(best[1]).toBeGreaterThan(next[1]);
    }
  });

  it("uses only the stop words of the requested marketplace", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    await openMarketplace(operator, { language: "da" });
    for (const name of ["Men jacket", "Women jacket", "Rain jacket"]) {
      await listProduct(supplier, { name, marketplace_id: marketplace.id });
    }
    const here = `&marketplace_id=${marketplace.id}`;
    const seen = names(await search("men jacket", here, operator));
    expect(seen[0]).toBe("Men jacket");
    expect(seen).not.toContain("Rain jacket");
    // The stop words of its own language need not match.
    expect(names(await search("jacket for the rain", here, operator))).toEqual(["Rain jacket"]);
  });

  it.each([
    ["ปั่นน้ำ", "เครื่องปั่นน้ำผลไม้พกพาไร้สายชาร์จไฟได้พร้อมขวดสำรองและแปรงทำความสะอาด"],
    [
      "掃除機",
      "超軽量コードレススティック掃除機充電式強力吸引自走式ヘッド付属壁掛け収納スタンドセット収納袋付き替えフィルター付き",
    ],
    [
      "保温杯",
      "不锈钢真空保温杯大容量便携式户外运动水壶带茶隔男女通用学生办公室车载家用礼品定制刻字免费送货上门服务包邮正品保证",
    ],
    [
      "dampfschiff",
      "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    ],
    [
      "unterbeamten",
      "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    ],
  ])("finds %s inside %s, in a name and in a description", async (part, whole) => {
    const { operator, supplier } = await openTestTenant();
    await listProduct(supplier, { name: whole });
    await listProduct(supplier, { name: "Whole", description: `${whole}。` });
    expect(names(await search(part, "", operator))).toEqual([whole, "Whole"]);
    expect(names(await search(whole, "", operator)).sort()).toEqual(["Whole", whole].sort());
  });

  it.each([
    ["tablecloth", "Table\u00adcloth of linen"],
    ["table\u00adcloth", "Tablecloth, red"],
    ["table\u200bcloth", "Tablecloth, blue"],
    ["\ufeffpillow\u2060case", "Pillow\u200dcase"],
    ["gorilla", "Gorilla™ glue"],
    ["gorilla™", "Gorilla tape"],
    ["tefal®", "TEFAL pan"],
    ["tefal", "TEFAL® pot"],
    ["brand", "Brand©Name"],
    ["3 1/2 inch", "Screws 3½ inch"],
    ["3½", "Pipe of 3 1/2"],
    ["ﬁlter", "Filter for coffee"],
  ])("finds for %j %j, ignoring invisible characters", async (text, name) => {
    const { operator, supplier } = await openTestTenant();
    await listProduct(supplier, { name });
    expect(names(await search(text, "", operator))).toEqual([name]);
  });

  it.each([
    ["كتاب", "كِتَابٌ قديم"],
    ["كـــتاب", "كتاب جديد"],
    ["احمر", "أحمر غامق"],
    ["إبريق", "ابريق شاي"],
    ["حقيبه", "حقيبة جلد"],
    ["مقهي", "مقهى صغير"],
    ["کتاب", "كتاب للأطفال"],
    ["گوشی", "گوشي سامسونج"],
    ["١٢٣٤", "Lamp 1234"],
  ])("finds for %s %s, in a shop of any language", async (text, name) => {
    const { operator, supplier } = await openTestTenant();
    await listProduct(supplier, { name });
    await listProduct(supplier, { name: "Lamp" });
    expect(names(await search(text, "", operator))).toEqual([name]);
  });

  it("distinguishes c++ and c# from other words with c", async () => {
    const { operator, supplier } = await openTestTenant();
    for (const name of ["Candle", "C for beginners", "Learn C++", "C# in depth", "Cup"]) {
      await listProduct(supplier, { name });
    }
    expect(names(await search("c++", "", operator))).toEqual(["Learn C++"]);
    expect(names(await search("C#", "", operator))).toEqual(["C# in depth"]);
    expect(names(await search("learn c++", "", operator))).toEqual(["Learn C++"]);
    expect(names(await search("c", "", operator))).toHaveLength(5);
  });

  it("ignores a text of only spaces", async () => {
    for (const blank of [" ", " \u00a0\t", "\u3000"]) {
      const answer = await search(blank);
      expect(answer.total).toBe(
        (await must("GET", "/api/products", { as: testTenant.operator })).total,
      );
      expect(answer.products[0].relevance_score).toBeNull();
    }
  });
});
