import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { holdRequest } from "./held-request.js";
import { openStage, type Stage } from "./storage-stage.js";

let stage: Stage;
let bucket: string;
let from: ReturnType<Stage["admin"]["from"]>;

beforeAll(async () => {
  stage = await openStage('[storage]\nfile_size_limit = "2MB"');
  bucket = await stage.bucket();
  from = stage.admin.from(bucket);
  await from.upload("x", "old");
});
afterAll(() => stage.stop());

const json = (path: string, body: unknown, method = "POST") =>
  stage.http(path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Sends a request whose path no client library normalizes. Resolves with the status. */
function raw(method: string, path: string): Promise<number> {
  const { port } = new URL(stage.url);
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${stage.keys.serviceRoleKey}` };
    request({ port, method, path: `/storage/v1${path}`, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on("error", reject)
      .end(method === "GET" ? undefined : "evil");
  });
}

/** A name, and the beginning of it for the title of a test. */
const shown = (name: string) => [JSON.stringify(name).slice(0, 30), name] as const;

describe("names", () => {
  const odd = [
    "../x",
    "a/../../x",
    "a/./b",
    "..",
    "nul\0byte",
    "line\nbreak",
    "\u0007bell",
    "back\\slash",
    "snow☃man",
    "\u00fc",
    "u\u0308",
    "漢",
    "photo\u202egnp.exe",
    "\ud800",
    "a".repeat(10_000),
    "per%cent",
    "#hash",
  ].map(shown);

  it.each(odd)("refuses an object named %s", async (_title, name) => {
    const before = await stage.files();
    const refused = { statusCode: "400" };
    const move = { bucketId: bucket, sourceKey: "x", destinationKey: name };
    expect(await (await json("/object/move", move)).json()).toMatchObject(refused);
    expect(await (await json("/object/copy", move)).json()).toMatchObject(refused);
    // A buffer replaces half of a surrogate pair, which has no escape.
    const path = `/object/${bucket}/${encodeURIComponent(Buffer.from(name).toString())}`;
    for (const method of ["POST", "PUT", "GET"]) {
      expect(await raw(method, path), method).toBeGreaterThanOrEqual(400);
    }
    for (const [path, body] of [
      [`/object/${bucket}`, { prefixes: [name] }],
      [`/object/list/${bucket}`, { prefix: name }],
      [`/object/sign/${bucket}`, { paths: [name], expiresIn: 9 }],
    ] as const) {
      const answer = await json(
        path,
        body,
        path.includes("/list/") || path.includes("/sign/") ? "POST" : "DELETE",
      );
      expect(answer.status, path).toBeLessThan(500);
    }
    expect(await stage.files()).toEqual(before);
    expect((await from.list()).data?.map((each) => each.name)).toEqual(["x"]);
  });

  const usual = [
    "CON",
    "nul.txt",
    "__proto__",
    "constructor",
    ".hidden",
    "...",
    "sign/public/x",
    "-rf *",
    "a".repeat(1024),
  ].map(shown);

  it.each(usual)("accepts an object named %s", async (_title, name) => {
    const bucket = await stage.bucket({ public: true });
    const from = stage.admin.from(bucket);
    expect((await from.upload(name, name)).error).toBeNull();
    expect(await (await from.download(name)).data?.text()).toBe(name);
    expect((await from.copy(name, "copied")).error).toBeNull();
    expect((await from.move("copied", `${name.slice(0, 1000)}/moved`)).error).toBeNull();
    const { data } = await from.listV2();
    expect(data?.objects.map((each) => each.name)).toContain(name);
    expect((await from.remove([name])).data).toHaveLength(1);
  });

  it.each([
    "",
    " x",
    "a/b",
    "x".repeat(101),
    "nul\0",
    "x--iceberg",
    "☃",
  ])("refuses a bucket named %j", async (name) => {
    expect((await json("/bucket", { name })).status).toBe(400);
  });

  it("refuses paths with steps out of the bucket", async () => {
    const steps = [
      "/object/%2e%2e/%2e%2e/etc/passwd",
      `/object/${bucket}/..%2f..%2fx`,
      "/object//x",
    ];
    for (const path of [...steps, `/object/${bucket}/%zz`, `/object/${bucket}/%00`]) {
      expect(await raw("GET", path), path).toBeGreaterThanOrEqual(400);
    }
  });

  it("opens and removes no file outside, whatever version SQL writes into a row", async () => {
    for (const version of ["../../../../etc/passwd", "", "00000000-0000-4000-8000-000000000000"]) {
      await stage.db.query(
        `insert into storage.objects (bucket_id, name, version, metadata)
         values ($1, 'planted', $2, '{"size": 9}')
         on conflict (bucket_id, name) do update set version = excluded.version`,
        [bucket, version],
      );
      expect((await stage.http(`/object/${bucket}/planted`)).status).toBe(400);
      const name = `over-${version.length}`;
      await stage.db.query(
        "insert into storage.objects (bucket_id, name, version) values ($1, $2, $3)",
        [bucket, name, version],
      );
      expect((await from.upload(name, "good", { upsert: true })).error).toBeNull();
      expect(await (await from.download(name)).data!.text()).toBe("good");
      expect((await from.remove(["planted", name])).data).toHaveLength(2);
    }
    const other = await stage.bucket();
    await stage.db.query(
      "insert into storage.objects (bucket_id, name, created_at) values ($1, 'none', 'epoch')",
      [other],
    );
    expect((await stage.admin.emptyBucket(other)).error).toBeNull();
    expect((await stage.admin.deleteBucket(other)).error).toBeNull();
  });
});

it("requires no API key, and refuses a wrong one", async () => {
  const path = `/object/${bucket}/x`;
  expect((await stage.http(path)).status).toBe(200);
  expect((await stage.http(path, { headers: { apikey: "wrong" } })).status).toBe(401);
  expect((await stage.http(path, { token: null })).status).toBe(400);
});

describe("sizes and types", () => {
  it("refuses more bytes than the limit, with and without content-length, and keeps none of them", async () => {
    const before = await stage.files();
    const large = Buffer.alloc(2 * 1024 * 1024 + 1);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(large);
        controller.close();
      },
    });
    const form = new FormData();
    form.append("", new Blob([large]));
    for (const body of [large, form, stream]) {
      const init = { method: "POST", body, duplex: "half" } as RequestInit;
      const answer = await stage.http(`/object/${bucket}/large`, init);
      expect(await answer.json()).toMatchObject({ statusCode: "413", code: "EntityTooLarge" });
    }
    expect(await stage.files()).toEqual(before);
  });

  it("accepts only the types and sizes that the bucket allows", async () => {
    await stage.admin.createBucket("typed", {
      public: true,
      allowedMimeTypes: ["image/*", "application/pdf"],
      fileSizeLimit: "1KB",
    });
    const typed = stage.admin.from("typed");
    const upload = (contentType: string, bytes = "x") =>
      typed.upload("a", bytes, { contentType, upsert: true });
    expect((await upload("image/png")).error).toBeNull();
    expect((await upload("application/pdf")).error).toBeNull();
    for (const type of ["text/html", "image", "imagex/png", "application/pdfx"]) {
      expect((await upload(type)).error, type).toMatchObject({ statusCode: "415" });
    }
    expect((await upload("image/png", "x".repeat(1001))).error).toMatchObject({
      statusCode: "413",
    });
  });

  it("serves HTML as plain text, and lets no value add a header", async () => {
    await from.upload("page", "<script>alert(1)</script>", {
      contentType: "text/html; charset=utf-8",
    });
    const page = await stage.http(`/object/${bucket}/page`);
    expect(page.headers.get("content-type")).toBe("text/plain");
    const form = new FormData();
    form.append("cacheControl", "1\r\nset-cookie: a=b");
    form.append("", new Blob(["x"]));
    await stage.http(`/object/${bucket}/split`, { method: "POST", body: form });
    const split = await stage.http(`/object/${bucket}/split`);
    expect(split.status).toBe(400);
    expect(split.headers.get("set-cookie")).toBeNull();
    const download = encodeURIComponent('x"\r\nset-cookie: a=b');
    const named = await stage.http(`/object/${bucket}/page?download=${download}`);
    expect(named.headers.get("content-disposition")).not.toContain("\n");
    await from.remove(["page", "split"]);
  });

  it("answers malformed forms and bodies with 400", async () => {
    const send = (body: string, type: string) =>
      stage.http(`/object/${bucket}/broken`, {
        method: "POST",
        body,
        headers: { "content-type": type },
      });
    const form = "multipart/form-data; boundary=b";
    for (const [body, type] of [
      ["", form],
      ["--b--\r\n", form],
      ["nonsense", form],
      ["x", "multipart/form-data"],
      ['--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n--b--\r\n', form],
      ['--b\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\nhalf', form],
    ] as const) {
      expect((await send(body, type)).status, body).toBe(400);
    }
    for (const body of ["", "{", "[]", '"x"', "null", `{"a":"${"x".repeat(1_100_000)}"}`]) {
      const answer = await stage.http("/bucket", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      expect(answer.status).toBe(400);
    }
    expect((await from.list()).data).toHaveLength(1);
  });

  it("continues after a large form that is refused, and after one that breaks off", async () => {
    const token = await stage.token({ role: "authenticated", sub: bucket });
    const form = new FormData();
    form.append("", new Blob([Buffer.alloc(1_000_000)]));
    const path = `/object/${bucket}/refused`;
    const refused = await stage.http(path, { method: "POST", body: form, token });
    expect(await refused.json()).toMatchObject({ statusCode: "403" });

    const incoming = join(stage.folder, "incoming");
    /** The files that are being written, by their first bytes, which tell whose they are. */
    const written = async () => {
      const files = (await readdir(incoming)).map((name) => readFile(join(incoming, name)));
      return (await Promise.all(files)).map((bytes) => [
        bytes.length,
        bytes.toString("utf8", 0, 40),
      ]);
    };
    // The uploads of other tests have ended.
    await eventually(async () => expect(await written()).toEqual([]));
    const [before, logged] = [await stage.files(), stage.lines.length];
    const broken = request(`${stage.url}/storage/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${stage.keys.serviceRoleKey}`,
        "content-type": "multipart/form-data; boundary=b",
      },
    }).on("error", () => {});
    const head = 'content-disposition: form-data; name=""; filename="a"';
    broken.write(`--b\r\n${head}\r\n\r\n${"x".repeat(100_000)}`);
    await eventually(async () => expect(await readdir(incoming)).toHaveLength(1));
    const closed = new Promise((close) => broken.once("close", close));
    broken.destroy();
    await closed;
    await eventually(async () => expect(await readdir(incoming)).toEqual([]));
    expect(await stage.files()).toEqual(before);
    expect((await stage.http(`/object/${bucket}/x`)).status).toBe(200);
    expect(stage.lines.slice(logged)).toEqual([]);
  });
});

describe("signed URLs", () => {
  it("accept an upload once, for their path, until they expire", async () => {
    const { data } = await from.createSignedUploadUrl("once");
    const { token } = data!;
    const put = (name: string, given = token) =>
      stage.http(`/object/upload/sign/${bucket}/${name}?token=${given}`, {
        method: "PUT",
        body: "x",
        token: null,
      });
    expect((await put("other")).status).toBe(400);
    expect((await put("once")).status).toBe(200);
    expect(await (await put("once")).json()).toMatchObject({ statusCode: "409" });
    const secret = new TextEncoder().encode(stage.keys.jwtSecret);
    const late = await new SignJWT({ url: `${bucket}/late`, upsert: true, scope: "upload", exp: 1 })
      .setProtectedHeader({ alg: "HS256" })
      .sign(secret);
    expect(await (await put("late", late)).json()).toMatchObject({ code: "InvalidJWT" });
    expect((await put("late", "")).status).toBe(400);
    await from.remove(["once"]);
  });

  it("are valid for nothing but their purpose", async () => {
    const upload = (await from.createSignedUploadUrl("y")).data!.token;
    const read = (await from.createSignedUrl("x", 60)).data!.signedUrl;
    const token = new URL(read).searchParams.get("token");
    const get = (name: string, given: string | null) =>
      stage.http(`/object/sign/${bucket}/${name}?token=${given}`, { token: null });
    expect((await get("x", token)).status).toBe(200);
    expect((await get("x", upload)).status).toBe(400);
    expect((await get("y", token)).status).toBe(400);
    expect((await get("x", stage.keys.serviceRoleKey)).status).toBe(400);
    const put = await stage.http(`/object/upload/sign/${bucket}/x?token=${token}`, {
      method: "PUT",
      body: "evil",
      token: null,
    });
    expect(put.status).toBe(400);
    expect((await stage.http(`/bucket`, { token })).status).toBe(200);
    expect(await (await stage.http(`/bucket`, { token })).json()).toEqual([]);
    for (const expiresIn of [0, -1, 1.5, 1e20, "9"]) {
      expect((await json(`/object/sign/${bucket}/x`, { expiresIn })).status).toBe(400);
    }
  });
});

it("keeps one complete object of 20 concurrent upserts of one name", async () => {
  const before = await stage.files();
  const bodies = Array.from({ length: 20 }, (_, i) => Buffer.alloc(200_000 + i, i + 1));
  const answers = await Promise.all(
    bodies.map((body) => from.upload("raced", body, { upsert: true })),
  );
  expect(answers.every(({ error }) => error === null)).toBe(true);
  const got = Buffer.from(await (await from.download("raced")).data!.arrayBuffer());
  const sums = bodies.map((body) => createHash("md5").update(body).digest("hex"));
  expect(sums).toContain(createHash("md5").update(got).digest("hex"));
  expect((await from.info("raced")).data?.size).toBe(got.length);
  expect((await stage.files()).length).toBe(before.length + 1);
  await from.remove(["raced"]);
});

it("accepts one of 20 concurrent uploads of a new name", async () => {
  const before = await stage.files();
  const bodies = Array.from({ length: 20 }, (_, i) => Buffer.alloc(200_000 + i, i + 1));
  const answers = await Promise.all(bodies.map((body) => from.upload("first", body)));
  const taken = bodies.filter((_, i) => answers[i]!.error === null);
  expect(taken).toHaveLength(1);
  for (const { error } of answers) if (error) expect(error).toMatchObject({ statusCode: "409" });
  const got = Buffer.from(await (await from.download("first")).data!.arrayBuffer());
  expect(Buffer.compare(got, taken[0]!)).toBe(0);
  expect((await stage.files()).length).toBe(before.length + 1);
  await from.remove(["first"]);
});

it("refuses an upload that is no upsert when another one was completed before it", async () => {
  const before = await stage.files();
  const { token } = (await from.createSignedUploadUrl("held")).data!;
  const url = `${stage.url}/storage/v1/object/upload/sign/${bucket}/held?token=${token}`;
  const send = holdRequest("PUT", url, { "content-length": "4" }, "ev");
  const incoming = join(stage.folder, "incoming");
  await eventually(async () => expect(await readdir(incoming)).toHaveLength(1));
  expect((await from.uploadToSignedUrl("held", token, "good")).error).toBeNull();
  expect(await send("il")).toBe(400);
  expect(await (await from.download("held")).data!.text()).toBe("good");
  expect((await stage.files()).length).toBe(before.length + 1);
  await from.remove(["held"]);
});

describe("ranges and conditions", () => {
  it.each([
    ["bytes=0-0", 206, "o", "bytes 0-0/3"],
    ["bytes=1-", 206, "ld", "bytes 1-2/3"],
    ["bytes=-2", 206, "ld", "bytes 1-2/3"],
    ["bytes=-99", 206, "old", "bytes 0-2/3"],
    ["bytes=0-99", 206, "old", "bytes 0-2/3"],
    ["bytes=3-", 416, null, "bytes */3"],
    ["bytes=2-1", 416, null, "bytes */3"],
    ["bytes=-0", 416, null, "bytes */3"],
    ["bytes=-", 416, null, "bytes */3"],
    ["bytes=0-0,1-1", 200, "old", null],
    ["lines=1-2", 200, "old", null],
  ])("answer Range: %s with %d", async (range, status, text, contentRange) => {
    const answer = await stage.http(`/object/${bucket}/x`, { headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-range")).toBe(contentRange);
    if (text !== null) expect(await answer.text()).toBe(text);
    else expect(await answer.json()).toMatchObject({ code: "InvalidRange" });
  });

  it("send no bytes that have not changed", async () => {
    const path = `/object/${bucket}/x`;
    const first = await stage.http(path);
    const etag = first.headers.get("etag")!;
    expect(etag).toBe(`"${createHash("md5").update("old").digest("hex")}"`);
    const modified = first.headers.get("last-modified")!;
    const ask = async (headers: Record<string, string>) =>
      (await stage.http(path, { headers })).status;
    expect(await ask({ "if-none-match": etag })).toBe(304);
    expect(await ask({ "if-none-match": `"a", W/${etag}` })).toBe(304);
    expect(await ask({ "if-none-match": '"a"' })).toBe(200);
    expect(await ask({ "if-modified-since": modified })).toBe(304);
    expect(await ask({ "if-modified-since": new Date(0).toUTCString() })).toBe(200);
    expect(await ask({ range: "bytes=0-0", "if-range": '"a"' })).toBe(200);
  });
});

it("answers 404 when the config switches it off", async () => {
  await writeFile(join(stage.root, "supabase/config.toml"), "[storage]\nenabled = false");
  await stage.restart();
  const answer = await stage.http("/bucket");
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ message: expect.stringContaining("[storage]") });
});
