import { randomUUID } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import pg from "pg";
import ws from "ws";
import { register } from "../servers.js";
import { type Product, SEARCHABLE } from "./catalogue.js";

/** The output of `start --json`. */
export interface Address {
  url: string;
  functions_url: string;
  anon_key: string;
  service_role_key: string;
  db_url: string | null;
}

/** A tenant with a catalogue, and a customer who searches in it. */
export interface Shop {
  stack: Address;
  tenantId: string;
  /** The customer's token. */
  token: string;
  /** The seller's external id of each product, by its id. */
  names: ReadonlyMap<string, string>;
}

async function send(url: string, token: string | null, type: string, body: string) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": type, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body,
  });
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  const made = (await answer.json()) as any;
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${JSON.stringify(made)}`);
  return made;
}

/** Returns a supabase-js client with a user's token. */
export function supabase({ url, anon_key }: Address, token: string): SupabaseClient {
  return createClient(url, anon_key, {
    accessToken: async () => token,
    realtime: { transport: ws as never },
  });
}

/**
 * Creates the categories of these products and returns their ids by path. Departments define what
 * is searchable.
 */
async function makeCategories(client: SupabaseClient, products: readonly Product[]) {
  const insert = async (rows: object[]) =>
    (await client.from("categories").insert(rows).select("id, name, parent_id").throwOnError())
      .data as { id: string; name: string; parent_id: string | null }[];
  const attributes = SEARCHABLE.map((name) => ({ name, type: "text", searchable: true }));
  const departments = [...new Set(products.map(({ category }) => category[0]))];
  const above = await insert(departments.map((name) => ({ name, attributes })));
  const idOf = new Map(above.map(({ id, name }) => [name, id]));
  const nameOf = new Map(above.map(({ id, name }) => [id, name]));
  const paths = new Map(products.map(({ category }) => [category.join(" > "), category]));
  const below = await insert(
    [...paths.values()].map(([parent, name]) => ({ name, parent_id: idOf.get(parent) })),
  );
  return new Map(
    below.map(({ id, name, parent_id }) => [`${nameOf.get(parent_id as string)} > ${name}`, id]),
  );
}

/** Creates a tenant whose operator imports these products, all active. */
export async function openShop(stack: Address, products: readonly Product[]): Promise<Shop> {
  const operator = await register(stack.functions_url, { tenant_name: "A shop of everything" });
  const { tenantId } = operator;
  const client = supabase(stack, operator.token);
  const fields = {
    name: "Everything",
    category: "all",
    currency: "EUR",
    language: "en",
    domain: `${randomUUID()}.example.com`,
  };
  const draft = await send(
    `${stack.functions_url}/api/marketplaces`,
    operator.token,
    "application/json",
    JSON.stringify(fields),
  );
  await client.from("marketplaces").update({ status: "active" }).eq("id", draft.id).throwOnError();
  const categories = await makeCategories(client, products);
  const lines = products.map(({ external_id, name, description, price, category, attributes }) => ({
    external_id,
    name,
    description,
    price,
    category_id: categories.get(category.join(" > ")),
    attributes,
    quantity: 10,
  }));
  const summary = await send(
    `${stack.functions_url}/api/products/import`,
    operator.token,
    "application/x-ndjson",
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  if (summary.imported !== products.length) {
    throw new Error(
      `not all products could be imported: ${JSON.stringify(summary).slice(0, 2000)}`,
    );
  }
  const names = new Map<string, string>();
  while (names.size < products.length) {
    const { data } = await client
      .from("products")
      .select("id, external_id")
      .order("id")
      .range(names.size, names.size + 999)
      .throwOnError();
    for (const { id, external_id } of data as { id: string; external_id: string }[])
      names.set(id, external_id);
    if (data?.length === 0) throw new Error(`only ${names.size} products exist`);
  }
  const { token } = await register(stack.functions_url, { tenant_id: tenantId });
  return { stack, tenantId, token, names };
}

/**
 * Runs a statement as the superuser. PGlite admits one client at a time, so the connection is
 * closed.
 */
export async function query<Row>(
  stack: Address,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: stack.db_url as string });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Whether this server has the extension vector. */
export async function hasVectors(stack: Address): Promise<boolean> {
  const sql = "select to_regclass('private.product_embeddings') is not null as here";
  return (await query<{ here: boolean }>(stack, sql))[0]?.here === true;
}

/**
 * Resolves when the shop's words are learnt and each of its products has a vector, or at once on a
 * server without
 * vectors; throws until then.
 */
export async function embedded(shop: Shop): Promise<void> {
  if (!(await hasVectors(shop.stack))) return;
  const [state] = await query<{ vectors: number; waiting: number; learnt: boolean }>(
    shop.stack,
    `select
       (select count(*)::integer from private.product_embeddings e where e.tenant_id = $1) as vectors,
       (select count(*)::integer from private.jobs j where j.queue = 'embeddings' and j.tenant_id = $1) as waiting,
       exists (
         select 1 from private.word_lessons l
         where l.tenant_id = $1 and l.learnt_at is not null and not l.is_due
       ) as learnt`,
    [shop.tenantId],
  );
  if (!state?.learnt || state.waiting > 0 || state.vectors < shop.names.size) {
    throw new Error(`not yet learned: ${JSON.stringify(state)}`);
  }
}
