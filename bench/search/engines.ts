import { decodeJwt } from "jose";
import pg from "pg";
import { type Shop, supabase } from "./shop.js";

/** Number of results, which is the depth of recall. */
export const DEPTH = 50;

/** A search engine to compare. */
export interface Engine {
  name: string;
  /** Returns the ids of the results, best first. */
  find(text: string): Promise<string[]>;
  close?(): Promise<void>;
}

async function ask(shop: Shop, path: string): Promise<string[]> {
  const answer = await fetch(`${shop.stack.functions_url}${path}`, {
    headers: { authorization: `Bearer ${shop.token}` },
  });
  const body = (await answer.json()) as { products: { id: string }[] };
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body.products.map(({ id }) => id);
}

/** A part of the name through PostgREST: the lower bound. */
export function ilike(shop: Shop): Engine {
  const client = supabase(shop.stack, shop.token);
  return {
    name: "ilike",
    async find(text) {
      const pattern = `%${text.replace(/[%_\\]/g, "\\$&")}%`;
      const found = client.from("products").select("id").ilike("name", pattern);
      const { data } = await found.order("name").limit(DEPTH).throwOnError();
      return (data as { id: string }[]).map(({ id }) => id);
    },
  };
}

/** The search of the list of products. */
export function text(shop: Shop): Engine {
  const path = (search: string) =>
    `/api/products?${new URLSearchParams({ search })}&limit=${DEPTH}`;
  return { name: "text", find: (search) => ask(shop, path(search)) };
}

/** Only semantic search, as a database query of the customer. */
export async function semantic(shop: Shop): Promise<Engine> {
  const client = new pg.Client({ connectionString: shop.stack.db_url as string });
  await client.connect();
  const claims = JSON.stringify(decodeJwt(shop.token));
  return {
    name: "semantic",
    async find(query) {
      await client.query("begin");
      try {
        await client.query(
          "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
          [claims],
        );
        const { rows } = await client.query<{ id: string }>(
          `select m.id
           from private.products_meant(
             query => $1, embedding => null, branch => null, filters => null, wanted => $2
           ) as m
           order by m.closeness desc`,
          [query, DEPTH],
        );
        return rows.map(({ id }) => id);
      } finally {
        await client.query("rollback");
      }
    },
    close: () => client.end(),
  };
}

/** Text and semantic search combined. */
export function hybrid(shop: Shop): Engine {
  const path = (query: string) =>
    `/api/products/search/semantic?${new URLSearchParams({ query })}&limit=${DEPTH}`;
  return { name: "hybrid", find: (query) => ask(shop, path(query)) };
}
