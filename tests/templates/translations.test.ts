import { expect, it } from "vitest";
import type { Warning } from "../../supabase/functions/_shared/templates/template.ts";
import {
  createTranslate,
  type Localization,
} from "../../supabase/functions/_shared/templates/translations.ts";
import { isRightToLeft } from "../../supabase/functions/_shared/values/languages.ts";

const in_ = (language: string, translations: Localization["translations"]): Localization => ({
  language,
  translations,
});

function speak(...localizations: Localization[]) {
  const warnings: Warning[] = [];
  return { warnings, t: createTranslate(localizations, (warning) => warnings.push(warning)) };
}

it("uses the first language that has the key", () => {
  const { t, warnings } = speak(
    in_("de-AT", [{ key: "a", value: "Österreich" }]),
    in_("de", [
      { key: "a", value: "Deutsch" },
      { key: "b", value: "Beide" },
    ]),
    in_("en", [{ key: "c", value: "English" }]),
  );
  expect([t("a"), t("b"), t("c")]).toEqual(["Österreich", "Beide", "English"]);
  expect(warnings).toEqual([]);
});

it("shows a missing key, with one warning", () => {
  const { t, warnings } = speak(in_("en", []));
  expect([t("x.y"), t("x.y", 2), t("constructor")]).toEqual(["x.y", "x.y", "constructor"]);
  expect(warnings.map(({ code, message }) => [code, message.includes("x.y")])).toEqual([
    ["TRANSLATION_MISSING", true],
    ["TRANSLATION_MISSING", false],
  ]);
});

it("chooses the plural form for a count", () => {
  const plural_forms = {
    zero: "0",
    one: "one {{ count }}",
    two: "two {{count}}",
    few: "few {{ count }}",
    many: "many {{ count }}",
    other: "other {{ count }}",
  };
  const key = { key: "k", value: "value", plural_forms };
  const english = speak(in_("en", [key])).t;
  expect([0, 1, 2, 1234.5].map((n) => english("k", n))).toEqual([
    "0",
    "one 1",
    "other 2",
    "other 1,234.5",
  ]);
  const polish = speak(in_("pl", [key])).t;
  expect([1, 2, 5, 22].map((n) => polish("k", n))).toEqual(["one 1", "few 2", "many 5", "few 22"]);
  const arabic = speak(in_("ar-u-nu-latn", [key])).t;
  expect([0, 1, 2, 3, 11, 100].map((n) => arabic("k", n))).toEqual([
    "0",
    "one 1",
    "two 2",
    "few 3",
    "many 11",
    "other 100",
  ]);
  expect(english("k")).toBe("value");
});

it("keeps dollar signs, and accepts unknown languages", () => {
  const { t } = speak(in_("x_y", [{ key: "k", value: "$& {{ count }}" }]));
  expect(t("k", 3)).toBe("$& 3");
});

it("knows the direction of languages", () => {
  expect(["ar", "ar-EG", "he", "fa", "ur-PK", "pa-Arab"].every(isRightToLeft)).toBe(true);
  expect(["en", "de", "arn", "fr-CA", "az-Latn", "hebrew"].some(isRightToLeft)).toBe(false);
});
