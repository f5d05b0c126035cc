import type { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { LANGUAGES } from "../values/languages.ts";
import { FIELD_NAMES } from "./field_names.ts";
import { countries, countriesQuery } from "./schema.ts";

/** Routes below /countries. */
export const countryRoutes = createRoutes();

type Country = z.infer<typeof countries>["countries"][number];

/** A country as list_countries of the database returns it. */
type Row = Pick<Country, "code" | "required" | "postal_code_example"> & {
  fields: Country["required"];
  kinds: Partial<Record<string, string>>;
};

/** The language of a tag if Intl knows its form; otherwise English. */
function knownLanguage(tag = "en"): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}

/** The countries with their names and the labels of their fields, sorted by name. */
function named(rows: Row[], tag?: string): Country[] {
  const language = knownLanguage(tag);
  const names = new Intl.DisplayNames([language, "en"], { type: "region" });
  const words = FIELD_NAMES[LANGUAGES.find((one) => one === language.split("-")[0]) ?? "en"];
  const { compare } = new Intl.Collator(language);
  return rows
    .map(({ fields, kinds, ...row }) => ({
      ...row,
      name: names.of(row.code) ?? row.code,
      labels: Object.fromEntries(
        fields.map((field) => [field, words[kinds[field] ?? field] ?? field]),
      ),
    }))
    .sort((one, other) => compare(one.name, other.name));
}

countryRoutes.openapi(
  createRoute({
    tags: ["Orders"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "countries.list",
    visitors: true,
    permission: "everyone",
    summary: "List the countries of addresses, with what an address there must have",
    description:
      "For a form: `labels` has the fields of the country, and `required` those that an order's address must have.",
    request: { query: countriesQuery },
    responses: answers(200, countries, "The countries, sorted by name"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_countries").throwOnError();
    const { countries: rows } = data as unknown as { countries: Row[] };
    return c.json(countries.parse({ countries: named(rows, c.req.valid("query").language) }), 200);
  },
);
