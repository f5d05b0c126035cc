import sharp from "sharp";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { media } from "../../supabase/functions/_shared/media/routes.ts";
import { restJob, runJob } from "../clock.js";
import { query, queueBehind } from "../database.js";
import { eventually } from "../eventually.js";
import { functionsHere } from "../functions-here.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { animated, animatedAvif, corners, FORMATS, SECRET, withMetadata } from "./pictures.js";
import { type Asset, announce, sendBytes, tryUpload, upload } from "./uploading.js";

// The metadata of images: where, when and with which camera a photo was taken.

let testTenant: TestTenant;
let keeping: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
  keeping = await openTestTenant();
  await keepMetadata(keeping, true);
});

async function keepMetadata({ operator }: TestTenant, keep_metadata: boolean | null) {
  await must("PATCH", "/api/tenant", {
    as: operator,
    body: { settings: { media: { keep_metadata } } },
  });
}

async function served(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The pixels as a browser shows them. */
const pixelsOf = (bytes: Buffer) => sharp(bytes).rotate().raw().toBuffer();

async function expectNoMetadata(bytes: Buffer) {
  expect(bytes.includes(SECRET)).toBe(false);
  expect(bytes.includes("2026:05:04")).toBe(false);
  const { exif, xmp, iptc, comments } = await sharp(bytes).metadata();
  expect({ xmp, iptc, comments }).toEqual({});
  // EXIF data have one entry, the orientation.
  expect([undefined, 26, 32]).toContain(exif?.length);
}

const upright = FORMATS.map((format) => [format, 1] as const);
const turned = (["jpeg", "png"] as const).map((format) => [format, 6] as const);

describe("a public image", () => {
  it.each([
    ...upright,
    ...turned,
  ])("has no metadata except its orientation and colour profile: %s, %d", async (format, orientation) => {
    const sent = await withMetadata(format, orientation);
    const before = await sharp(sent).metadata();
    const asset = await upload(testTenant.supplier, sent, `image/${format}`);
    const bytes = await served(asset.url);
    await expectNoMetadata(bytes);
    const after = await sharp(bytes).metadata();
    expect(after.icc).toEqual(before.icc);
    expect(after.orientation ?? 1).toBe(before.orientation ?? 1);
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(sent));
    expect(asset).toMatchObject({
      status: "ready",
      content_type: `image/${format}`,
      size: bytes.length,
    });
    const [width, height] = orientation === 6 ? [300, 400] : [400, 300];
    expect(asset.dimensions).toEqual({ width, height });
  });

  it("counts with the bytes that are served", async () => {
    const one = await openTestTenant();
    const asset = await upload(one.supplier, await withMetadata("jpeg"), "image/jpeg");
    const used = "select bytes::integer from private.media_usage where tenant_id = $1";
    expect(await query(used, [one.tenantId])).toEqual([{ bytes: asset.size }]);
  });

  it("has no metadata after it was replaced", async () => {
    const asset = await upload(testTenant.supplier, await corners().png().toBuffer(), "image/png");
    const sent = await withMetadata("png");
    const body = { filename: "new.png", size: sent.length, content_type: "image/png" };
    const announced = await must("POST", `/api/media/${asset.id}/replace`, {
      as: testTenant.supplier,
      body,
    });
    await sendBytes(announced, sent);
    const replaced = await must("POST", `/api/media/${asset.id}/complete`, {
      as: testTenant.supplier,
    });
    await expectNoMetadata(await served(replaced.url));
  });

  it("is never public with its metadata, whichever request to Storage fails", async () => {
    const one = await openTestTenant();
    const sent = await withMetadata("jpeg");
    const announced = await announce(one.supplier, sent, "image/jpeg");
    await sendBytes(announced, sent);
    for (let failing = 1; ; failing += 1) {
      let asked = 0;
      const app = functionsHere({ "/api/media": media }, "/storage/v1", () => {
        asked += 1;
        return asked === failing ? new Response("", { status: 500 }) : undefined;
      });
      const headers = { authorization: `Bearer ${one.supplier.token}` };
      const path = `/api/media/${announced.id}/complete`;
      const answer = await app.request(path, { method: "POST", headers });
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
      const { storage } = supabaseAsService();
      const { data } = await storage.from("media").list(one.tenantId);
      for (const { name } of data ?? []) {
        const copy = await storage.from("media").download(`${one.tenantId}/${name}`);
        await expectNoMetadata(Buffer.from(await (copy.data as Blob).arrayBuffer()));
      }
      if (asked < failing) {
        expect(answer.status).toBe(200);
        break;
      }
      expect(answer.status).toBe(503);
    }
  });

  it("as WebP is shown as its variants are, without the rotation that browsers ignore", async () => {
    const sent = await withMetadata("webp", 6);
    for (const { supplier } of [testTenant, keeping]) {
      const asset = await upload(supplier, sent, "image/webp");
      expect(asset.dimensions).toEqual({ width: 400, height: 300 });
      for (const { url, width, height } of asset.variants) {
        expect(await sharp(await served(url)).metadata()).toMatchObject({ width, height });
        expect(width).toBeGreaterThan(height);
      }
    }
    const { variants } = await upload(testTenant.supplier, sent, "image/webp");
    expect(variants).toHaveLength(1);
  });
});

describe("settings.media.keep_metadata", () => {
  it.each(FORMATS)("serves the bytes as they were sent: %s", async (format) => {
    const sent = await withMetadata(format);
    const asset = await upload(keeping.supplier, sent, `image/${format}`);
    expect(await served(asset.url)).toEqual(sent);
    expect(asset.size).toBe(sent.length);
  });

  it("is not needed for private files, which are as they were sent", async () => {
    const sent = await withMetadata("jpeg");
    const asset = await upload(testTenant.supplier, sent, "image/jpeg", { private: true });
    expect(await served(asset.url)).toEqual(sent);
  });

  it("must be true or false", async () => {
    const body = { settings: { media: { keep_metadata: "yes" } } };
    const answer = await call("PATCH", "/api/tenant", { as: keeping.operator, body });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "settings.media.keep_metadata" });
  });
});

it("images that were completed with metadata lose them at the same address", async () => {
  const one = await openTestTenant();
  await keepMetadata(one, true);
  const sent = new Map<string, Buffer>();
  const assets: Asset[] = [];
  for (const format of FORMATS) {
    const bytes = await withMetadata(format, format === "webp" ? 6 : 1);
    const asset = await upload(one.supplier, bytes, `image/${format}`);
    sent.set(asset.id, bytes);
    assets.push(asset);
  }
  const product = await listProduct(one.supplier, {
    images: assets.map(({ id }) => ({ asset_id: id })),
  });
  await runJob("wake-workers");
  const [kept] = await query(
    "select count(*)::integer as n from public.media_assets where tenant_id = $1 and cleaned",
    [one.tenantId],
  );
  expect(kept).toEqual({ n: 0 });

  await keepMetadata(one, null);
  await runJob("wake-workers");
  const left =
    "select count(*)::integer as n from public.media_assets where tenant_id = $1 and not cleaned";
  await eventually(async () => expect(await query(left, [one.tenantId])).toEqual([{ n: 0 }]));
  for (const { id, url } of assets) {
    const asset = await must("GET", `/api/media/${id}`, { as: one.supplier });
    expect(asset.url).toBe(url);
    const bytes = await served(url);
    await expectNoMetadata(bytes);
    expect(asset.size).toBe(bytes.length);
    expect(asset.dimensions).toEqual({ width: 400, height: 300 });
    expect(asset.variants).toHaveLength(1);
    const before = sent.get(id) as Buffer;
    if (asset.content_type !== "image/webp")
      expect(await pixelsOf(bytes)).toEqual(await pixelsOf(before));
    const { images } = await must("GET", `/api/products/${product.id}`, { as: one.supplier });
    expect(images).toContainEqual(
      expect.objectContaining({ asset_id: id, url: asset.url, srcset: asset.srcset }),
    );
  }
  const [{ size }, { bytes }] = [
    (
      await query(
        "select sum(size)::integer as size from public.media_assets where tenant_id = $1",
        [one.tenantId],
      )
    )[0],
    (
      await query("select bytes::integer from private.media_usage where tenant_id = $1", [
        one.tenantId,
      ])
    )[0],
  ] as [{ size: number }, { bytes: number }];
  expect(bytes).toBe(size);
});

// PGlite executes one transaction at a time.
it.skipIf(!process.env.DATABASE_URL)(
  "an image can be deleted while it is cleaned, without a deadlock",
  async () => {
    onTestFinished(await restJob("wake-workers"));
    const one = await openTestTenant();
    await keepMetadata(one, true);
    const { id, url, size } = await upload(one.supplier, await withMetadata("png"), "image/png");
    await keepMetadata(one, null);
    const path = url.slice(url.indexOf(one.tenantId));
    const cleaned = { asset_id: id, path, size, resizable: true };
    const answers = await queueBehind(
      `select from private.jobs where subject_id = '${id}' for update`,
      [
        async () => (await supabaseAsService().rpc("finish_media_cleaning", cleaned)).data,
        async () => (await call("DELETE", `/api/media/${id}`, { as: one.supplier })).status,
      ],
    );
    expect(answers).toEqual([true, 204]);
  },
);

describe("an image that moves", () => {
  it.each([
    ["gif", "image/gif"],
    ["webp", "image/webp"],
    ["png", "image/png"],
    ["avif", "image/avif"],
  ] as const)("keeps its frames, and has no still versions: %s", async (format, contentType) => {
    const sent = await animated(format);
    for (const options of [{}, { private: true }]) {
      const announced = format === "png" && !("private" in options) ? "image/apng" : contentType;
      const asset = await upload(testTenant.supplier, sent, announced, options);
      expect(asset).toMatchObject({ content_type: contentType, variants: [], srcset: null });
      expect(asset.dimensions).toEqual({ width: 640, height: 400 });
      expect(await served(asset.url)).toEqual(sent);
    }
    const asset = await upload(testTenant.supplier, sent, contentType);
    const product = await listProduct(testTenant.supplier, { images: [{ asset_id: asset.id }] });
    expect(product.images[0]).toMatchObject({ url: asset.url, srcset: null });
  });

  it("has no metadata in the boxes of an AVIF, and the same frames", async () => {
    const sent = await animatedAvif({ secret: SECRET });
    const asset = await upload(testTenant.supplier, sent, "image/avif");
    const bytes = await served(asset.url);
    await expectNoMetadata(bytes);
    const plain = await animatedAvif();
    // Boxes without metadata stay empty in their places, so that offsets hold.
    expect(bytes.length).toBe(sent.length);
    for (const type of ["mvhd", "tkhd", "mdhd"]) {
      const at = bytes.indexOf(type) + 8;
      expect(bytes.subarray(at, at + 8)).toEqual(Buffer.alloc(8));
      expect(sent.subarray(at, at + 8)).not.toEqual(Buffer.alloc(8));
    }
    const frames = plain.subarray(0, plain.indexOf("moov"));
    expect(bytes.subarray(0, frames.length - 4)).toEqual(frames.subarray(0, -4));
    expect(asset).toMatchObject({ variants: [], srcset: null });
  });

  it("is refused as AVIF with tracks that are no images, whose samples may be metadata", async () => {
    const sent = await animatedAvif({ handlers: ["pict", "meta"] });
    const { answer } = await tryUpload(testTenant.supplier, sent, "image/avif");
    expectRefusal(answer, 422, "UNSUPPORTED_MEDIA");
    expect(answer.body.error.message).toContain("track");
    const withAlpha = await animatedAvif({ handlers: ["pict", "auxv"] });
    expect(await upload(testTenant.supplier, withAlpha, "image/avif")).toMatchObject({
      srcset: null,
    });
  });
});
