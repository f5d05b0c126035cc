import { beforeAll, describe, expect, it, vi } from "vitest";
import { query } from "../database.js";
import {
  type Bazaar,
  call,
  expectRefusal,
  must,
  openBazaar,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { png, TYPES } from "./files.js";
import { type Asset, announce, announcementOf, complete, sendBytes, upload } from "./uploading.js";

let bazaar: Bazaar;
beforeAll(async () => {
  bazaar = await openBazaar();
});

const bytes = png(6, 6);

/** What lies in a bucket of the tenant's. */
async function objectsIn(bucket: string): Promise<string[]> {
  const { data } = await supabaseAsService()
    .storage.from(bucket)
    .list(bazaar.tenantId, { limit: 1000 });
  return (data ?? []).map(({ name }) => name);
}

const nameOf = ({ url }: Asset) => new URL(url).pathname.split("/").at(-1) as string;

/** As if so much time had gone by, and the clock had struck. */
async function later(hours: number): Promise<void> {
  const back = `- interval '${hours} hours'`;
  const at = [bazaar.tenantId];
  await query(
    `update private.media_uploads set created_at = created_at ${back} where tenant_id = $1`,
    at,
  );
  await query(
    `update private.media_sweeps set due_at = due_at ${back}, leased_until = null where tenant_id = $1`,
    at,
  );
  await query(
    "update storage.objects set created_at = created_at - $2::interval where name like $1 || '%'",
    [bazaar.tenantId, `${hours} hours`],
  );
  await query("select private.sweep_media()");
}

const eventually = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: 10_000, interval: 100 });

describe("bytes that nothing points at", () => {
  it("go when their asset is deleted", async () => {
    const asset = await upload(bazaar.supplier, bytes, TYPES.png);
    expect(await objectsIn("media")).toContain(nameOf(asset));
    await must("DELETE", `/api/media/${asset.id}`, { as: bazaar.supplier });
    await eventually(async () => expect(await objectsIn("media")).not.toContain(nameOf(asset)));
    expect((await fetch(asset.url)).ok).toBe(false);
    expectRefusal(
      await call("GET", `/api/media/${asset.id}`, { as: bazaar.supplier }),
      404,
      "NOT_FOUND",
    );
  });

  it("go when it is deleted by supabase-js", async () => {
    const asset = await upload(bazaar.supplier, bytes, TYPES.png);
    await supabaseAs(bazaar.supplier)
      .from("media_assets")
      .delete()
      .eq("id", asset.id)
      .throwOnError();
    await eventually(async () => expect(await objectsIn("media")).not.toContain(nameOf(asset)));
  });

  it("go when others take their place, which products show from then on", async () => {
    const asset = await upload(bazaar.supplier, bytes, TYPES.png, { alt_text: "A pot" });
    const product = await must("POST", "/api/products", {
      as: bazaar.supplier,
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
      as: bazaar.supplier,
      body: announcementOf(other, TYPES.png, { filename: "other.png" }),
    });
    expect(replacing).toMatchObject({ id: asset.id, status: "ready", url: asset.url });
    await sendBytes(replacing, other);
    const replaced = (await complete(bazaar.supplier, asset)).body;
    expect(replaced).toMatchObject({
      id: asset.id,
      filename: "other.png",
      alt_text: "A pot",
      dimensions: { width: 12, height: 9 },
      used_by: [{ type: "product", id: product.id }],
    });
    expect(replaced.url).not.toBe(asset.url);
    const shown = { asset_id: asset.id, url: replaced.url, width: 12, height: 9, srcset: null };
    const { images } = await must("GET", `/api/products/${product.id}`, { as: bazaar.customer });
    expect(images).toEqual([
      { ...shown, alt: "A pot" },
      { url: "https://example.com/a.jpg", alt: "" },
      { ...shown, alt: "Its lid" },
    ]);
    const { products } = await must("GET", "/api/products?search=Pot", { as: bazaar.customer });
    expect(products[0].images).toEqual(images);
    await eventually(async () => expect(await objectsIn("media")).not.toContain(nameOf(asset)));
    expect((await fetch(replaced.url)).status).toBe(200);
  });

  it("stay where they were, when what was to replace them is refused", async () => {
    const asset = await upload(bazaar.supplier, bytes, TYPES.png);
    const lie = Buffer.from("no picture at all");
    const replacing = await must("POST", `/api/media/${asset.id}/replace`, {
      as: bazaar.supplier,
      body: announcementOf(lie, TYPES.png),
    });
    await sendBytes(replacing, lie);
    expectRefusal(await complete(bazaar.supplier, asset), 422, "UNSUPPORTED_MEDIA");
    expect((await complete(bazaar.supplier, asset)).body).toEqual(asset);
    expect((await fetch(asset.url)).status).toBe(200);
    const other = { filename: "a.pdf", size: 3, content_type: TYPES.pdf };
    expectRefusal(
      await call("POST", `/api/media/${asset.id}/replace`, { as: bazaar.supplier, body: other }),
      422,
      "VALIDATION_ERROR",
      { field: "content_type" },
    );
  });
});

describe("after a while", () => {
  it("what landed in uploads goes, and what was judged stays", async () => {
    const asset = await upload(bazaar.supplier, bytes, TYPES.png);
    expect((await objectsIn("uploads")).length).toBeGreaterThan(0);
    await later(5);
    await eventually(async () => expect(await objectsIn("uploads")).toEqual([]));
    expect((await fetch(asset.url)).status).toBe(200);
  });

  it("what was never completed, and what was never registered, is gone", async () => {
    const announced = await announce(bazaar.supplier, bytes, TYPES.png);
    await sendBytes(announced, bytes);
    await supabaseAs(bazaar.supplier)
      .storage.from("uploads")
      .upload(`${bazaar.tenantId}/forgotten.png`, bytes, { contentType: TYPES.png });
    await later(23);
    expect(await objectsIn("uploads")).toHaveLength(2);
    await later(4);
    await eventually(async () => expect(await objectsIn("uploads")).toEqual([]));
    expectRefusal(await complete(bazaar.supplier, announced), 404, "NOT_FOUND");
  });

  it("copies go that somebody has left who died before the asset pointed there", async () => {
    const announced = await announce(bazaar.supplier, bytes, TYPES.png);
    await sendBytes(announced, bytes);
    const [upload] = await query<{ id: string }>(
      "select id from private.media_uploads where asset_id = $1",
      [announced.id],
    );
    const copies = Array.from({ length: 12 }, (_, n) => `${upload?.id}.${n}.png`);
    for (const copy of copies) {
      const { error } = await supabaseAsService()
        .storage.from("media")
        .upload(`${bazaar.tenantId}/${copy}`, bytes, { contentType: TYPES.png });
      expect(error).toBeNull();
    }
    // Whoever tries again makes a copy of their own: what became of that one nobody knows.
    const done = (await complete(bazaar.supplier, announced)).body;
    expect(done.status).toBe("ready");
    await later(30);
    await eventually(async () => expect(await objectsIn("uploads")).toEqual([]));
    // The first ten go at once, the others next time.
    await later(1);
    await eventually(async () => {
      const left = await objectsIn("media");
      expect(copies.filter((copy) => left.includes(copy))).toEqual([]);
    });
    expect((await fetch(done.url)).status).toBe(200);

    const abandoned = await announce(bazaar.supplier, bytes, TYPES.png);
    const [other] = await query<{ id: string }>(
      "select id from private.media_uploads where asset_id = $1",
      [abandoned.id],
    );
    const left = `${other?.id}.png`;
    await supabaseAsService()
      .storage.from("media")
      .upload(`${bazaar.tenantId}/${left}`, bytes, { contentType: TYPES.png });
    await later(25);
    await later(25);
    await eventually(async () => expect(await objectsIn("media")).not.toContain(left));
  });
});
