import { beforeAll, describe, expect, it } from "vitest";
import { type Bazaar, call, expectRefusal, listProduct, must, openBazaar } from "../souk.js";
import { png, TYPES } from "./files.js";
import { announce, complete, sendBytes, upload } from "./uploading.js";

let bazaar: Bazaar;
beforeAll(async () => {
  bazaar = await openBazaar();
});

describe("an upload", () => {
  it("is announced, sent to Storage, completed, and then shown to everybody", async () => {
    const bytes = png(800, 600);
    const announced = await announce(bazaar.supplier, bytes, TYPES.png, {
      filename: "pot.png",
      alt_text: "A pot",
      tags: ["brass"],
    });
    expect(announced).toMatchObject({ status: "uploading", url: null, size: bytes.length });
    expect((await sendBytes(announced, bytes)).status).toBe(200);
    const done = await complete(bazaar.supplier, announced);
    expect(done.body).toMatchObject({
      id: announced.id,
      status: "ready",
      type: "image",
      content_type: "image/png",
      dimensions: { width: 800, height: 600 },
      alt_text: "A pot",
      tags: ["brass"],
      used_by: [],
    });
    expect(done.body.variants.map(({ width }: { width: number }) => width)).toEqual([320, 640]);
    const shown = await fetch(done.body.url);
    expect(shown.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(bytes);
    expect((await complete(bazaar.supplier, announced)).body).toEqual(done.body);
    expect(await must("GET", `/api/media/${announced.id}`, { as: bazaar.customer })).toMatchObject({
      url: done.body.url,
    });
  });

  it("is shown by products, which follow it", async () => {
    const asset = await upload(bazaar.supplier, png(400, 300), TYPES.png, { alt_text: "One" });
    const product = await listProduct(bazaar.supplier, { images: [{ asset_id: asset.id }] });
    expect(product.images).toEqual([
      {
        asset_id: asset.id,
        url: asset.url,
        alt: "One",
        srcset: asset.srcset,
        width: 400,
        height: 300,
      },
    ]);
    await must("PATCH", `/api/media/${asset.id}`, {
      as: bazaar.supplier,
      body: { alt_text: "Two" },
    });
    const read = await must("GET", `/api/products/${product.id}`, { as: bazaar.customer });
    expect(read.images[0].alt).toBe("Two");
    const refused = await call("DELETE", `/api/media/${asset.id}`, { as: bazaar.supplier });
    expectRefusal(refused, 409, "CONFLICT", { used_by: [{ type: "product", id: product.id }] });
  });
});
