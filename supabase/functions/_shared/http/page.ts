import { z } from "@hono/zod-openapi";
import { PostgrestError } from "@supabase/postgrest-js";
import type { Context } from "hono";
import { isVisible } from "../values/names.ts";
import { decimal } from "../values/parameters.ts";

const MAX_LIMIT = 1000;

/** Number of records in a page. */
export const limit = decimal(z.number().int().min(1))
  .default(100)
  .transform((wanted) => Math.min(wanted, MAX_LIMIT))
  .openapi({
    description:
      "At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute.",
  });

/** The number of records that the query of a list asks for; 0 for other requests, and without a `limit`. */
export function recordsAsked(c: Context): number {
  if (!["GET", "HEAD"].includes(c.req.method)) return 0;
  const asked = (c.req.queries("limit") ?? []).map(Number).filter((wanted) => wanted > 0);
  return Math.min(Math.max(0, ...asked), MAX_LIMIT);
}

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

/** The schema of a list: its records under `name`, and the fields of every list. */
export function pageOf<const Name extends string, Item extends z.ZodType>(
  name: Name,
  record: Item,
) {
  const records = { [name]: z.array(record) } as Record<Name, z.ZodArray<Item>>;
  return z.object({ ...records, ...pageFields });
}

/**
 * One page of a query that was selected with `count: "exact"`, as the schema of the list. Rows with equal values are
 * ordered by the key, so that no record appears twice or is lost between pages. A page behind the last one is empty.
 */
export async function readPage<List extends z.ZodObject>(
  list: List,
  query: Listable,
  { page, limit, sort, order }: ListQuery,
  key = "id",
): Promise<z.infer<List>> {
  const ascending = order === "asc";
  // Names by their folded text, so that every server sorts them in the same order.
  const column = sort === "name" ? "sort_name" : sort;
  const sorted = query.order(column, { ascending }).order(key, { ascending: true });
  const { data, count, error } = await sorted.range((page - 1) * limit, page * limit - 1);
  const isBehind = error?.code === "PGRST103";
  if (error && !isBehind) throw new PostgrestError(error);
  const [records = ""] = Object.keys(list.shape);
  const total = isBehind ? rowsThereAre(error.details) : (count ?? 0);
  return list.parse({ [records]: data ?? [], total, page, limit });
}

/** PostgREST refuses a range behind the last row. Its message has the number of rows. */
function rowsThereAre(details: string): number {
  return Number(/only (\d+) rows/.exec(details)?.[1] ?? 0);
}

/** One page of a list whose function returns its records and their total number, as the schema of the list. */
export async function callPage<List extends z.ZodType>(
  list: List,
  call: { throwOnError(): PromiseLike<{ data: unknown }> },
  { page, limit }: { page: number; limit: number },
): Promise<z.infer<List>> {
  const { data } = await call.throwOnError();
  return list.parse({ ...(data as object), page, limit });
}
