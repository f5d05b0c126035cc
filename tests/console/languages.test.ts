import i18next from "i18next";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatIn } from "../../apps/console/src/lib/formats.js";
import { numberFrom, typedNumber } from "../../apps/console/src/lib/numbers.js";
import { fieldTextOf } from "../../apps/console/src/lib/rules.js";
import { ar } from "../../apps/console/src/texts/ar.js";
import { de } from "../../apps/console/src/texts/de.js";
import { en } from "../../apps/console/src/texts/en.js";
import { ORDER_STATUS_NAMES, ROLE_NAMES } from "../../packages/client/src/names.generated.js";
import { call, marketplaceFields, openTestTenant } from "../souk.js";

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
  // The name of a tax, as the shop writes it, and its rate.
  const tax = "{{name}} {{rate}}";
  expect(untranslated.map(([, text]) => text)).toEqual([
    tax,
    ...["Excel", "CSV", "JSON"],
    ...["0", "1440", "360", "14", "14", "50"],
  ]);
  const same = [...withNames("de", de)].filter(([key, text]) => english.get(key) === text);
  const words = [...new Set(same.map(([, text]) => text))].filter((text) => /[a-z]/.test(text));
  expect(words.toSorted()).toEqual([
    ...["Admin", "Domain", "Excel", "Filter", "Format", "Import", "Logo", "Name"],
    ...["Organisation", "Problem", "Souk", "Status", "Text", tax],
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

describe("the text about a refused field", () => {
  beforeAll(async () => {
    const resources = { en: { translation: en }, de: { translation: de }, ar: { translation: ar } };
    await i18next.init({ lng: "en", fallbackLng: "en", resources });
  });

  it.each([
    ["name", "name: must have a visible character", de.rules.visible],
    ["price", "price is missing", de.rules.missing],
    ["supplier_id", "supplier_id is required for the role supplier.", de.rules.missing],
    ["domain", "domain: must be a host name", de.rules.hostName],
    ["email", "must be an e-mail address", de.rules.email],
    ["settings.branding.logo_url", "must be an address (https://…)", de.rules.address],
    ["settings.branding.colors.text", "must be a color like #1a2b3c", de.rules.color],
    ["key", "must be at most 50 lower-case letters, digits, _ and -", de.rules.slug],
    ["slug", "slug must be lower-case letters, digits and hyphens", de.rules.hyphens],
    ["slug", "slug must be no id and no path of the api.", de.rules.taken],
    [
      "slug",
      "Another product of this marketplace has this slug, or had it before.",
      de.rules.taken,
    ],
    ["attributes[0].name", "name must be different for each attribute.", de.rules.different],
    ["status", "must be one of draft, active", de.rules.oneOf],
    ["recipient", "recipient must be operator or supplier.", de.rules.oneOf],
    ["until", "until must be a date or time that is not after today", de.rules.notAfterToday],
    ["amount", "must not be 0", de.rules.notZero],
    ["amount", "amount must be an amount other than 0, below 1,000,000,000,000", de.rules.notZero],
    ["x", "is not known here", de.rules.unknown],
    ["name", "must have at least 1 character", "Dies muss mindestens 1 Zeichen haben."],
    [
      "description",
      "must have at most 10000 characters",
      "Dies darf höchstens 10.000 Zeichen haben.",
    ],
    [
      "settings.business.commission_percent",
      "settings.business.commission_percent must be a number from 0 to 100 with at most 4 decimals.",
      "Dies muss eine Zahl von 0 bis 100 sein.",
    ],
    [
      "settings.business.return_days",
      "settings.business.return_days must be a whole number from 1 to 365.",
      "Dies muss eine ganze Zahl von 1 bis 365 sein.",
    ],
    ["bidAmount", "bidAmount must be at least 0.10.", "Dies muss mindestens 0,1 sein."],
    [
      "price",
      "A price in this currency has at most 2 decimals.",
      "Möglich sind höchstens 2 Nachkommastellen.",
    ],
    ["name", "Something that nobody foresaw.", de.rules.other],
  ])("in German: %s, %s", async (field, message, text) => {
    await i18next.changeLanguage("de");
    expect(fieldTextOf("VALIDATION_ERROR", field, message)).toBe(text);
  });

  it("says what to do with the files of a phone", async () => {
    const { supplier } = await openTestTenant();
    for (const [content_type, rule] of [
      ["image/heic", "toJpeg"],
      ["image/tiff", "toImage"],
      ["video/quicktime", "toMp4"],
    ] as const) {
      const body = { filename: "IMG_1", size: 1, content_type };
      const { error } = (await call("POST", "/api/media", { as: supplier, body })).body;
      for (const [language, texts] of Object.entries({ en, de, ar })) {
        await i18next.changeLanguage(language);
        expect(fieldTextOf(error.code, error.details.field, error.message)).toBe(texts.rules[rule]);
      }
    }
    await i18next.changeLanguage("en");
  });

  it("is never English in German and Arabic, whatever the API refuses", async () => {
    const { operator, marketplace } = await openTestTenant();
    const put = (settings: object) =>
      call("PUT", `/api/marketplaces/${marketplace.id}`, { as: operator, body: { settings } });
    const post = (path: string, body: object) => call("POST", path, { as: operator, body });
    const answers = await Promise.all([
      post("/api/marketplaces", { name: " ", domain: "a b", currency: "eur", language: 1 }),
      post("/api/marketplaces", marketplaceFields({ domain: marketplace.domain })),
      post("/api/products", { name: 5, price: -1, kind: "x", images: [{}], variants: [{}] }),
      post("/api/products", { name: "Tray", price: 1.234 }),
      post("/api/categories", { name: "a", attributes: [{ name: "a", type: "select" }] }),
      post("/auth/invitations", { email: "nobody", role: "king" }),
      put({ business: { commission_percent: 101, return_days: 0, payment_methods: ["a", "a"] } }),
      put({
        branding: { logo_url: "x", colors: { text: "red" } },
        seo: { title: "x".repeat(201) },
      }),
      put({ business: { delivery: { methods: [{ key: "A b", name: "", price: -1 }] } } }),
    ]);
    for (const language of ["de", "ar"]) {
      await i18next.changeLanguage(language);
      const own = [...textsOf(language === "de" ? de.rules : ar.rules).values()];
      const withoutNumbers = (text: string) => text.replace(/\{\{\w\}\}|[\d.,]+/g, "");
      for (const { status, body } of answers) {
        expect([409, 422]).toContain(status);
        const { code, message, details } = body.error;
        const { field, errors = [{ field, message }] } = details;
        for (const one of errors) {
          const text = fieldTextOf(code, one.field, one.message ?? message);
          expect(own.map(withoutNumbers)).toContain(withoutNumbers(text));
        }
      }
    }
    await i18next.changeLanguage("en");
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
