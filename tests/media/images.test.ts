import pg from "pg";
import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Bazaar,
  call,
  expectRefusal,
  listProduct,
  must,
  openBazaar,
  stackInUse,
} from "../souk.js";
import { png, TYPES } from "./files.js";
import { tryUpload, upload } from "./uploading.js";

// Images as cameras, editors and other programs write them.

let bazaar: Bazaar;
beforeAll(async () => {
  bazaar = await openBazaar();
});

const drawn = (width: number, height: number, alpha = 1): Sharp =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 60, b: 20, alpha } } });

describe("an image", () => {
  it.each(["jpeg", "webp", "avif", "gif"] as const)("is taken as %s", async (format) => {
    const bytes = await drawn(400, 300).toFormat(format).toBuffer();
    const asset = await upload(bazaar.supplier, bytes, `image/${format}`);
    expect(asset).toMatchObject({
      type: "image",
      content_type: `image/${format}`,
      dimensions: { width: 400, height: 300 },
    });
    const answer = await fetch(asset.url);
    expect(answer.headers.get("content-type")).toBe(`image/${format}`);
    expect(answer.headers.get("content-disposition")).toBeNull();
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    const smaller = await fetch(asset.variants[0].url, { headers: { accept: "image/webp" } });
    const made = await sharp(Buffer.from(await smaller.arrayBuffer())).metadata();
    expect(made).toMatchObject({ format: "webp", width: 320, height: 240 });
  });

  it("that lies on its side by EXIF has the dimensions that it is shown with", async () => {
    const bytes = await drawn(400, 300).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const asset = await upload(bazaar.supplier, bytes, TYPES.jpeg);
    expect(asset.dimensions).toEqual({ width: 300, height: 400 });
    const smaller = await fetch(asset.url.replace("/object/", "/render/image/"));
    const made = await sharp(Buffer.from(await smaller.arrayBuffer())).metadata();
    expect(made).toMatchObject({ width: 300, height: 400 });
  });

  it.each([
    "png",
    "webp",
    "gif",
    "avif",
  ] as const)("keeps what is clear of it: %s", async (format) => {
    const bytes = await drawn(400, 300, 0).toFormat(format).toBuffer();
    const asset = await upload(bazaar.supplier, bytes, `image/${format}`);
    const smaller = await fetch(asset.variants[0].url, { headers: { accept: "image/webp" } });
    const { channels } = await sharp(Buffer.from(await smaller.arrayBuffer())).stats();
    expect(channels[3]).toMatchObject({ min: 0, max: 0 });
  });
});

describe("what stands behind the end of an image", () => {
  const page = Buffer.from("<!doctype html><script>alert(1)</script>");
  const behind = async (format: "jpeg" | "avif" | "webp" | "gif") =>
    Buffer.concat([await drawn(20, 10).toFormat(format).toBuffer(), page]);

  it.each(["avif", "webp", "gif"] as const)("is refused: %s", async (format) => {
    const { answer } = await tryUpload(bazaar.supplier, await behind(format), `image/${format}`);
    expectRefusal(answer, 422, "UNSUPPORTED_MEDIA");
  });

  it("is refused where an AVIF's last box is longer than the file", async () => {
    const whole = await drawn(20, 10).avif().toBuffer();
    const cut = whole.subarray(0, -3);
    const { answer } = await tryUpload(bazaar.supplier, cut, "image/avif");
    expectRefusal(answer, 422, "UNSUPPORTED_MEDIA");
  });

  it("stays in JPEGs, where phones put films", async () => {
    const asset = await upload(bazaar.supplier, await behind("jpeg"), TYPES.jpeg);
    expect((await fetch(asset.url)).headers.get("content-type")).toBe("image/jpeg");
  });
});

// On PGlite one transaction waits for the other as a whole.
it.skipIf(!process.env.DATABASE_URL)(
  "two images of the same products may change at once",
  async () => {
    const { supplier } = bazaar;
    const [one, other] = [
      await upload(supplier, png(30, 20), TYPES.png),
      await upload(supplier, png(20, 30), TYPES.png),
    ];
    const images = [{ asset_id: one.id }, { asset_id: other.id }];
    const products = [
      await listProduct(supplier, { images }),
      await listProduct(supplier, { images: images.toReversed() }),
    ];
    const hand = new pg.Client({ connectionString: stackInUse().db_url as string });
    await hand.connect();
    try {
      await hand.query("begin");
      await hand.query("select from public.products where id = any ($1) for update", [
        products.map(({ id }) => id),
      ]);
      const changes = [one, other].map(({ id }) =>
        call("PATCH", `/api/media/${id}`, { as: supplier, body: { alt_text: "Both" } }),
      );
      // Each has changed its own image, and waits for the products.
      await vi.waitFor(async () => {
        const { rows } = await hand.query(
          "select pid from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0",
        );
        expect(rows).toHaveLength(2);
      });
      await hand.query("commit");
      expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await hand.end();
    }
    for (const { id } of products) {
      const { images: shown } = await must("GET", `/api/products/${id}`, { as: supplier });
      expect(shown.map(({ alt }: { alt: string }) => alt)).toEqual(["Both", "Both"]);
    }
  },
);
