import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "./env.ts";

interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

const isDay = (text: string | undefined): boolean => z.iso.date().safeParse(text).success;

/**
 * The times from which and before which a period lasts, for filters of tables and views. Times are exact; only the
 * database knows when a day begins in the tenant's time zone.
 */
export async function boundsOf(c: Context<Env>, { from, to }: Period): Promise<Period> {
  if (!isDay(from) && !isDay(to)) return { from, to };
  const args = { from, to };
  const { data } = await c.get("db").rpc("period_bounds", args).single().throwOnError();
  const { starts_at, ends_at } = bounds.parse(data);
  return { from: starts_at ?? undefined, to: ends_at ?? undefined };
}

const bounds = z.object({ starts_at: z.string().nullable(), ends_at: z.string().nullable() });
