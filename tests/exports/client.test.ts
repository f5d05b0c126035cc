import { expect, it } from "vitest";
import ws from "ws";
import { createClient, ExportError, type SoukClient } from "../../packages/client/src/index.js";
import { query } from "../database.js";
import { listProduct, openTestTenant, type Person, stackInUse } from "../souk.js";
import { bytesOf, exportBecomes, occupy, vacate } from "./exporting.js";

// Exports by the published client, which waits for the file.

function openAs(person: Person): SoukClient {
  const { url, anon_key } = stackInUse();
  return createClient(url, anon_key, {
    accessToken: async () => person.token,
    realtime: { transport: ws as never },
  });
}

it("waits for the file and reports the progress", async () => {
  const { operator, supplier } = await openTestTenant();
  await listProduct(supplier);
  const reported: { status: string; progress: number; rows: number }[] = [];
  const ready = await openAs(operator).analytics.export({
    ...{ type: "products", format: "json" },
    onProgress: ({ status, progress, rows }) => reported.push({ status, progress, rows }),
  } as const);
  expect(reported[0]).toEqual({ status: "queued", progress: 0, rows: 0 });
  expect(reported.at(-1)).toEqual({ status: "ready", progress: 100, rows: 1 });
  expect(ready.urls).toEqual([ready.url]);
  expect(JSON.parse((await bytesOf(ready.url)).toString())).toHaveLength(1);
});

it("throws an ExportError with the reason if the export fails", async () => {
  const { operator, supplier } = await openTestTenant();
  await listProduct(supplier);
  // More than the 16 million characters of a workbook.
  await query(
    `insert into public.products (tenant_id, marketplace_id, supplier_id, name, price, currency, description)
     select tenant_id, marketplace_id, supplier_id, name || n, price, currency, repeat('x', 33000)
     from public.products, generate_series(1, 490) as n where tenant_id = $1`,
    [operator.tenantId],
  );
  const failed = await openAs(operator)
    .analytics.export({ type: "products", format: "xlsx" })
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ExportError);
  const { name, message, record } = failed as ExportError;
  expect([name, message]).toEqual(["ExportError", expect.stringMatching(/choose csv/)]);
  expect(record).toMatchObject({ status: "failed", error: message, url: null });
});

it("stops waiting when its signal aborts, and the export is still written", async () => {
  const { operator, tenantId } = await openTestTenant();
  const obstacle = await occupy(tenantId);
  const leaving = new AbortController();
  const souk = openAs(operator);
  const waiting = souk.analytics.export({
    ...{ type: "orders", format: "csv", signal: leaving.signal },
    onProgress: () => leaving.abort(),
  } as const);
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  await vacate(obstacle);
  const [asked] = (await souk.analytics.exports({ type: "orders" })).exports;
  await exportBecomes(operator, asked, "ready");
});
