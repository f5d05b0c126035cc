import { beforeAll, describe, expect, it } from "vitest";
import ws from "ws";
import { createClient, type SoukClient } from "../../packages/client/src/index.js";
import { must, openTestTenant, type Person, stackInUse, type TestTenant } from "../souk.js";
import { png } from "./files.js";

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

function clientOf(person: Person, send: typeof fetch = fetch): SoukClient {
  const { url, publishable_key } = stackInUse();
  return createClient(url, publishable_key, {
    accessToken: async () => person.token,
    fetch: send,
    realtime: { transport: ws as never },
    retry: { firstWaitMs: 1 },
  });
}

/** A video of this many megabytes: a header, and random bytes. */
function video(megabytes: number): File {
  const bytes = Buffer.alloc(megabytes * 1024 * 1024);
  for (let i = 0; i < bytes.length; i += 4096) bytes.writeUInt32LE(i, i);
  Buffer.from("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "latin1").copy(bytes);
  return new File([bytes], "walk.mp4", { type: "video/mp4" });
}

describe("media.upload", () => {
  it("resolves to the ready asset, and reports its progress", async () => {
    const souk = clientOf(testTenant.supplier);
    const reported: unknown[] = [];
    const bytes = png(40, 30);
    const asset = await souk.media.upload(new Blob([new Uint8Array(bytes)]), {
      filename: "pot.png",
      alt_text: "A pot",
      onProgress: (progress) => reported.push(progress),
    });
    expect(asset).toMatchObject({
      status: "ready",
      filename: "pot.png",
      content_type: "image/png",
      alt_text: "A pot",
      dimensions: { width: 40, height: 30 },
    });
    const total = bytes.length;
    expect(reported).toEqual([
      { sent: 0, total },
      { sent: total, total },
    ]);
    const replaced = await souk.media.upload(new File([new Uint8Array(png(8, 8))], "other.png"), {
      replaces: asset.id,
    });
    expect(replaced).toMatchObject({ id: asset.id, filename: "other.png", alt_text: "A pot" });
    await expect(souk.media.upload(new Blob(["x"]))).rejects.toThrow("filename");
    await souk.media.remove(asset.id);
  });

  it("sends a large file in parts, and keeps every byte", async () => {
    const file = video(13);
    const reported: { sent: number; total: number }[] = [];
    const asset = await clientOf(testTenant.supplier).media.upload(file, {
      onProgress: (progress) => reported.push(progress),
    });
    expect(asset).toMatchObject({ type: "video", content_type: "video/mp4", size: file.size });
    expect(reported.length).toBeGreaterThan(3);
    expect(reported.at(-1)).toEqual({ sent: file.size, total: file.size });
    const come = Buffer.from(await (await fetch(asset.url as string)).arrayBuffer());
    expect(come.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  it("repeats each step whose answer was lost", async () => {
    const lost = new Set<string>();
    const asset = await clientOf(testTenant.supplier, async (input, init) => {
      const request = new Request(input, init);
      const step = `${request.method} ${new URL(request.url).pathname.replaceAll(/[\w-]{36}/g, "x")}`;
      const answer = await fetch(request);
      if (lost.has(step)) return answer;
      lost.add(step);
      throw new TypeError("the connection broke");
    }).media.upload(new File([new Uint8Array(png(5, 5))], "a.png"));
    expect(lost.size).toBe(3);
    expect(asset.status).toBe("ready");
    const { media } = await must("GET", `/api/media?search=a.png`, { as: testTenant.customer });
    expect(media).toHaveLength(1);
  });

  it("ends with its signal, and removes the announced asset", async () => {
    const souk = clientOf(testTenant.supplier);
    const ending = new AbortController();
    const sending = souk.media.upload(video(20), {
      signal: ending.signal,
      onProgress: ({ sent }) => sent > 0 && ending.abort(new Error("enough")),
    });
    await expect(sending).rejects.toThrow("enough");
    const { media } = await must("GET", "/api/media?search=walk", { as: testTenant.supplier });
    expect(media.filter(({ status }: { status: string }) => status === "uploading")).toEqual([]);
  });

  it("rejects with the errors of the library", async () => {
    const souk = clientOf(testTenant.supplier);
    const lie = new File(["<script>"], "a.png", { type: "image/png" });
    await expect(souk.media.upload(lie)).rejects.toMatchObject({ code: "UNSUPPORTED_MEDIA" });
    await souk.auth.me();
    const large = { filename: "a.mp4", size: 52_428_801, content_type: "video/mp4" };
    await expect(souk.media.create(large)).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      field: "size",
      remaining: 52_428_800,
    });
    const asset = await souk.media.upload(new File([new Uint8Array(png(2, 2))], "b.png"));
    const product = await souk.products.create({
      name: "Pot",
      price: 1,
      images: [{ asset_id: asset.id }],
    });
    await expect(souk.media.remove(asset.id)).rejects.toMatchObject({
      code: "CONFLICT",
      usedBy: [{ type: "product", id: product.id }],
    });
  });
});
