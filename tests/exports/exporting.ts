import { parse } from "csv-parse/sync";
import exceljs from "exceljs";
import { expect, vi } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { type Answer, call, must, type Person } from "../souk.js";

// An export from asking for it to what is in its files.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Export = any;
/** What a cell, or a field, holds. */
// biome-ignore lint/suspicious/noExplicitAny: whatever came back.
export type Rows = Record<string, any>[];

export const tryExport = (as: Person, wish: object): Promise<Answer> =>
  call("POST", "/api/analytics/export", { as, body: { format: "csv", ...wish } });

export const askFor = (as: Person, wish: object): Promise<Export> =>
  must("POST", "/api/analytics/export", { as, body: { format: "csv", ...wish } });

export const getExport = (as: Person, { id }: Export): Promise<Export> =>
  must("GET", `/api/analytics/exports/${id}`, { as });

/** The export when it has come so far. */
export function until(
  as: Person,
  asked: Export,
  status: string,
  timeout = 15_000,
): Promise<Export> {
  return vi.waitFor(
    async () => {
      const now = await getExport(as, asked);
      if (now.status === "failed" && status !== "failed") throw new Error(now.error);
      expect(now.status).toBe(status);
      return now;
    },
    { timeout, interval: 50 },
  );
}

/** An export that was asked for and is ready. */
export async function exported(as: Person, wish: object): Promise<Export> {
  return until(as, await askFor(as, wish), "ready");
}

export async function bytesOf(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The rows of all files of an export, by the names of its columns; of CSV all cells are texts. */
export async function rowsOf({ format, urls }: Export): Promise<Rows> {
  const files = await Promise.all(urls.map(bytesOf));
  const read = { csv: rowsOfCsv, json: rowsOfJson, xlsx: rowsOfXlsx }[format as "csv"];
  return (await Promise.all(files.map(read))).flat();
}

async function rowsOfCsv(file: Buffer): Promise<Rows> {
  return parse(file, { columns: true, record_delimiter: "\r\n" });
}

async function rowsOfJson(file: Buffer): Promise<Rows> {
  return JSON.parse(file.toString());
}

async function rowsOfXlsx(file: Buffer): Promise<Rows> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.load(file as never);
  const [sheet] = workbook.worksheets as [exceljs.Worksheet];
  const [header, ...rows] = (sheet.getSheetValues() as exceljs.CellValue[][]).slice(1);
  const names = (header as string[]).slice(1);
  return rows.map((row) =>
    Object.fromEntries(names.map((name, at) => [name, row[at + 1] ?? null])),
  );
}

/**
 * An export of a tenant's that a dispatcher has, and never writes: others of its size wait for it until it is removed.
 * Answers its id.
 */
export async function occupy(tenantId: string, size: "large" | "small" = "small"): Promise<string> {
  const [made] = await query<{ id: string }>(
    `with made as (
       insert into public.exports (tenant_id, type, format, status)
       values ($1, 'orders', 'csv', 'running')
       returning id, tenant_id
     )
     insert into private.export_jobs (
       export_id, tenant_id, wish, total, large, asked_at, started_at, lease, leased_until
     )
     select
       m.id, m.tenant_id, '(,,,,)', 1, $2, now() - interval '1 day', now() - interval '1 day',
       gen_random_uuid(), now() + interval '1 hour'
     from made m
     returning export_id as id`,
    [tenantId, size === "large"],
  );
  return made?.id as string;
}

/** Removes what nobody writes, and has the dispatcher look for more. */
export async function vacate(id: string): Promise<void> {
  await query("delete from public.exports where id = $1", [id]);
  await runJob("sweep-exports");
}

/** Gives a tenant so many customers more, at once. */
export async function addCustomers(tenantId: string, many: number): Promise<void> {
  await query(
    `insert into public.customers (tenant_id, name)
     select $1, 'Customer ' || n from generate_series(1, $2::integer) as n`,
    [tenantId, many],
  );
}
