import { z } from "@hono/zod-openapi";
import { language } from "../values/languages.ts";

/** The fields of an address that differ by country. */
const countryField = z.enum(["street", "city", "region", "postal_code"]).openapi("CountryField");

const code = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be a country of ISO 3166-1, such as DE")
  .openapi({ example: "DE" });

/** A country in a request. Whether there is such a country is checked in the database. */
export const country = code.openapi({
  description: "An ISO 3166-1 alpha-2 code, in capital letters. `/api/countries` lists them.",
});

export const countriesQuery = z.object({
  language: language.optional().openapi({
    description: "The language of the names, and of the labels if it is en, de or ar. Default: en.",
  }),
});

export const countries = z
  .object({
    countries: z
      .array(
        z
          .object({
            code,
            name: z.string(),
            required: z.array(countryField).openapi({
              description: "The fields that an address in the country must have.",
            }),
            labels: z.partialRecord(countryField, z.string()).openapi({
              description:
                "The fields that addresses in the country have, in its usual order, by their names there.",
              example: { street: "Street and number", postal_code: "Postal code", city: "City" },
            }),
            postal_code_example: z
              .string()
              .nullable()
              .openapi({ description: "Null if postal codes are not checked.", example: "26133" }),
          })
          .openapi("Country"),
      )
      .openapi({ description: "Sorted by name." }),
  })
  .openapi("CountryList");
