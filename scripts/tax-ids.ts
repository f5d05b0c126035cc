/**
 * Writes the rows of private.tax_id_forms, the forms of tax ids in the European Union, from the rules of jsvat
 * (https://github.com/se-panfilov/jsvat, MIT):
 *
 *   git clone https://github.com/se-panfilov/jsvat
 *   node --import tsx scripts/tax-ids.ts jsvat/src/lib/countries
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "supabase/reference/tax_ids.sql";
const EU = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(
  " ",
);

/** What a country has changed since then. Belgium also assigns numbers that begin with 1. */
const NEWER: Record<string, string[]> = { BE: ["(BE)([01]?\\d{9})"] };

const [folder] = process.argv.slice(2);
if (!folder)
  throw new Error("Name the folder of the rules: node --import tsx scripts/tax-ids.ts FOLDER");

/** The patterns of each country by its code, without anchors. */
const patterns = Object.fromEntries(
  readdirSync(folder).map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const code = text.match(/codes: \['([A-Z]{2})'/)?.[1] ?? "";
    const rules = text.match(/regex: \[([\s\S]*?\/)\s*\]/)?.[1] ?? "";
    return [code, [...rules.matchAll(/\/\^(.*?)\$\//g)].map(([, pattern]) => pattern as string)];
  }),
);

const rows = EU.map((code) => {
  const forms = NEWER[code] ?? patterns[code] ?? [];
  if (forms.length === 0) throw new Error(`There are no rules for ${code}.`);
  const unknown = forms.join("|").match(/\\[^d.]|\(\?/);
  if (unknown) throw new Error(`Postgres may read ${unknown[0]} of ${code} differently.`);
  return `  ('${code}', '${forms.map((form) => form.replaceAll(/\((?=[A-Z\\[]|0)/g, "(?:")).join("|")}')`;
});

writeFileSync(
  FILE,
  `-- The forms of tax ids in the European Union. Made by scripts/tax-ids.ts from the rules of jsvat
-- (https://github.com/se-panfilov/jsvat, MIT).

insert into private.tax_id_forms (country, pattern) values
${rows.join(",\n")}
on conflict (country) do update set pattern = excluded.pattern;
`,
);
