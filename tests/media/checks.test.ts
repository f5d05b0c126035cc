import pg from "pg";
import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  stackInUse,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { docx, glb, mp4, pdf, png, TYPES, webm, xlsx, zip } from "./files.js";
import { announce, complete, sendBytes, tryUpload, upload } from "./uploading.js";

// The checks of `complete` on uploaded bytes.

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

/** The names of the tenant's objects in a bucket. */
async function objectsIn(bucket: string): Promise<string[]> {
  const { data } = await supabaseAsService().storage.from(bucket).list(testTenant.tenantId);
  return (data ?? []).map(({ name }) => name);
}

const html = "<!doctype html><script>alert(1)</script>";
const text = (words: string) => Buffer.from(words);

describe("complete", () => {
  const lies: [what: string, bytes: Buffer, type: string][] = [
    ["HTML as PNG", text(html), TYPES.png],
    ["HTML as text", text(`  \n${html}`), TYPES.text],
    ["HTML as PDF", text(html), TYPES.pdf],
    ["SVG as PNG", text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), TYPES.png],
    ["SVG as text", text('<svg onload="alert(1)"/>'), TYPES.text],
    ["a program as text", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), TYPES.text],
    ["a program as PNG", text("MZ\x90\x00\x03"), TYPES.png],
    ["a PNG followed by HTML", Buffer.concat([png(2, 2), text(html)]), TYPES.png],
    [
      "a PNG followed by an archive",
      Buffer.concat([png(2, 2), zip([{ name: "a", content: "b" }])]),
      TYPES.png,
    ],
    ["a GIF that is a script", text("GIF89a/*\x01\x00\x01\x00*/=1;alert(1)//"), "image/gif"],
    ["a bomb of 50,000 × 50,000 pixels", png(1, 1, { width: 50_000, height: 50_000 }), TYPES.png],
    [
      "a PNG with wrong dimensions in its header",
      png(1, 1, { width: 4_000, height: 4_000 }),
      TYPES.png,
    ],
    ["a PNG without an end", png(20, 20).subarray(0, 60), TYPES.png],
    ["a text as a picture", text("just words"), TYPES.png],
    ["a picture as a document", png(2, 2), TYPES.pdf],
    ["an archive as a document", zip([{ name: "a.txt", content: "b" }]), TYPES.docx],
    [
      "a decompression bomb as a document",
      docx({ name: "word/a", content: "", declaredSize: 4_000_000_000 }),
      TYPES.docx,
    ],
    ["a document with a macro", docx({ name: "word/vbaProject.bin", content: "x" }), TYPES.docx],
    [
      "a document with a path outside its folder",
      docx({ name: "../../etc/passwd", content: "x" }),
      TYPES.docx,
    ],
    ["a broken archive", docx().subarray(0, 80), TYPES.docx],
    ["a model with a wrong length", glb().subarray(0, 40), TYPES.glb],
    ["a model that is text", text('{"no": "model"}'), TYPES.gltf],
    [
      "a model that names its asset elsewhere",
      text('{"a": {"asset": {"version": "2.0"}}}'),
      TYPES.gltf,
    ],
    ["a model with words like its asset", text('{"a": "\\"asset\\": {}", "b": {}}'), TYPES.gltf],
    ["a model of another version", text('{"asset": {"version": "1.0"}}'), TYPES.gltf],
    ["a model that is no JSON", text('{"asset": {"version": "2.0"}, oh}'), TYPES.gltf],
    ["a model that does not end", text('{"asset": {"version": "2.0"}, "a": [{}'), TYPES.gltf],
    ["a model with something after it", text('{"asset": {"version": "2.0"}} {}'), TYPES.gltf],
    [
      "a model of too many levels",
      text(`{"asset": {"version": "2.0"}, "a": ${"[".repeat(200)}${"]".repeat(200)}}`),
      TYPES.gltf,
    ],
    ["a binary model without its JSON", glb('{"no": "model"}'), TYPES.glb],
    ["a binary model with broken JSON", glb('{"asset": {"version": "2.0"}, oh}'), TYPES.glb],
    ["a compressed model", zip([{ name: "a.usdc", content: "x".repeat(100) }]), TYPES.usdz],
  ];

  it("refuses bytes that do not match their type, and keeps neither bytes nor a record", async () => {
    await Promise.all(
      lies.map(async ([what, bytes, type]) => {
        const { announced, answer } = await tryUpload(testTenant.supplier, bytes, type);
        expect({ what, ...answer.body.error }).toMatchObject({ what, code: "UNSUPPORTED_MEDIA" });
        expect(answer.status).toBe(422);
        const again = await complete(testTenant.supplier, announced);
        expect({ what, status: again.status }).toEqual({ what, status: 404 });
      }),
    );
    expect(await objectsIn("uploads")).toEqual([]);
    expect(await objectsIn("media")).toEqual([]);
  });

  it("is not reached with a type that the library does not accept", async () => {
    const others = ["image/svg+xml", "text/html", "application/zip", "font/woff2", "font/ttf", "x"];
    for (const content_type of others) {
      const body = { filename: "a", size: 1, content_type };
      const refused = await call("POST", "/api/media", { as: testTenant.supplier, body });
      expectRefusal(refused, 422, "UNSUPPORTED_MEDIA", { field: "content_type" });
    }
  });

  it("is not reached with a file name that is empty, too long or a path", async () => {
    for (const filename of ["", "../a.png", "a\\b.png", "a\u0001.png", "x".repeat(256)]) {
      const body = { filename, size: 1, content_type: TYPES.png };
      const refused = await call("POST", "/api/media", { as: testTenant.supplier, body });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "filename" });
    }
  });

  it("refuses more bytes than announced", async () => {
    const announced = await announce(testTenant.supplier, Buffer.alloc(10), TYPES.png);
    await sendBytes(announced, png(9, 9));
    expectRefusal(await complete(testTenant.supplier, announced), 422, "UNSUPPORTED_MEDIA");
  });
});

describe("a file of the library", () => {
  it.each([
    ["text", text("Wipe with a dry cloth."), TYPES.text, "document", TYPES.text],
    ["csv", text("external_id;name\r\n00123;é\r\n"), TYPES.csv, "document", TYPES.csv],
    ["docx", docx(), TYPES.docx, "document", TYPES.docx],
    ["xlsx", xlsx(), TYPES.xlsx, "document", TYPES.xlsx],
    ["mp4", mp4(), TYPES.mp4, "video", TYPES.mp4],
    // They have the structure of MP4.
    ["m4v", mp4("M4V "), "video/x-m4v", "video", TYPES.mp4],
    ["m4v as mp4", mp4("M4V "), TYPES.mp4, "video", TYPES.mp4],
    ["3gp", mp4("3gp5"), "video/3gpp", "video", TYPES.mp4],
    ["3g2", mp4("3g2a"), "video/3gpp2", "video", TYPES.mp4],
    ["webm", webm(), TYPES.webm, "video", TYPES.webm],
    ["pdf", pdf(), TYPES.pdf, "document", TYPES.pdf],
    ["glb", glb(), TYPES.glb, "model_3d", TYPES.glb],
    ["gltf", text('{"asset": {"version": "2.0"}}'), TYPES.gltf, "model_3d", TYPES.gltf],
    ["usdz", zip([{ name: "a.usdc", content: "x" }], true), TYPES.usdz, "model_3d", TYPES.usdz],
  ])("is accepted, and saved by a browser: %s", async (_, made, announced, type, content_type) => {
    const bytes = await made;
    const asset = await upload(testTenant.supplier, bytes, announced);
    expect(asset).toMatchObject({ status: "ready", type, content_type, dimensions: null });
    const answer = await fetch(asset.url);
    expect(answer.headers.get("content-type")).toContain(content_type);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename=file;/);
    const hidden = await upload(testTenant.supplier, bytes, announced, { private: true });
    const saved = await fetch(hidden.url);
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment; filename=file;/);
  });

  it("has the type of its bytes, not the announced one", async () => {
    const asset = await upload(testTenant.supplier, png(3, 2), TYPES.jpeg, { filename: "pot.jpg" });
    expect(asset).toMatchObject({ content_type: "image/png", filename: "pot.jpg" });
    const answer = await fetch(asset.url);
    expect(answer.headers.get("content-type")).toBe("image/png");
  });
});

describe("a model", () => {
  it.each([0, 70_000, 3_000_000])("may have its asset behind %d bytes", async (length) => {
    const model = (before: string, after: string) =>
      `{"buffers": [{"uri": "data:,${before}"}], "asset": {"generator": "é", "version": "2.0"}, "a": "${after}"}`;
    const bytes = text(model("x".repeat(length), "y".repeat(length)));
    const asset = await upload(testTenant.supplier, bytes, TYPES.gltf);
    expect(asset).toMatchObject({ type: "model_3d", content_type: TYPES.gltf });
    const binary = glb(model("x".repeat(length), ""));
    expect((await upload(testTenant.supplier, binary, TYPES.glb)).status).toBe("ready");
  });
});

describe("a file of a phone that the library does not accept", () => {
  it.each([
    ["heic", "mif1heic", "image/heic", TYPES.jpeg, "Convert the photo to JPEG"],
    ["mif1", "mif1heic", "image/heif", TYPES.jpeg, "Convert the photo to JPEG"],
    ["qt  ", "qt  ", "video/quicktime", TYPES.mp4, "Convert the video to MP4"],
  ])("is refused with what to do, by its name and by its bytes: %s, %s", async (...phone) => {
    const [brand, others, type, announced, advice] = phone;
    const bytes = mp4(brand, others);
    const body = { filename: "IMG_1", size: bytes.length, content_type: type };
    const early = await call("POST", "/api/media", { as: testTenant.supplier, body });
    expectRefusal(early, 422, "UNSUPPORTED_MEDIA", { field: "content_type" });
    const { answer } = await tryUpload(testTenant.supplier, bytes, announced);
    expectRefusal(answer, 422, "UNSUPPORTED_MEDIA", { field: "content_type", value: type });
    for (const { error } of [early.body, answer.body]) expect(error.message).toContain(advice);
  });
});

describe("an AVIF", () => {
  const avif = () => drawn(400, 300).avif().toBuffer();
  const show = async (bytes: Buffer) => {
    const asset = await upload(testTenant.supplier, bytes, "image/avif");
    expect(asset).toMatchObject({
      content_type: "image/avif",
      dimensions: { width: 400, height: 300 },
    });
    expect((await fetch(asset.url)).status).toBe(200);
    return asset;
  };

  it("may have a last box without a size", async () => {
    const bytes = await avif();
    bytes.writeUInt32BE(0, bytes.indexOf("mdat") - 4);
    await show(bytes);
  });

  it("may begin with the name of the format that it is made of", async () => {
    const bytes = await avif();
    bytes.write("mif1", 8);
    await show(bytes);
  });

  it.each([
    [10, 0x40],
    [12, 0x60],
  ])("may have %d bits, and has no variants if Storage cannot decode it", async (_, flags) => {
    const bytes = await avif();
    // Its header says so, and its pixels do not, so no decoder reads it.
    const coding = bytes.indexOf("av1C") + 6;
    bytes[coding] = (bytes[coding] as number) | flags;
    bytes.fill(0xff, bytes.indexOf("mdat") + 4);
    const asset = await show(bytes);
    expect(asset).toMatchObject({ variants: [], srcset: null });
  });
});

describe("an upload URL", () => {
  it("accepts one file for its own path, and nothing after completion", async () => {
    const bytes = png(4, 4);
    const [first, second] = [
      await announce(testTenant.supplier, bytes, TYPES.png),
      await announce(testTenant.supplier, bytes, TYPES.png),
    ];
    const pathOf = (asset: { upload: { url: string } }) => new URL(asset.upload.url).pathname;
    const elsewhere = {
      upload: { ...first.upload, url: first.upload.url.replace(pathOf(first), pathOf(second)) },
    };
    expect((await sendBytes(elsewhere, bytes)).ok).toBe(false);
    expect((await sendBytes(first, bytes)).ok).toBe(true);
    expect((await sendBytes(first, text(html))).ok).toBe(false);
    const done = await complete(testTenant.supplier, first);
    expect(done.status).toBe(200);
    expect((await sendBytes(first, text(html))).ok).toBe(false);
    expect(Buffer.from(await (await fetch(done.body.url)).arrayBuffer())).toEqual(bytes);
    expectRefusal(await complete(testTenant.supplier, second), 409, "CONFLICT");
    // A token without a valid signature.
    const [signed] = second.upload.url.split(/\.(?=[^.]*$)/);
    const forged = { upload: { ...second.upload, url: `${signed}.${"A".repeat(43)}` } };
    expect((await sendBytes(forged, bytes)).ok).toBe(false);
  });
});

const drawn = (width: number, height: number, alpha = 1): Sharp =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 60, b: 20, alpha } } });

describe("an image", () => {
  it.each(["jpeg", "webp", "avif", "gif"] as const)("is accepted as %s", async (format) => {
    const bytes = await drawn(400, 300).toFormat(format).toBuffer();
    const asset = await upload(testTenant.supplier, bytes, `image/${format}`);
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

  it("with an EXIF rotation has the dimensions of the rotated image", async () => {
    const bytes = await drawn(400, 300).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const asset = await upload(testTenant.supplier, bytes, TYPES.jpeg);
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
  ] as const)("keeps its alpha channel: %s", async (format) => {
    const bytes = await drawn(400, 300, 0).toFormat(format).toBuffer();
    const asset = await upload(testTenant.supplier, bytes, `image/${format}`);
    const smaller = await fetch(asset.variants[0].url, { headers: { accept: "image/webp" } });
    const { channels } = await sharp(Buffer.from(await smaller.arrayBuffer())).stats();
    expect(channels[3]).toMatchObject({ min: 0, max: 0 });
  });
});

describe("bytes after the end of an image", () => {
  const page = Buffer.from("<!doctype html><script>alert(1)</script>");
  const behind = async (format: "jpeg" | "avif" | "webp" | "gif") =>
    Buffer.concat([await drawn(20, 10).toFormat(format).toBuffer(), page]);

  it.each(["avif", "webp", "gif"] as const)("are refused: %s", async (format) => {
    const { answer } = await tryUpload(
      testTenant.supplier,
      await behind(format),
      `image/${format}`,
    );
    expectRefusal(answer, 422, "UNSUPPORTED_MEDIA");
  });

  it("are refused with their number, also if they are another image", async () => {
    for (const [bytes, type] of [
      [png(2, 2), TYPES.png],
      [await drawn(20, 10).gif().toBuffer(), "image/gif"],
    ] as const) {
      const twice = Buffer.concat([bytes, bytes]);
      const { answer } = await tryUpload(testTenant.supplier, twice, type);
      expectRefusal(answer, 422, "UNSUPPORTED_MEDIA");
      expect(answer.body.error.message).toContain(`${bytes.length} bytes after the end`);
    }
  });

  it("may not be missing in the last box of an AVIF", async () => {
    const whole = await drawn(20, 10).avif().toBuffer();
    const cut = whole.subarray(0, -3);
    const { answer } = await tryUpload(testTenant.supplier, cut, "image/avif");
    expectRefusal(answer, 422, "UNSUPPORTED_MEDIA");
  });

  it("are kept in a JPEG, where phones store videos", async () => {
    const asset = await upload(testTenant.supplier, await behind("jpeg"), TYPES.jpeg);
    expect((await fetch(asset.url)).headers.get("content-type")).toBe("image/jpeg");
  });
});

// PGlite has one session, so its transactions cannot wait for each other.
it.skipIf(!process.env.DATABASE_URL)(
  "two images of the same products change in parallel without a deadlock",
  async () => {
    const { supplier } = testTenant;
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
      await eventually(async () => {
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
