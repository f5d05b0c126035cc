import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { create } from "../../packages/stack/tests/storage-tus.js";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  type Person,
  register,
  stackInUse,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { png, TYPES } from "./files.js";
import { announce, complete, upload } from "./uploading.js";

// Permissions in Storage's policies.

let testTenant: TestTenant;
let neighbour: TestTenant;
beforeAll(async () => {
  [testTenant, neighbour] = await Promise.all([openTestTenant(), openTestTenant()]);
});

const bytes = png(5, 5);
const put = (as: Person | undefined, path: string, bucket = "uploads") =>
  supabaseAs(as).storage.from(bucket).upload(path, bytes, { contentType: TYPES.png });

describe("uploading by supabase-js", () => {
  it("creates an asset when it is registered and completed", async () => {
    const path = `${testTenant.tenantId}/pots/pot ${randomUUID()}.png`;
    expect((await put(testTenant.supplier, path)).error).toBeNull();
    const input = { bucket: "uploads", path, alt_text: "A pot", tags: ["pot"] };
    const { data } = await supabaseAs(testTenant.supplier)
      .rpc("register_media", input)
      .throwOnError();
    expect(data).toMatchObject({ status: "uploading", size: bytes.length, alt_text: "A pot" });
    const again = await supabaseAs(testTenant.supplier).rpc("register_media", input);
    expect(again.error?.message).toBe("CONFLICT");
    const done = await complete(testTenant.supplier, data);
    expect(done.body).toMatchObject({ status: "ready", tags: ["pot"], dimensions: { width: 5 } });
  });

  it("is allowed to suppliers, editors and admins, below their tenant's id, with plain names", async () => {
    const { tenantId, customer, operator, supplier } = testTenant;
    const own = `${tenantId}/${randomUUID()}.png`;
    for (const [as, path] of [
      [customer, own],
      [undefined, own],
      [neighbour.supplier, own],
      [supplier, `${neighbour.tenantId}/a.png`],
      [supplier, "a.png"],
      [supplier, `${tenantId}/../${neighbour.tenantId}/a.png`],
      [supplier, `${tenantId}/.hidden`],
      [supplier, `${tenantId}/${"a".repeat(300)}`],
      [supplier, `${tenantId.toUpperCase()}/a.png`],
    ] as const) {
      expect({ path, isTaken: !(await put(as, path)).error }).toEqual({ path, isTaken: false });
    }
    for (const bucket of ["media", "documents"]) {
      expect((await put(operator, own, bucket)).error).not.toBeNull();
    }
    expect((await put(operator, own)).error).toBeNull();
    await supabaseAsService()
      .from("members")
      .update({ content_roles: ["editor"] })
      .eq("user_id", customer.id)
      .throwOnError();
    expect((await put(customer, `${own}.2`)).error).toBeNull();
    await supabaseAsService()
      .from("members")
      .update({ content_roles: [] })
      .eq("user_id", customer.id)
      .throwOnError();
  });

  it("never overwrites, changes, moves, copies, signs or deletes an object", async () => {
    const { supplier, operator, tenantId } = testTenant;
    const path = `${tenantId}/${randomUUID()}.png`;
    await put(supplier, path);
    const asset = await upload(supplier, bytes, TYPES.png);
    const shown = new URL(asset.url).pathname.replace(/^.*\/media\//, "");
    for (const as of [supplier, operator, neighbour.operator]) {
      const { storage } = supabaseAs(as);
      const at = (bucket: string) => storage.from(bucket);
      for (const [bucket, name] of [
        ["uploads", path],
        ["media", shown],
      ] as const) {
        const body = { contentType: TYPES.png, upsert: true };
        expect((await put(as, name, bucket)).error).not.toBeNull();
        expect((await at(bucket).upload(name, Buffer.from("x"), body)).error).not.toBeNull();
        expect((await at(bucket).update(name, Buffer.from("x"), body)).error).not.toBeNull();
        expect((await at(bucket).move(name, `${tenantId}/moved.png`)).error).not.toBeNull();
        expect((await at(bucket).copy(name, `${tenantId}/copied.png`)).error).not.toBeNull();
        expect((await at(bucket).createSignedUrl(name, 60)).error).not.toBeNull();
        expect((await at(bucket).remove([name])).data ?? []).toEqual([]);
      }
    }
    expect(Buffer.from(await (await fetch(asset.url)).arrayBuffer())).toEqual(bytes);
  });

  it("is limited in each bucket to the types of the library", async () => {
    const types = await query<{ content_type: string }>(
      "select content_type from private.media_types order by content_type",
    );
    for (const bucket of ["uploads", "media", "documents"]) {
      const { data } = await supabaseAsService().storage.getBucket(bucket);
      expect(data?.allowed_mime_types).toEqual(types.map(({ content_type }) => content_type));
    }
  });

  it("cannot reach another tenant by signed, moved, copied or resumable uploads", async () => {
    const { supplier, tenantId } = testTenant;
    const theirs = `${neighbour.tenantId}/${randomUUID()}.png`;
    const from = supabaseAs(supplier).storage.from("uploads");
    expect((await from.createSignedUploadUrl(theirs)).error).not.toBeNull();
    const own = `${tenantId}/${randomUUID()}.png`;
    expect((await from.createSignedUploadUrl(own)).error).toBeNull();
    await put(supplier, own);
    const { data } = await supabaseAs(supplier)
      .rpc("register_media", { bucket: "uploads", path: own })
      .throwOnError();
    const shown = (await complete(supplier, data)).body;
    const [, inMedia] = new URL(shown.url).pathname.split("/media/");
    for (const [bucket, name] of [
      ["uploads", own],
      ["media", inMedia as string],
    ] as const) {
      const at = supabaseAs(supplier).storage.from(bucket);
      for (const destinationBucket of ["uploads", "media", "documents"]) {
        expect((await at.move(name, theirs, { destinationBucket })).error).not.toBeNull();
        expect((await at.copy(name, theirs, { destinationBucket })).error).not.toBeNull();
      }
    }
    const resumable = {
      url: `${stackInUse().url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${supplier.token}` },
    };
    const begin = (objectName: string) =>
      create(resumable, bytes.length, {
        bucketName: "uploads",
        objectName,
        contentType: TYPES.png,
      });
    expect((await begin(theirs)).status).toBe(403);
    expect((await begin(`${tenantId}/${randomUUID()}.png`)).status).toBe(201);
  });

  it("shows no list of objects to anybody", async () => {
    const { customer, supplier, operator } = testTenant;
    const asset = await upload(supplier, bytes, TYPES.png);
    // Its bytes are read with a signed address, by those who see it.
    const own = await upload(supplier, bytes, TYPES.png, { private: true });
    for (const as of [undefined, customer, supplier, operator, neighbour.operator]) {
      for (const bucket of ["uploads", "media", "documents", "exports"]) {
        for (const prefix of ["", testTenant.tenantId]) {
          const { data } = await supabaseAs(as).storage.from(bucket).list(prefix);
          expect(data ?? []).toEqual([]);
          const newer = await supabaseAs(as).storage.from(bucket).listV2({ prefix });
          expect(newer.data?.objects ?? []).toEqual([]);
        }
      }
    }
    for (const { url } of [asset, own]) expect((await fetch(url)).status).toBe(200);
  });

  it("is registered by the uploader only, from the bucket uploads only", async () => {
    const path = `${testTenant.tenantId}/${randomUUID()}.png`;
    await put(testTenant.supplier, path);
    for (const [as, input, code] of [
      [testTenant.operator, { bucket: "uploads", path }, "NOT_FOUND"],
      [neighbour.supplier, { bucket: "uploads", path }, "NOT_FOUND"],
      [testTenant.supplier, { bucket: "media", path }, "VALIDATION_ERROR"],
      [testTenant.supplier, { bucket: "uploads", path: `${path}.2` }, "NOT_FOUND"],
      [testTenant.customer, { bucket: "uploads", path }, "FORBIDDEN"],
    ] as const) {
      const { error } = await supabaseAs(as).rpc("register_media", input);
      expect(error?.message).toBe(code);
    }
  });

  it("is refused above the quota", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const settings = { media: { quota_bytes: bytes.length + 1 } };
    await must("PATCH", "/api/tenant", { as: operator, body: { settings } });
    const paths = [1, 2, 3].map((n) => `${tenantId}/${n}.png`);
    expect((await put(supplier, paths[0] as string)).error).toBeNull();
    expect((await put(supplier, paths[1] as string)).error).toBeNull();
    // Now the bucket contains more than the quota allows.
    expect((await put(supplier, paths[2] as string)).error).not.toBeNull();
    const register = (path?: string) =>
      supabaseAs(supplier).rpc("register_media", { bucket: "uploads", path });
    expect((await register(paths[0])).error).toBeNull();
    expect((await register(paths[1])).error).toMatchObject({
      message: "VALIDATION_ERROR",
      details: expect.stringContaining('"remaining": 1'),
    });
  });
});

/** How long caches may keep an object: as Storage has stored it, and as it answers a reader with a token. */
async function cachingOf(as: Person, bucket: string, path: string): Promise<(string | null)[]> {
  const { url, secret_key, publishable_key } = stackInUse();
  const { data } = await supabaseAsService().storage.from(bucket).info(path);
  const answer = await fetch(`${url}/storage/v1/object/authenticated/${bucket}/${path}`, {
    headers:
      bucket === "documents"
        ? { apikey: publishable_key, authorization: `Bearer ${as.token}` }
        : { apikey: secret_key, authorization: `Bearer ${secret_key}` },
  });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  return [data?.cacheControl ?? null, answer.headers.get("cache-control")];
}

/** The path of a bucket's object in its address. */
const pathIn = (bucket: string, { url }: { url: string }) =>
  new URL(url).pathname.split(`/${bucket}/`)[1] as string;

describe("caches", () => {
  it("keep public files for a year, and private ones not without asking", async () => {
    const { supplier } = testTenant;
    const shown = await upload(supplier, bytes, TYPES.png);
    const year = "max-age=31536000";
    expect(await cachingOf(supplier, "media", pathIn("media", shown))).toEqual([year, year]);
    for (const [content, type] of [
      [bytes, TYPES.png],
      [Buffer.from("%PDF-1.7 a book\n%%EOF"), TYPES.pdf],
    ] as const) {
      const asset = await upload(supplier, content, type, { private: true });
      expect(await cachingOf(supplier, "documents", pathIn("documents", asset))).toEqual([
        "private, no-cache",
        "private, no-cache",
      ]);
      // A signed address is kept until it expires, an hour later.
      const signed = await fetch(asset.url);
      expect(signed.headers.get("cache-control")).toBeNull();
      const expires = Date.parse(signed.headers.get("expires") as string) - Date.now();
      expect(expires).toBeLessThanOrEqual(3600 * 1000);
    }
  });

  it("keep unchecked uploads not without asking", async () => {
    const announced = await announce(testTenant.supplier, bytes, TYPES.png);
    expect(announced.upload.resumable.metadata).toMatchObject({ cacheControl: "0" });
  });
});

describe("a private asset", () => {
  it("is readable by admins, content roles and the uploader, with signed URLs", async () => {
    const { supplier, operator, customer, tenantId } = testTenant;
    const big = png(700, 350);
    const asset = await upload(supplier, big, TYPES.png, { private: true });
    const colleague = await register({ tenant_id: tenantId, role: "supplier" });
    const reviewer = await register({ tenant_id: tenantId });
    await supabaseAsService()
      .from("members")
      .update({ content_roles: ["reviewer"] })
      .eq("user_id", reviewer.id)
      .throwOnError();
    for (const as of [supplier, operator, reviewer]) {
      const one = await must("GET", `/api/media/${asset.id}`, { as });
      expect(Buffer.from(await (await fetch(one.url)).arrayBuffer())).toEqual(big);
      expect(one.variants.map(({ width }: { width: number }) => width)).toEqual([320, 640]);
      const smaller = await fetch(one.variants[0].url, { headers: { accept: "image/webp" } });
      expect(smaller.headers.get("content-type")).toBe("image/webp");
      expect(one.srcset).toContain(" 640w");
      const { media } = await must("GET", "/api/media", { as });
      const listed = media.find(({ id }: { id: string }) => id === asset.id);
      expect((await fetch(listed.url)).status).toBe(200);
      expect(listed.variants).toEqual([]);
    }
    for (const as of [customer, colleague, neighbour.operator]) {
      expectRefusal(await call("GET", `/api/media/${asset.id}`, { as }), 404, "NOT_FOUND");
      const { media } = await must("GET", "/api/media", { as });
      expect(JSON.stringify(media)).not.toContain(asset.id);
    }

    // Through supabase-js; not with its unsigned URL, nor with the token of another object.
    const { data } = await supabaseAs(supplier)
      .from("media_assets")
      .select("bucket, path")
      .eq("id", asset.id)
      .single()
      .throwOnError();
    const { bucket, path } = data;
    expect(bucket).toBe("documents");
    const sign = (as?: Person) => supabaseAs(as).storage.from(bucket).createSignedUrl(path, 60);
    expect((await sign(supplier)).error).toBeNull();
    for (const as of [customer, colleague, neighbour.operator, undefined]) {
      expect((await sign(as)).error).not.toBeNull();
    }
    const open = asset.url.replace("/object/sign/", "/object/public/").replace(/\?.*/, "");
    expect((await fetch(open)).status).toBeGreaterThanOrEqual(400);
    const unsigned = asset.url.replace(/\?.*/, "");
    expect((await fetch(unsigned)).status).toBeGreaterThanOrEqual(400);
    const another = await upload(supplier, bytes, TYPES.png, { private: true });
    const swapped = unsigned + new URL(another.url).search;
    expect((await fetch(swapped)).status).toBeGreaterThanOrEqual(400);
  });
});
