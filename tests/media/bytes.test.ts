import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  persist,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { png, TYPES } from "./files.js";
import { type Asset, announce, announcementOf, complete, sendBytes, upload } from "./uploading.js";

// The quota of bytes, and the deletion of unreferenced bytes.

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

describe("the quota", () => {
  async function used({ tenantId }: TestTenant): Promise<number> {
    const sql = "select bytes::integer from private.media_usage where tenant_id = $1";
    const [row] = await query<{ bytes: number }>(sql, [tenantId]);
    return row?.bytes ?? 0;
  }

  async function limit({ operator }: TestTenant, media: object) {
    await must("PATCH", "/api/tenant", { as: operator, body: { settings: { media } } });
  }

  it("is exact under 50 parallel announcements and completions", async () => {
    const testTenant = await openTestTenant();
    const bytes = png(8, 8);
    const capacity = 25;
    await limit(testTenant, { quota_bytes: capacity * bytes.length + bytes.length - 1 });
    const body = announcementOf(bytes, TYPES.png);
    const announced = await Promise.all(
      Array.from({ length: 50 }, () =>
        persist("POST", "/api/media", { as: testTenant.supplier, body }),
      ),
    );
    const taken = announced.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(taken).toHaveLength(capacity);
    for (const refused of announced.filter(({ status }) => status !== 201)) {
      expectRefusal(refused, 422, "VALIDATION_ERROR", {
        field: "size",
        remaining: bytes.length - 1,
      });
    }
    await Promise.all(taken.map((asset) => sendBytes(asset, bytes)));
    // Each upload is completed twice in parallel: one completes it, and both get the same answer.
    const done = await Promise.all(
      [...taken, ...taken].map((one) => complete(testTenant.supplier, one)),
    );
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await used(testTenant)).toBe(capacity * bytes.length);
    const { media } = await must("GET", "/api/media", { as: testTenant.customer });
    expect(media).toHaveLength(capacity);
  });

  it.runIf(process.env.DATABASE_URL).each(["access exclusive", "share row exclusive"])(
    "has been completed if another request did so and its bytes are gone: %s",
    async (mode) => {
      const testTenant = await openTestTenant();
      const announced = await announce(testTenant.supplier, png(8, 8), TYPES.png);
      await sendBytes(announced, png(8, 8));
      const [upload] = await query<{ id: string; path: string }>(
        "select id, path from private.media_uploads where asset_id = $1",
        [announced.id],
      );
      const hand = new pg.Client({ connectionString: ownStack.db_url as string });
      await hand.connect();
      onTestFinished(() => hand.end());
      await hand.query("begin");
      await hand.query(`lock table storage.objects in ${mode} mode`);
      const late = complete(testTenant.supplier, announced);
      // It looks for the bytes, or has checked them and copies them.
      await eventually(async () => {
        const { rows } = await hand.query(
          "select pid from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))",
        );
        expect(rows).toHaveLength(1);
      });
      const { data: isFinished } = await supabaseAsService()
        .rpc("finish_media_upload", {
          upload_id: upload?.id as string,
          path: `${testTenant.tenantId}/other.png`,
          address: ownStack.url,
          content_type: TYPES.png,
          size: png(8, 8).length,
        })
        .throwOnError();
      expect(isFinished).toBe(true);
      await hand.query("set local storage.allow_delete_query = 'true'");
      await hand.query("delete from storage.objects where name = $1", [upload?.path]);
      await hand.query("commit");
      const { status, body } = await late;
      expect([status, body.status]).toEqual([200, "ready"]);
    },
  );

  it("counts announced bytes, then the real ones, and no refused or deleted ones", async () => {
    const testTenant = await openTestTenant();
    const bytes = png(8, 8);
    const announced = await announce(testTenant.supplier, Buffer.alloc(1000), TYPES.png);
    expect(await used(testTenant)).toBe(1000);
    await sendBytes(announced, bytes);
    await complete(testTenant.supplier, announced);
    expect(await used(testTenant)).toBe(bytes.length);

    const refused = await announce(testTenant.supplier, Buffer.alloc(500), TYPES.png);
    await sendBytes(refused, Buffer.from("no picture"));
    expectRefusal(await complete(testTenant.supplier, refused), 422, "UNSUPPORTED_MEDIA");
    expect(await used(testTenant)).toBe(bytes.length);

    const replacing = await must("POST", `/api/media/${announced.id}/replace`, {
      as: testTenant.supplier,
      body: announcementOf(Buffer.alloc(300), TYPES.png),
    });
    expect(await used(testTenant)).toBe(bytes.length + 300);
    const other = png(3, 3);
    await sendBytes(replacing, other);
    await complete(testTenant.supplier, announced);
    expect(await used(testTenant)).toBe(other.length);

    await must("DELETE", `/api/media/${announced.id}`, { as: testTenant.supplier });
    expect(await used(testTenant)).toBe(0);
  });

  it("counts abandoned bytes until they are deleted", async () => {
    const testTenant = await openTestTenant();
    const bytes = png(8, 8);
    const body = announcementOf(bytes, TYPES.png);
    await limit(testTenant, { quota_bytes: 3 * bytes.length });
    const announcement = () => call("POST", "/api/media", { as: testTenant.supplier, body });

    // A completed upload counts once, although its bytes are still in uploads too.
    const kept = (await announcement()).body;
    await sendBytes(kept, bytes);
    expect((await complete(testTenant.supplier, kept)).status).toBe(200);

    const deleted = (await announcement()).body;
    await sendBytes(deleted, bytes);
    await must("DELETE", `/api/media/${deleted.id}`, { as: testTenant.supplier });
    const refused = (await announcement()).body;
    await sendBytes(refused, Buffer.from("no picture"));
    expectRefusal(await complete(testTenant.supplier, refused), 422, "UNSUPPORTED_MEDIA");
    expect((await announcement()).status).toBe(201);
    // Its URL accepts another file until it expires.
    expect((await sendBytes(refused, bytes)).ok).toBe(true);

    expectRefusal(await announcement(), 422, "VALIDATION_ERROR", { field: "size", remaining: 0 });
    await query(
      "update private.media_sweeps set due_at = now() where tenant_id = $1 and bucket = 'uploads'",
      [testTenant.tenantId],
    );
    await runJob("sweep-media");
    await eventually(async () => expect((await announcement()).status).toBe(201));
  });

  it("can be set by admins, also per file, up to the maximums", async () => {
    const testTenant = await openTestTenant();
    await limit(testTenant, { file_bytes: 100, quota_bytes: 1000 });
    const body = { filename: "a.png", size: 101, content_type: TYPES.png };
    const refused = await call("POST", "/api/media", { as: testTenant.supplier, body });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "size", value: 101, remaining: 100 });
    await limit(testTenant, { file_bytes: null });
    expect(await must("GET", "/api/tenant", { as: testTenant.operator })).toMatchObject({
      settings: { media: { quota_bytes: 1000 } },
    });
    await must("POST", "/api/media", { as: testTenant.supplier, body });
    for (const media of [
      { file_bytes: 0 },
      { quota_bytes: 1.5 },
      { quota_bytes: 1e15 },
      { more: 1 },
    ]) {
      const answer = await call("PATCH", "/api/tenant", {
        as: testTenant.operator,
        body: { settings: { media } },
      });
      const field = `settings.media.${Object.keys(media)[0]}`;
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
  });
});

const bytes = png(6, 6);

/** The names of the tenant's objects in a bucket. */
async function objectsIn(bucket: string): Promise<string[]> {
  const { data } = await supabaseAsService()
    .storage.from(bucket)
    .list(testTenant.tenantId, { limit: 1000 });
  return (data ?? []).map(({ name }) => name);
}

const nameOf = ({ url }: Asset) => new URL(url).pathname.split("/").at(-1) as string;

/** Moves the times of the rows back by this many hours, and runs the job. */
async function later(hours: number): Promise<void> {
  const back = `- interval '${hours} hours'`;
  const at = [testTenant.tenantId];
  await query(
    `update private.media_uploads set created_at = created_at ${back} where tenant_id = $1`,
    at,
  );
  await query(`update private.media_sweeps set due_at = due_at ${back} where tenant_id = $1`, at);
  await query(
    "update storage.objects set created_at = created_at - $2::interval where name like $1 || '%'",
    [testTenant.tenantId, `${hours} hours`],
  );
  await runJob("sweep-media");
}

it("refuses more assets than the maximum, without counting deleted ones", async () => {
  const { supplier } = await openTestTenant();
  const cap = (value: number) =>
    supabaseAsService().rpc("set_cap", { name: "media_assets_per_tenant", value }).throwOnError();
  const body = { filename: "a.png", size: 1, content_type: TYPES.png };
  const announcement = () => persist("POST", "/api/media", { as: supplier, body });
  await cap(3);
  try {
    const answers = await Promise.all(Array.from({ length: 6 }, announcement));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expectRefusal(refused, 422, "LIMIT_REACHED", { cap: "media_assets_per_tenant", maximum: 3 });
    }
    await must("DELETE", `/api/media/${made[0]?.body.id}`, { as: supplier });
    expect((await announcement()).status).toBe(201);
  } finally {
    await cap(100_000);
  }
});

describe("unreferenced bytes", () => {
  it("are deleted with their asset", async () => {
    const asset = await upload(testTenant.supplier, bytes, TYPES.png);
    expect(await objectsIn("media")).toContain(nameOf(asset));
    await must("DELETE", `/api/media/${asset.id}`, { as: testTenant.supplier });
    await eventually(async () => expect(await objectsIn("media")).not.toContain(nameOf(asset)));
    expect((await fetch(asset.url)).ok).toBe(false);
    expectRefusal(
      await call("GET", `/api/media/${asset.id}`, { as: testTenant.supplier }),
      404,
      "NOT_FOUND",
    );
  });

  it("are deleted with an asset that supabase-js deletes", async () => {
    const asset = await upload(testTenant.supplier, bytes, TYPES.png);
    await supabaseAs(testTenant.supplier)
      .from("media_assets")
      .delete()
      .eq("id", asset.id)
      .throwOnError();
    await eventually(async () => expect(await objectsIn("media")).not.toContain(nameOf(asset)));
  });

  it("are deleted when they are replaced, and products show the new ones", async () => {
    const asset = await upload(testTenant.supplier, bytes, TYPES.png, { alt_text: "A pot" });
    const product = await must("POST", "/api/products", {
      as: testTenant.supplier,
      body: {
        name: "Pot",
        price: 1,
        images: [
          { asset_id: asset.id },
          { url: "https://example.com/a.jpg" },
          { asset_id: asset.id, alt: "Its lid" },
        ],
      },
    });
    const other = png(12, 9);
    const replacing = await must("POST", `/api/media/${asset.id}/replace`, {
      as: testTenant.supplier,
      body: announcementOf(other, TYPES.png, { filename: "other.png" }),
    });
    expect(replacing).toMatchObject({ id: asset.id, status: "ready", url: asset.url });
    await sendBytes(replacing, other);
    const replaced = (await complete(testTenant.supplier, asset)).body;
    expect(replaced).toMatchObject({
      id: asset.id,
      filename: "other.png",
      alt_text: "A pot",
      dimensions: { width: 12, height: 9 },
      used_by: [{ type: "product", id: product.id }],
    });
    expect(replaced.url).not.toBe(asset.url);
    const shown = { asset_id: asset.id, url: replaced.url, width: 12, height: 9, srcset: null };
    const { images } = await must("GET", `/api/products/${product.id}`, {
      as: testTenant.customer,
    });
    expect(images).toEqual([
      { ...shown, alt: "A pot" },
      { url: "https://example.com/a.jpg", alt: "" },
      { ...shown, alt: "Its lid" },
    ]);
    const { products } = await must("GET", "/api/products?search=Pot", { as: testTenant.customer });
    expect(products[0].images).toEqual(images);
    await eventually(async () => expect(await objectsIn("media")).not.toContain(nameOf(asset)));
    expect((await fetch(replaced.url)).status).toBe(200);
  });

  it("are kept when the replacement is refused", async () => {
    const asset = await upload(testTenant.supplier, bytes, TYPES.png);
    const lie = Buffer.from("no picture at all");
    const replacing = await must("POST", `/api/media/${asset.id}/replace`, {
      as: testTenant.supplier,
      body: announcementOf(lie, TYPES.png),
    });
    await sendBytes(replacing, lie);
    expectRefusal(await complete(testTenant.supplier, asset), 422, "UNSUPPORTED_MEDIA");
    expect((await complete(testTenant.supplier, asset)).body).toEqual(asset);
    expect((await fetch(asset.url)).status).toBe(200);
    const other = { filename: "a.pdf", size: 3, content_type: TYPES.pdf };
    expectRefusal(
      await call("POST", `/api/media/${asset.id}/replace`, {
        as: testTenant.supplier,
        body: other,
      }),
      422,
      "VALIDATION_ERROR",
      { field: "content_type" },
    );
  });
});

describe("after several hours", () => {
  it("the bytes in uploads are deleted, and the checked copies stay", async () => {
    const asset = await upload(testTenant.supplier, bytes, TYPES.png);
    expect((await objectsIn("uploads")).length).toBeGreaterThan(0);
    await later(5);
    await eventually(async () => expect(await objectsIn("uploads")).toEqual([]));
    expect((await fetch(asset.url)).status).toBe(200);
  });

  it("uploads that were never completed or registered are deleted", async () => {
    const announced = await announce(testTenant.supplier, bytes, TYPES.png);
    await sendBytes(announced, bytes);
    await supabaseAs(testTenant.supplier)
      .storage.from("uploads")
      .upload(`${testTenant.tenantId}/forgotten.png`, bytes, { contentType: TYPES.png });
    await later(23);
    expect(await objectsIn("uploads")).toHaveLength(2);
    await later(4);
    await eventually(async () => expect(await objectsIn("uploads")).toEqual([]));
    expectRefusal(await complete(testTenant.supplier, announced), 404, "NOT_FOUND");
  });

  it("copies of crashed completions are deleted", async () => {
    const announced = await announce(testTenant.supplier, bytes, TYPES.png);
    await sendBytes(announced, bytes);
    const [upload] = await query<{ id: string }>(
      "select id from private.media_uploads where asset_id = $1",
      [announced.id],
    );
    const copies = Array.from({ length: 12 }, (_, n) => `${upload?.id}.${n}.png`);
    for (const copy of copies) {
      const { error } = await supabaseAsService()
        .storage.from("media")
        .upload(`${testTenant.tenantId}/${copy}`, bytes, { contentType: TYPES.png });
      expect(error).toBeNull();
    }
    // A repeated completion makes a new copy.
    const done = (await complete(testTenant.supplier, announced)).body;
    expect(done.status).toBe("ready");
    await later(30);
    await eventually(async () => expect(await objectsIn("uploads")).toEqual([]));
    // The first ten are deleted in this run, the others in the next one.
    await later(1);
    await eventually(async () => {
      const left = await objectsIn("media");
      expect(copies.filter((copy) => left.includes(copy))).toEqual([]);
    });
    expect((await fetch(done.url)).status).toBe(200);

    const abandoned = await announce(testTenant.supplier, bytes, TYPES.png);
    const [other] = await query<{ id: string }>(
      "select id from private.media_uploads where asset_id = $1",
      [abandoned.id],
    );
    const left = `${other?.id}.png`;
    await supabaseAsService()
      .storage.from("media")
      .upload(`${testTenant.tenantId}/${left}`, bytes, { contentType: TYPES.png });
    await later(25);
    await later(25);
    await eventually(async () => expect(await objectsIn("media")).not.toContain(left));
  });
});
