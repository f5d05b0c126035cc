import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "./storage-stage.js";

let stage: Stage;
let bucket: string;
let from: ReturnType<Stage["admin"]["from"]>;

const picture = (format: "png" | "jpeg" | "webp", width = 300, height = 200) =>
  sharp({ create: { width, height, channels: 3, background: "#c04020" } })
    .toFormat(format)
    .toBuffer();

beforeAll(async () => {
  stage = await openStage();
  bucket = await stage.bucket({ public: true });
  from = stage.admin.from(bucket);
  await from.upload("a.png", await picture("png"), { contentType: "image/png", cacheControl: "9" });
});
afterAll(() => stage.stop());

/** Asks for the public image, as a browser that takes `accept`. */
const render = (query: string, accept = "*/*", name = "a.png") =>
  stage.http(`/render/image/public/${bucket}/${name}?${query}`, {
    token: null,
    headers: { accept },
  });

it.each([
  ["width=150", 150, 100],
  ["width=100&height=100", 100, 100],
  ["width=100&height=100&resize=contain", 100, 67],
  ["width=100&height=100&resize=fill", 100, 100],
  ["width=9999&height=9999", 300, 200],
  ["quality=30", 300, 200],
])("%s is %d × %d", async (query, width, height) => {
  const answer = await render(query);
  expect(answer.status).toBe(200);
  const made = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
  expect(made).toMatchObject({ format: "png", width, height });
});

it("answers in the format that was asked for, that the browser takes, or that it has", async () => {
  const types = await Promise.all(
    [
      render("width=10"),
      render("width=10", "image/avif,image/webp,*/*"),
      render("width=10&format=origin", "image/webp"),
      render("width=10&format=avif"),
    ].map(async (answer) => (await answer).headers.get("content-type")),
  );
  expect(types).toEqual(["image/png", "image/webp", "image/png", "image/avif"]);
});

it("may be kept by a browser, and is not sent again", async () => {
  const answer = await render("width=10&height=20&resize=contain&quality=50");
  expect(answer.headers.get("cache-control")).toBe("max-age=9");
  expect(answer.headers.get("vary")).toBe("Accept");
  expect(answer.headers.get("x-transformations")).toBe(
    "height:20,width:10,resizing_type:fit,quality:50",
  );
  const again = await stage.http(`/render/image/public/${bucket}/a.png?width=10`, {
    headers: { "if-none-match": answer.headers.get("etag")! },
  });
  expect(again.status).toBe(304);
});

it("renders for those alone who may read the image, or have its signed URL", async () => {
  const hidden = await stage.bucket();
  await stage.admin.from(hidden).upload("h.png", await picture("png"));
  const asked = `/${hidden}/h.png?width=10`;
  expect((await stage.http(`/render/image/public${asked}`, { token: null })).status).toBe(400);
  const token = await stage.token({ role: "authenticated", sub: hidden });
  expect((await stage.http(`/render/image/authenticated${asked}`, { token })).status).toBe(400);
  expect((await stage.http(`/render/image/authenticated${asked}`)).status).toBe(200);
  const { data } = await stage.admin
    .from(hidden)
    .createSignedUrl("h.png", 60, { transform: { width: 10, height: 10 } });
  expect(data!.signedUrl).toContain("/render/image/sign/");
  const signed = await fetch(`${data!.signedUrl}&width=200`);
  const made = await sharp(Buffer.from(await signed.arrayBuffer())).metadata();
  expect(made.width).toBe(10);
});

it("refuses wishes that make no sense", async () => {
  for (const query of ["width=-1", "width=ten", "quality=101", "resize=crop", "format=exe"]) {
    expect(await (await render(query)).json()).toMatchObject({ statusCode: "400" });
  }
});

/** A PNG of so many black pixels that says no more than it must. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc(body));
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(Math.ceil(width / 8 + 1) * 1000));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crc(bytes: Buffer): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let i = 0; i < 8; i += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}

it("refuses what is no image, and what would fill the memory", async () => {
  const odd = {
    "bomb.png": bomb(50_000, 50_000),
    "text.png": Buffer.from("<script>alert(1)</script>"),
    "half.jpg": (await picture("jpeg")).subarray(0, 200),
    "large.png": Buffer.alloc(25 * 1024 * 1024 + 1),
  };
  const before = process.memoryUsage.rss();
  const messages: string[] = [];
  for (const [name, bytes] of Object.entries(odd)) {
    await from.upload(name, bytes, { contentType: "image/png" });
    const answer = await render("width=10", "*/*", name);
    messages.push(((await answer.json()) as { message: string }).message);
  }
  expect(messages).toEqual([
    "The source image resolution is too large to process",
    "The source image is invalid or unsupported for rendering",
    "The source image is invalid or unsupported for rendering",
    "The source image file is too large to process",
  ]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
});
