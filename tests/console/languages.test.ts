import i18next from "i18next";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatIn } from "../../apps/console/src/lib/formats.js";
import { numberFrom, typedNumber } from "../../apps/console/src/lib/numbers.js";
import { ar } from "../../apps/console/src/texts/ar.js";
import { de } from "../../apps/console/src/texts/de.js";
import { en } from "../../apps/console/src/texts/en.js";
import { ORDER_STATUS_NAMES, ROLE_NAMES } from "../../packages/client/src/names.generated.js";

const PLURAL = /_(zero|one|two|few|many|other)$/;

/** The texts of a language by their keys: `orders.title`. */
function textsOf(texts: object, above = ""): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]) =>
      typeof value === "string"
        ? [[`${above}${name}`, value] as const]
        : [...textsOf(value, `${above}${name}.`)],
    ),
  );
}

const baseOf = (key: string) => key.replace(PLURAL, "");
const placeholdersOf = (text: string) => new Set(text.match(/\{\{\w+\}\}/g));
const withNames = (language: "en" | "de" | "ar", texts: object) =>
  textsOf({ ...texts, orderStatus: ORDER_STATUS_NAMES[language], roles: ROLE_NAMES[language] });
const english = withNames("en", en);

describe.each([
  ["en", en],
  ["de", de],
  ["ar", ar],
] as const)("the console's texts in %s", (language, texts) => {
  const all = withNames(language, texts);

  it("have the same keys as English, and none is empty", () => {
    expect(new Set([...all.keys()].map(baseOf))).toEqual(new Set([...english.keys()].map(baseOf)));
    expect([...all].filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it("have the placeholders of the English ones", () => {
    const wanted = new Map(
      [...english].map(([key, text]) => [baseOf(key), placeholdersOf(text)] as const),
    );
    // A text for one entry may omit the number.
    for (const [key, text] of [...all].filter(([key]) => !/_(zero|one|two)$/.test(key))) {
      expect(placeholdersOf(text), key).toEqual(wanted.get(baseOf(key)));
    }
  });

  it("have each plural form of the language", () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const counted = [...all.keys()].filter((key) => PLURAL.test(key));
    expect(counted.length).toBeGreaterThan(0);
    for (const base of new Set(counted.map(baseOf))) {
      const own = counted.filter((key) => baseOf(key) === base);
      expect(own.map((key) => key.slice(base.length + 1)).toSorted(), base).toEqual(forms);
    }
  });
});

it("contain no English in Arabic, and in German only words that exist in German", () => {
  const untranslated = [...withNames("ar", ar)].filter(
    ([, text]) => !/\p{Script=Arabic}/u.test(text),
  );
  expect(untranslated.map(([, text]) => text)).toEqual([
    ...["Excel", "CSV", "JSON"],
    ...["0", "1440", "14", "14", "50", "20"],
  ]);
  const same = [...withNames("de", de)].filter(([key, text]) => english.get(key) === text);
  const words = [...new Set(same.map(([, text]) => text))].filter((text) => /[a-z]/.test(text));
  expect(words.toSorted()).toEqual([
    ...["Admin", "Domain", "Excel", "Filter", "Format", "Import", "Logo", "Name"],
    ...["Organisation", "Problem", "Souk", "Status", "Text"],
  ]);
});

describe("a typed number", () => {
  let before: string;
  beforeAll(async () => {
    await i18next.init({ lng: "en" });
    before = i18next.language;
  });
  afterAll(async () => {
    await i18next.changeLanguage(before);
  });

  it.each([
    ["en", "1,234.50", 1234.5],
    ["en", "12,5", 12.5],
    ["de", "1.234,50", 1234.5],
    ["de", "1.500", 1500],
    ["de", "39,90", 39.9],
    ["de", "39.90", 39.9],
    ["ar", "١٬٢٣٤٫٥", 1234.5],
    ["ar", "٥", 5],
    ["en", "-3", -3],
    ["en", "many", undefined],
    ["en", "1,23,4", undefined],
    ["en", "", undefined],
  ])("in %s, %s, is %s", async (language, text, value) => {
    await i18next.changeLanguage(language);
    expect(numberFrom(text)).toBe(value);
    if (value !== undefined) expect(numberFrom(typedNumber(value))).toBe(value);
  });
});

describe("a change of a figure", () => {
  it.each([
    ["en", "+12.5%", "+12.5%"],
    ["de", "+12.5%", "+12,5 %"],
    ["de", "-50.9%", "-50,9 %"],
    ["en", "0%", "0%"],
  ])("in %s: %s is written as %s", (locale, change, written) => {
    expect(formatIn(locale).change(change).replace("\u00a0", " ")).toBe(written);
  });
});
