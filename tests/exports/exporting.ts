import { parse } from "csv-parse/sync";
import exceljs from "exceljs";
import { expect } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { type Answer, call, must, type Person } from "../souk.js";

// Requests exports, waits for them and reads their files.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Export = any;
/** Rows by the names of their columns. */
// biome-ignore lint/suspicious/noExplicitAny: cells of any type.
export type Rows = Record<string, any>[];

export const tryExport = (as: Person, request: object): Promise<Answer> =>
  call("POST", "/api/analytics/export", { as, body: { format: "csv", ...request } });

export const askFor = (as: Person, request: object): Promise<Export> =>
  must("POST", "/api/analytics/export", { as, body: { format: "csv", ...request } });

export const getExport = (as: Person, { id }: Export): Promise<Export> =>
  must("GET", `/api/analytics/exports/${id}`, { as });

/** Waits until an export has a status, and resolves to it. */
export function exportBecomes(as: Person, asked: Export, status: string): Promise<Export> {
  return eventually(async () => {
    const now = await getExport(as, asked);
    if (now.status === "failed" && status !== "failed") throw new Error(now.error);
    expect(now.status).toBe(status);
    return now;
  });
}

/** Requests an export and waits until it is ready. */
export async function exported(as: Person, request: object): Promise<Export> {
  return exportBecomes(as, await askFor(as, request), "ready");
}

export async function bytesOf(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The rows of all files of an export, by column name. Cells of CSV are strings. */
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
 * Inserts an export of a tenant that is leased and never written, so that others of its size wait. Resolves to its id.
 */
export async function occupy(tenantId: string, size: "large" | "small" = "small"): Promise<string> {
  const [made] = await query<{ id: string }>(
    `with made as (
       insert into public.exports (tenant_id, type, format, status)
       values ($1, 'orders', 'csv', 'running')
       returning id, tenant_id
     ),
     queued as (
       insert into private.jobs (queue, subject_id, tenant_id, queued_at, due_at, lease, leased_until)
       select
         $2, m.id, m.tenant_id, now() - interval '1 day', now() + interval '1 hour', gen_random_uuid(),
         now() + interval '1 hour'
       from made m
     )
     insert into private.export_jobs (export_id, tenant_id, query, total)
     select m.id, m.tenant_id, '(,,,,)', 1 from made m
     returning export_id as id`,
    [tenantId, `${size}_exports`],
  );
  return made?.id as string;
}

/** Removes such an export and wakes the dispatcher. */
export async function vacate(id: string): Promise<void> {
  await query("delete from public.exports where id = $1", [id]);
  await runJob("wake-workers");
}

/** Adds customers to a tenant. */
export async function addCustomers(tenantId: string, many: number): Promise<void> {
  await query(
    `insert into public.customers (tenant_id, name)
     select $1, 'Customer ' || n from generate_series(1, $2::integer) as n`,
    [tenantId, many],
  );
}
