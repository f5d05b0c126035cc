import { z } from "@hono/zod-openapi";
import { PostgrestError } from "@supabase/postgrest-js";
import type { Context } from "hono";
import type { Env } from "./env.ts";
import { isVisible } from "./names.ts";
import { decimal } from "./query.ts";

const MAX_LIMIT = 1000;

/** How many records a page has at most. */
export const limit = decimal(z.number().int().min(1))
  .default(100)
  .transform((wanted) => Math.min(wanted, MAX_LIMIT))
  .openapi({ description: "At most 1000; more is cut to that." });

/** What a list is searched for. A text without a visible character is no search. */
export const search = z
  .string()
  .min(1)
  .max(200)
  .transform((text) => (isVisible(text) ? text : undefined))
  .optional();

/** The query of every list: which page, how long, in which order. */
export function listQuery<const Field extends string>(sortable: readonly [Field, ...Field[]]) {
  return z.object({
    page: decimal(z.number().int().min(1).max(1_000_000)).default(1),
    limit,
    sort: z.enum(sortable).default(sortable[0]),
    order: z.enum(["asc", "desc"]).default("desc"),
  });
}

interface ListQuery {
  page: number;
  limit: number;
  sort: string;
  order: "asc" | "desc";
}

/** What a query of postgrest-js offers a list; its own types differ by table. */
interface Listable {
  order(column: string, options: { ascending: boolean }): Listable;
  range(from: number, to: number): PromiseLike<Counted>;
}

interface Counted {
  data: unknown[] | null;
  count: number | null;
  error: { code: string; message: string; details: string; hint: string } | null;
}

/** The fields of every list beside its array. */
export const pageFields = {
  total: z.number().int(),
  page: z.number().int(),
  limit: z.number().int(),
};

/**
 * One page of a query that was selected with `count: "exact"`. Ties are broken by the key, so that no
 * record is shown twice or lost between pages; a page behind the last one is empty.
 */
export async function readPage(
  query: Listable,
  { page, limit, sort, order }: ListQuery,
  key = "id",
) {
  const ascending = order === "asc";
  // Names by their folded text, so that every server has them in one sequence.
  const column = sort === "name" ? "sort_name" : sort;
  const sorted = query.order(column, { ascending }).order(key, { ascending: true });
  const { data, count, error } = await sorted.range((page - 1) * limit, page * limit - 1);
  if (error?.code === "PGRST103")
    return { rows: [], total: rowsThereAre(error.details), page, limit };
  if (error) throw new PostgrestError(error);
  return { rows: data ?? [], total: count ?? 0, page, limit };
}

/** PostgREST refuses a range behind the last row, and says how many rows there are. */
function rowsThereAre(details: string): number {
  return Number(/only (\d+) rows/.exec(details)?.[1] ?? 0);
}

/**
 * One page of a list that a function of the database answers, with its rows and how many there are: `list` is what
 * the answer holds.
 */
export async function callList<List extends z.ZodType>(
  c: Context<Env>,
  list: List,
  name: string,
  args: Record<string, unknown> & { page: number; limit: number },
): Promise<z.infer<List>> {
  const { data } = await c.get("db").rpc(name, args).throwOnError();
  return list.parse({ ...data, page: args.page, limit: args.limit });
}
