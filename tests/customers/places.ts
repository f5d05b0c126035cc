import { query } from "../database.js";

/** The tables of the whole database that have one of these words in a row, in any case. */
export async function placesOf(words: readonly string[]): Promise<string[]> {
  const tables = await query<{ name: string }>(`
    select format('%I.%I', c.relnamespace::regnamespace::text, c.relname) as name
    from pg_class c
    where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
    order by name`);
  const counts = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*)::integer as rows from ${name} t where t::text ilike any ($1)`,
  );
  const patterns = words.map((word) => `%${word.replaceAll(/[%_\\]/g, "\\$&")}%`);
  const found = await query<{ name: string; rows: number }>(counts.join(" union all "), [patterns]);
  return found.flatMap(({ name, rows }) => (rows > 0 ? [`${name}: ${rows}`] : []));
}
