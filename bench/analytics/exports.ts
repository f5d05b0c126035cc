import { readFile } from "node:fs/promises";
import type pg from "pg";
import { commandOf, descendantsOf } from "../../tests/processes.js";
import { TENANT } from "./questions.js";

/** The same rows in the same order, as Postgres itself writes them. */
const COPY = `copy (
  select i.id, o.id as order_id, o.number, o.marketplace_id, o.customer_id, o.status, o.payment_status, i.product_id,
    i.variant_id, i.supplier_id, i.name, i.quantity, i.shipped_quantity, i.delivered_quantity, i.cancelled_quantity,
    i.returned_quantity, i.lost_quantity, i.starts_at, i.price, i.amount, o.currency, o.created_at
  from public.orders o
  join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
  where o.tenant_id = '${TENANT}'
  order by o.created_at desc, o.id, i.id
) to stdout with (format csv, header)`;

export interface ExportFigures {
  rows: number;
  /** Size of the files in MB. */
  megabytes: number;
  /** From the request to the status ready, in seconds. */
  seconds: number;
  /** Duration of `copy … to stdout`, in seconds. */
  copySeconds: number;
  /** Maximum memory of the function's process in MB, including its runtime; null without Linux. */
  memory: number | null;
}

/** Exports all order items of the tenant as CSV. */
export async function measureExport(
  db: pg.Client,
  functionsUrl: string,
  token: string,
  stackPid: number,
): Promise<ExportFigures> {
  const address = `${functionsUrl}/api/analytics/export`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const day = (yearsAgo: number) =>
    new Date(Date.now() - yearsAgo * 365 * 86_400_000).toISOString().slice(0, 10);
  const body = JSON.stringify({
    type: "order_items",
    format: "csv",
    period: "custom",
    from: day(4),
    to: day(0),
  });

  const begun = performance.now();
  let made = await answerOf(await fetch(address, { method: "POST", headers, body }));
  while (made.status === "queued" || made.status === "running") {
    await new Promise((resolve) => setTimeout(resolve, 100));
    made = await answerOf(await fetch(`${address}s/${made.id}`, { headers }));
  }
  const seconds = (performance.now() - begun) / 1000;
  if (made.status !== "ready") throw new Error(`the export is ${made.status}: ${made.error}`);
  const memory = await maxMemory(stackPid);
  await fetch(`${address}s/${made.id}`, { method: "DELETE", headers });

  const copyBegun = performance.now();
  await db.query(COPY);
  const copySeconds = (performance.now() - copyBegun) / 1000;
  return { rows: made.rows, megabytes: made.bytes / 1e6, seconds, copySeconds, memory };
}

// biome-ignore lint/suspicious/noExplicitAny: an export as the API answers it.
async function answerOf(response: Response): Promise<any> {
  const answer = await response.json();
  if (!response.ok) throw new Error(`exports: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Returns the maximum memory of the processes of the function export-dispatch, in MB. */
async function maxMemory(stackPid: number): Promise<number | null> {
  const pids = descendantsOf(stackPid).filter((pid) =>
    commandOf(pid).includes("/export-dispatch/"),
  );
  const peaks = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    }),
  );
  return peaks.length > 0 ? Math.max(...peaks) : null;
}
