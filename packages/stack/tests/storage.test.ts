import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneServer } from "./servers.js";
import { openStage, type Stage } from "./storage-stage.js";

describe.each(oneServer)("Storage on %s", (server) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage("", server);
  });
  afterAll(() => stage.stop());

  it("creates, changes, lists, empties and deletes buckets", async () => {
    const { admin } = stage;
    expect(await admin.createBucket("photos", { public: true, fileSizeLimit: "1MB" })).toEqual({
      data: { name: "photos" },
      error: null,
    });
    expect((await admin.createBucket("photos")).error).toMatchObject({
      status: 400,
      statusCode: "409",
      message: "The resource already exists",
    });
    const changed = { public: false, allowedMimeTypes: ["image/*"] };
    expect((await admin.updateBucket("photos", changed)).error).toBeNull();
    expect((await admin.getBucket("photos")).data).toMatchObject({
      id: "photos",
      public: false,
      file_size_limit: 1_000_000,
      allowed_mime_types: ["image/*"],
    });
    expect((await admin.listBuckets()).data?.map(({ name }) => name)).toEqual(["photos"]);
    await admin.from("photos").upload("a.png", "bytes", { contentType: "image/png" });
    expect((await admin.deleteBucket("photos")).error).toMatchObject({ statusCode: "409" });
    expect((await admin.emptyBucket("photos")).error).toBeNull();
    expect((await admin.deleteBucket("photos")).error).toBeNull();
    expect((await admin.getBucket("photos")).error).toMatchObject({ message: "Bucket not found" });
    expect(await stage.files()).toEqual([]);
  });

  it("stores an object's bytes, content type, cache control and user metadata", async () => {
    const bucket = await stage.bucket();
    const from = stage.admin.from(bucket);
    const bytes = new Uint8Array(300_000).map((_, i) => i % 251);
    const uploaded = await from.upload("a/b c.bin", bytes, {
      contentType: "application/x-thing",
      cacheControl: "60",
      metadata: { colour: "blue" },
    });
    expect(uploaded.data).toMatchObject({ path: "a/b c.bin", fullPath: `${bucket}/a/b c.bin` });
    const form = new Blob(["<b>hello</b>"], { type: "text/html" });
    expect((await from.upload("page.html", form)).error).toBeNull();

    const { data } = await from.download("a/b c.bin");
    expect(Buffer.compare(Buffer.from(await data!.arrayBuffer()), bytes)).toBe(0);
    expect((await from.info("a/b c.bin")).data).toMatchObject({
      size: 300_000,
      contentType: "application/x-thing",
      cacheControl: "max-age=60",
      metadata: { colour: "blue" },
    });
    expect((await from.exists("a/b c.bin")).data).toBe(true);
    expect((await from.exists("a/b")).data).toBe(false);
    const page = await stage.http(`/object/${bucket}/page.html`);
    expect(page.headers.get("content-type")).toBe("text/plain");
    expect(page.headers.get("cache-control")).toBe("max-age=3600");
    expect(await page.text()).toBe("<b>hello</b>");
    const head = await stage.http(`/object/${bucket}/page.html`, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe("12");
    expect(await head.text()).toBe("");
  });

  it("replaces an object by an upsert and by an update, and by nothing else", async () => {
    const bucket = await stage.bucket();
    const from = stage.admin.from(bucket);
    const before = (await stage.files()).length;
    await from.upload("x", "one");
    expect((await from.upload("x", "two")).error).toMatchObject({ statusCode: "409" });
    expect((await from.upload("x", "three", { upsert: true })).error).toBeNull();
    expect((await from.update("x", "four")).error).toBeNull();
    expect(await (await from.download("x")).data?.text()).toBe("four");
    expect((await stage.files()).length).toBe(before + 1);
  });

  it("moves, copies and removes objects", async () => {
    const bucket = await stage.bucket();
    const other = await stage.bucket();
    const from = stage.admin.from(bucket);
    await from.upload("x", "one", { metadata: { a: 1 } });
    expect((await from.move("x", "deep/y")).error).toBeNull();
    expect((await from.copy("deep/y", "z", { destinationBucket: other })).data).toEqual({
      path: `${other}/z`,
    });
    expect((await from.download("x")).error).toMatchObject({ status: 400 });
    const removed = await from.remove(["deep/y", "nothing"]);
    expect(removed.data).toMatchObject([{ name: "deep/y", bucket_id: bucket }]);
    expect(await (await stage.admin.from(other).download("z")).data?.text()).toBe("one");
    expect((await stage.admin.from(other).info("z")).data?.metadata).toEqual({ a: 1 });
  });

  it("lists folders and objects with search, sort and pages", async () => {
    const bucket = await stage.bucket();
    const from = stage.admin.from(bucket);
    for (const name of ["b/1", "a.txt", "b/c/2", "c"]) await from.upload(name, name);
    const names = (data: { name: string }[] | null) => data?.map(({ name }) => name);
    expect(names((await from.list()).data)).toEqual(["a.txt", "b", "c"]);
    expect(names((await from.list("b")).data)).toEqual(["1", "c"]);
    expect(names((await from.list("", { search: "C" })).data)).toEqual(["c"]);
    const sorted = await from.list("", { sortBy: { column: "created_at", order: "desc" } });
    expect(names(sorted.data)).toEqual(["b", "c", "a.txt"]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await from.listV2({ limit: 1, with_delimiter: true, cursor });
      seen.push(...data!.folders.map(({ name }) => name), ...data!.objects.map(({ name }) => name));
      cursor = data!.nextCursor;
    } while (cursor);
    expect(seen).toEqual(["a.txt", "b/", "c"]);
    const flat = await from.listV2({ limit: 3, sortBy: { column: "name", order: "desc" } });
    expect(flat.data).toMatchObject({ hasNext: true });
    const rest = await from.listV2({ cursor: flat.data!.nextCursor });
    expect(names([...flat.data!.objects, ...rest.data!.objects])).toEqual([
      "c",
      "b/c/2",
      "b/1",
      "a.txt",
    ]);
  });

  it("signs URLs for downloads and for uploads", async () => {
    const bucket = await stage.bucket();
    const from = stage.admin.from(bucket);
    await from.upload("secret file", "hidden");
    const signed = await from.createSignedUrl("secret file", 60, { download: "name.txt" });
    const answer = await fetch(signed.data!.signedUrl);
    expect(await answer.text()).toBe("hidden");
    expect(answer.headers.get("content-disposition")).toBe(
      "attachment; filename=name.txt; filename*=UTF-8''name.txt",
    );
    const many = await from.createSignedUrls(["secret file", "none"], 60);
    expect(await (await fetch(many.data![0]!.signedUrl as string)).text()).toBe("hidden");
    expect(many.data![1]).toMatchObject({
      signedUrl: null,
      error: expect.stringContaining("not exist"),
    });

    const { data } = await from.createSignedUploadUrl("new");
    const anon = (await stage.as(null)).from(bucket);
    expect((await anon.uploadToSignedUrl("new", data!.token, "fresh")).error).toBeNull();
    expect(await (await from.download("new")).data?.text()).toBe("fresh");
  });

  it("serves a public bucket's objects without a policy, and does not list them", async () => {
    const bucket = await stage.bucket({ public: true });
    await stage.admin.from(bucket).upload("logo", "seen");
    const anon = (await stage.as(null)).from(bucket);
    const { data } = anon.getPublicUrl("logo");
    expect(await (await fetch(data.publicUrl)).text()).toBe("seen");
    expect((await anon.list()).data).toEqual([]);
    const hidden = await stage.bucket();
    await stage.admin.from(hidden).upload("logo", "hidden");
    const refused = await fetch(anon.getPublicUrl("logo").data.publicUrl.replace(bucket, hidden));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      statusCode: "404",
      error: "Bucket not found",
      message: "Bucket not found",
      code: "NoSuchBucket",
    });
  });

  it("sends nosniff with objects, errors and resumable uploads", async () => {
    const bucket = await stage.bucket({ public: true });
    await stage.admin.from(bucket).upload("x", "x");
    const answers = [
      await stage.http(`/object/public/${bucket}/x`),
      await stage.http(`/object/public/${bucket}/none`),
      await stage.http("/upload/resumable", { method: "OPTIONS" }),
      await stage.http(`/render/image/public/${bucket}/x`),
    ];
    expect(answers.map(({ headers }) => headers.get("x-content-type-options"))).toEqual(
      answers.map(() => "nosniff"),
    );
  });
});
