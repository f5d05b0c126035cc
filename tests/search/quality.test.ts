import { beforeAll, describe, expect, it } from "vitest";
import { makeCatalogue } from "../../bench/search/catalogue.js";
import { type Engine, hybrid, ilike, text } from "../../bench/search/engines.js";
import { gain, ndcg, recall } from "../../bench/search/measures.js";
import { type Judged, judge, meanOf } from "../../bench/search/quality.js";
import { queries } from "../../bench/search/queries.js";
import { type Condition, grade, kinds } from "../../bench/search/rules.js";
import { embedded, hasVectors, openShop, type Shop } from "../../bench/search/shop.js";
import { spelledProducts, spelledQueries } from "../../bench/search/spellings.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";

describe("the quality metrics", () => {
  it("equal values computed by hand", () => {
    // 7 / log2(2) + 3 / log2(3) + 7 / log2(4) + 0 + 1 / log2(6) + 3 / log2(7)
    const grades = [3, 2, 3, 0, 1, 2];
    expect(gain(grades, 6)).toBeCloseTo(13.8483, 3);
    expect(gain(grades, 2)).toBeCloseTo(8.8928, 3);
    const judged = new Map(grades.map((grade, at) => [`${at}`, grade]));
    const asFound = grades.map((_, at) => `${at}`);
    expect(ndcg(asFound, judged, 6)).toBeCloseTo(0.9488, 3);
    expect(ndcg(["0", "2", "1", "5", "4", "3"], judged, 6)).toBeCloseTo(1, 10);
    expect(ndcg(["3", "somebody else's"], judged, 6)).toBe(0);
    expect(ndcg(asFound, new Map([["0", 0]]), 6)).toBe(0);
    // The products with grade 2 or 3 are at 0, 1, 2 and 5.
    expect(recall(asFound, judged, 6)).toBe(1);
    expect(recall(asFound, judged, 3)).toBe(1);
    expect(recall(["0", "4", "0", "5"], judged, 4)).toBe(0.5);
    expect(recall([], judged, 50)).toBe(0);
  });
});

describe("the judged queries", () => {
  const catalogue = makeCatalogue();

  it("use a deterministic catalogue", () => {
    expect(catalogue.length).toBeGreaterThan(2000);
    expect(makeCatalogue()).toEqual(catalogue);
  });

  it("each have matching products", () => {
    expect(queries.length).toBeGreaterThanOrEqual(60);
    expect(new Set(queries.map(({ text }) => text)).size).toBe(queries.length);
    const judged = [...queries, ...spelledQueries];
    expect(new Set(judged.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
    for (const { text, rule } of spelledQueries)
      expect(
        spelledProducts.filter((product) => grade(rule, product) === 3),
        text,
      ).not.toEqual([]);
    for (const { text, rule } of queries) {
      const wanted = catalogue.filter((product) => grade(rule, product) >= 2);
      expect(wanted.length, text).toBeGreaterThanOrEqual(3);
      expect(wanted.length, text).toBeLessThan(catalogue.length / 10);
    }
  });

  it("have associations whose words are missing in the names of a third of the matches", () => {
    for (const { text, rule } of queries.filter(({ kind }) => kind === "association")) {
      const asked = text.match(/\b[a-z]{4,}/g) ?? [];
      const wanted = catalogue.filter((product) => grade(rule, product) === 3);
      const named = wanted.filter(({ name }) =>
        asked.some((word) => name.toLowerCase().includes(word)),
      );
      expect(named.length, text).toBeLessThanOrEqual((wanted.length * 2) / 3);
    }
  });

  it("paraphrase with other words than their matches", () => {
    const wordsOf = (phrase: string) => phrase.toLowerCase().match(/(?!with\b)\b[a-z]{4,}/g) ?? [];
    for (const { text, rule } of queries.filter(({ kind }) => kind === "paraphrase")) {
      const words = catalogue
        .filter((product) => grade(rule, product) === 3)
        .flatMap(({ name, attributes }) => [name, ...attributes.map(({ value }) => value)])
        .flatMap(wordsOf);
      expect(
        wordsOf(text).filter((word) => words.includes(word)),
        text,
      ).toEqual([]);
    }
  });
});

describe("search", () => {
  // A part of the catalogue that is imported and learned in a few seconds, with products that are easily confused.
  const keys = new Set([
    ...["sofa", "sofa-cover", "armchair", "frying-pan", "pan-lid", "kettle", "teapot", "rug"],
    ...["rug-underlay", "doormat", "torch", "head-torch", "vacuum-flask", "water-bottle", "towel"],
    ...["trousers", "pyjamas", "slippers", "raincoat", "umbrella", "cot", "dummy", "baby-monitor"],
    ...["garden-bench", "garden-chair", "chair-cushion", "hammock", "lawn-mower", "curtain"],
    ...["hammer", "spanner", "screwdriver", "bike-lock", "bike-pump"],
  ]);
  const products = makeCatalogue({ keys, most: 8 });
  // Without associations, because of a customer's rate limit.
  const asked = queries.filter(
    ({ kind, rule }) =>
      kind !== "association" &&
      rule.some(([best, { family }]: readonly [number, Condition]) => {
        return best === 3 && family && [family].flat().every((key) => keys.has(key));
      }),
  );
  const engines = new Map<string, Judged[]>();
  let shop: Shop;

  beforeAll(async () => {
    shop = await openShop(ownStack, products);
    await eventually(() => embedded(shop));
  });

  async function judged(engine: Engine): Promise<Judged[]> {
    const made = engines.get(engine.name) ?? (await judge(engine, asked, products, shop.names));
    engines.set(engine.name, made);
    return made;
  }

  it("by words finds better matches than a substring of the name", async () => {
    const [floor, words] = [await judged(ilike(shop)), await judged(text(shop))];
    expect(meanOf(words, "ndcg")).toBeGreaterThan(meanOf(floor, "ndcg"));
    expect(meanOf(words, "recall")).toBeGreaterThan(meanOf(floor, "recall"));
  });

  it("by words and meaning finds no worse matches than by words only", async ({ skip }) => {
    skip(!(await hasVectors(ownStack)), "this server lacks the extension vector");
    const [words, both] = [await judged(text(shop)), await judged(hybrid(shop))];
    expect(meanOf(both, "ndcg")).toBeGreaterThanOrEqual(meanOf(words, "ndcg"));
    expect(meanOf(both, "recall")).toBeGreaterThanOrEqual(meanOf(words, "recall"));
  });
});
