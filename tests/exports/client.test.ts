import { expect, inject, it } from "vitest";
import ws from "ws";
import { createClient, ExportError, type SoukClient } from "../../packages/client/src/index.js";
import { listProduct, openBazaar, type Person } from "../souk.js";
import { bytesOf, occupy, until, vacate } from "./exporting.js";

// An export by the published client, which waits for its file.

function openAs(person: Person): SoukClient {
  const { url, anon_key } = inject("stack");
  return createClient(url, anon_key, {
    accessToken: async () => person.token,
    realtime: { transport: ws as never },
  });
}

it("waits for the file, and tells how far it has come meanwhile", async () => {
  const { operator, supplier } = await openBazaar();
  await listProduct(supplier);
  const told: { status: string; progress: number; rows: number }[] = [];
  const ready = await openAs(operator).analytics.export({
    ...{ type: "products", format: "json" },
    onProgress: ({ status, progress, rows }) => told.push({ status, progress, rows }),
  } as const);
  expect(told[0]).toEqual({ status: "queued", progress: 0, rows: 0 });
  expect(told.at(-1)).toEqual({ status: "ready", progress: 100, rows: 1 });
  expect(ready.urls).toEqual([ready.url]);
  expect(JSON.parse((await bytesOf(ready.url)).toString())).toHaveLength(1);
});

it("throws an ExportError that says why, where it came to nothing", async () => {
  const { operator, supplier } = await openBazaar();
  await listProduct(supplier, { description: "x".repeat(32_768) });
  const failed = await openAs(operator)
    .analytics.export({ type: "products", format: "xlsx" })
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ExportError);
  const { name, message, record } = failed as ExportError;
  expect([name, message]).toEqual(["ExportError", expect.stringMatching(/take csv/)]);
  expect(record).toMatchObject({ status: "failed", error: message, url: null });
});

it("stops waiting at a signal, and the export goes on", async () => {
  const { operator, tenantId } = await openBazaar();
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
  await until(operator, asked, "ready");
});
