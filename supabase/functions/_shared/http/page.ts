import { z } from "@hono/zod-openapi";
import { PostgrestError } from "@supabase/postgrest-js";
import type { Context } from "hono";
import type { Arguments, Env, FunctionName } from "./env.ts";
import { isVisible } from "./names.ts";
import { decimal } from "./query.ts";

const MAX_LIMIT = 1000;

/** Number of records in a page. */
export const limit = decimal(z.number().int().min(1))
  .default(100)
  .transform((wanted) => Math.min(wanted, MAX_LIMIT))
  .openapi({ description: "At most 1000. A larger value counts as 1000." });

/** The search text of a list. A text without a visible character counts as no search. */
export const search = z
  .string()
  .min(1)
  .max(200)
  .transform((text) => (isVisible(text) ? text : undefined))
  .optional();

/** The query of every list: the page, its length and the order. */
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

/** The part of a postgrest-js query that lists use. The types of postgrest-js differ by table. */
interface Listable {
  order(column: string, options: { ascending: boolean }): Listable;
  range(from: number, to: number): PromiseLike<Counted>;
}

interface Counted {
  data: unknown[] | null;
  count: number | null;
  error: { code: string; message: string; details: string; hint: string } | null;
}

/** The fields of every list besides its array. */
export const pageFields = {
  total: z.number().int(),
  page: z.number().int(),
  limit: z.number().int(),
};

/**
 * One page of a query that was selected with `count: "exact"`. Rows with equal values are ordered by the key, so that no
 * record appears twice or is lost between pages. A page behind the last one is empty.
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

/** PostgREST refuses a range behind the last row. Its message has the number of rows. */
function rowsThereAre(details: string): number {
  return Number(/only (\d+) rows/.exec(details)?.[1] ?? 0);
}

/**
 * One page of a list that a function of the database returns, with its rows and their total number. `list` is the schema
 * of the response.
 */
export async function callList<List extends z.ZodType, Name extends FunctionName>(
  c: Context<Env>,
  list: List,
  name: Name,
  args: Arguments<Name> & { page: number; limit: number },
): Promise<z.infer<List>> {
  const { data } = await c.get("db").rpc(name, args).throwOnError();
  return list.parse({ ...(data as object), page: args.page, limit: args.limit });
}
