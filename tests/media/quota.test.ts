import { expect, it, vi } from "vitest";
import { query } from "../database.js";
import { type Bazaar, call, expectRefusal, must, openBazaar } from "../souk.js";
import { png, TYPES } from "./files.js";
import { announce, announcementOf, complete, sendBytes } from "./uploading.js";

async function used({ tenantId }: Bazaar): Promise<number> {
  const sql = "select bytes::integer from private.media_usage where tenant_id = $1";
  const [row] = await query<{ bytes: number }>(sql, [tenantId]);
  return row?.bytes ?? 0;
}

async function limit({ operator }: Bazaar, media: object) {
  await must("PATCH", "/api/tenant", { as: operator, body: { settings: { media } } });
}

it("is never passed, however many announce and complete at once", async () => {
  const bazaar = await openBazaar();
  const bytes = png(8, 8);
  const room = 25;
  await limit(bazaar, { quota_bytes: room * bytes.length + bytes.length - 1 });
  const body = announcementOf(bytes, TYPES.png);
  const announced = await Promise.all(
    Array.from({ length: 50 }, () => call("POST", "/api/media", { as: bazaar.supplier, body })),
  );
  const taken = announced.filter(({ status }) => status === 201).map(({ body }) => body);
  expect(taken).toHaveLength(room);
  for (const refused of announced.filter(({ status }) => status !== 201)) {
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "size", remaining: bytes.length - 1 });
  }
  await Promise.all(taken.map((asset) => sendBytes(asset, bytes)));
  // Each twice, at once: one of them completes it, and both are told so.
  const done = await Promise.all([...taken, ...taken].map((one) => complete(bazaar.supplier, one)));
  expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await used(bazaar)).toBe(room * bytes.length);
  const { media } = await must("GET", "/api/media", { as: bazaar.customer });
  expect(media).toHaveLength(room);
});

it("counts what is announced, then what has come, and nothing of what is refused or deleted", async () => {
  const bazaar = await openBazaar();
  const bytes = png(8, 8);
  const announced = await announce(bazaar.supplier, Buffer.alloc(1000), TYPES.png);
  expect(await used(bazaar)).toBe(1000);
  await sendBytes(announced, bytes);
  await complete(bazaar.supplier, announced);
  expect(await used(bazaar)).toBe(bytes.length);

  const refused = await announce(bazaar.supplier, Buffer.alloc(500), TYPES.png);
  await sendBytes(refused, Buffer.from("no picture"));
  expectRefusal(await complete(bazaar.supplier, refused), 422, "UNSUPPORTED_MEDIA");
  expect(await used(bazaar)).toBe(bytes.length);

  const replacing = await must("POST", `/api/media/${announced.id}/replace`, {
    as: bazaar.supplier,
    body: announcementOf(Buffer.alloc(300), TYPES.png),
  });
  expect(await used(bazaar)).toBe(bytes.length + 300);
  const other = png(3, 3);
  await sendBytes(replacing, other);
  await complete(bazaar.supplier, announced);
  expect(await used(bazaar)).toBe(other.length);

  await must("DELETE", `/api/media/${announced.id}`, { as: bazaar.supplier });
  expect(await used(bazaar)).toBe(0);
});

it("counts bytes that were given up as long as they lie there", async () => {
  const bazaar = await openBazaar();
  const bytes = png(8, 8);
  const body = announcementOf(bytes, TYPES.png);
  await limit(bazaar, { quota_bytes: 3 * bytes.length });
  const announcement = () => call("POST", "/api/media", { as: bazaar.supplier, body });

  // What is complete counts once, though what was sent lies where it landed.
  const kept = (await announcement()).body;
  await sendBytes(kept, bytes);
  expect((await complete(bazaar.supplier, kept)).status).toBe(200);

  const deleted = (await announcement()).body;
  await sendBytes(deleted, bytes);
  await must("DELETE", `/api/media/${deleted.id}`, { as: bazaar.supplier });
  const refused = (await announcement()).body;
  await sendBytes(refused, Buffer.from("no picture"));
  expectRefusal(await complete(bazaar.supplier, refused), 422, "UNSUPPORTED_MEDIA");
  expect((await announcement()).status).toBe(201);
  // Its address takes another file until it ends.
  expect((await sendBytes(refused, bytes)).ok).toBe(true);

  expectRefusal(await announcement(), 422, "VALIDATION_ERROR", { field: "size", remaining: 0 });
  await query(
    "update private.media_sweeps set due_at = now() where tenant_id = $1 and bucket = 'uploads'",
    [bazaar.tenantId],
  );
  await query("select private.sweep_media()");
  await vi.waitFor(async () => expect((await announcement()).status).toBe(201), 10_000);
});

it("is the admins' to set, for files too, and no further than the operator of all tenants lets them", async () => {
  const bazaar = await openBazaar();
  await limit(bazaar, { file_bytes: 100, quota_bytes: 1000 });
  const body = { filename: "a.png", size: 101, content_type: TYPES.png };
  const refused = await call("POST", "/api/media", { as: bazaar.supplier, body });
  expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "size", value: 101, remaining: 100 });
  await limit(bazaar, { file_bytes: null });
  expect(await must("GET", "/api/tenant", { as: bazaar.operator })).toMatchObject({
    settings: { media: { quota_bytes: 1000 } },
  });
  await must("POST", "/api/media", { as: bazaar.supplier, body });
  for (const media of [
    { file_bytes: 0 },
    { quota_bytes: 1.5 },
    { quota_bytes: 1e15 },
    { more: 1 },
  ]) {
    const answer = await call("PATCH", "/api/tenant", {
      as: bazaar.operator,
      body: { settings: { media } },
    });
    const field = `settings.media.${Object.keys(media)[0]}`;
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
  }
});
