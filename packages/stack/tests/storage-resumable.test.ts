import { appendFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { holdRequest } from "./held-request.js";
import { openStage, type Stage } from "./storage-stage.js";
import { append, create, type Door, offsetOf } from "./storage-tus.js";

const USER = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const bytes = new Uint8Array(100_000).map((_, i) => i % 253);

let stage: Stage;
let bucket: string;
let door: Door;

beforeAll(async () => {
  stage = await openStage("pglite", '[storage]\nfile_size_limit = "1MB"');
  bucket = await stage.bucket();
  await stage.db.execute(
    `create policy "Users add to their folder" on storage.objects for insert to authenticated
     with check ((storage.foldername(name))[1] = (select auth.uid())::text)`,
  );
  door = await doorOf(USER);
});
afterAll(() => stage.stop());

const doorOf = async (sub: string, upsert = false): Promise<Door> => ({
  url: `${stage.url}/storage/v1/upload/resumable`,
  headers: {
    authorization: `Bearer ${await stage.token({ role: "authenticated", sub })}`,
    ...(upsert && { "x-upsert": "true" }),
  },
});

const about = (objectName: string, more: Record<string, string> = {}) => ({
  bucketName: bucket,
  objectName,
  contentType: "application/x-thing",
  cacheControl: "60",
  ...more,
});

async function begin(name: string, length = bytes.length, from = door): Promise<string> {
  const begun = await create(from, length, about(name));
  expect(begun.status, await begun.text()).toBe(201);
  return begun.headers.get("location")!;
}

async function download(name: string): Promise<Buffer> {
  const { data, error } = await stage.admin.from(bucket).download(name);
  if (error) throw error;
  return Buffer.from(await data.arrayBuffer());
}

it("takes an object in parts, and goes on after a restart", async () => {
  const name = `${USER}/parts`;
  const begun = await create(door, bytes.length, about(name, { metadata: '{"a":1}' }));
  const location = begun.headers.get("location")!;
  expect(location.startsWith(`${stage.url}/storage/v1/upload/resumable/`)).toBe(true);
  const part = await append(location, door, 0, bytes.subarray(0, 40_000));
  expect(part.status).toBe(204);
  expect(part.headers.get("upload-offset")).toBe("40000");
  await stage.restart();
  expect(await offsetOf(location, door)).toBe(40_000);
  expect((await append(location, door, 30_000, bytes.subarray(30_000))).status).toBe(409);
  const last = await append(location, door, 40_000, bytes.subarray(40_000));
  expect(last.headers.get("tus-complete")).toBe("1");
  expect(Buffer.compare(await download(name), bytes)).toBe(0);
  expect((await stage.admin.from(bucket).info(name)).data).toMatchObject({
    contentType: "application/x-thing",
    cacheControl: "max-age=60",
    metadata: { a: 1 },
  });
  // Whoever lost the last answer hears that all is there.
  expect(await offsetOf(location, door)).toBe(bytes.length);
});

it("asks the policies at the start and at each part", async () => {
  expect((await create(door, 10, about(`${OTHER}/x`))).status).toBe(403);
  const location = await begin(`${USER}/mine`, 10);
  const other = await doorOf(OTHER);
  expect((await append(location, other, 0, bytes.subarray(0, 10))).status).toBe(403);
  expect((await append(location, { url: "", headers: {} }, 0, bytes)).status).toBe(400);
  expect(await offsetOf(location, door)).toBe(0);
});

it("makes no object under a name that somebody puts into the address", async () => {
  const location = await begin(`${USER}/honest`, 10);
  const id = Buffer.from(location.split("/").at(-1)!, "base64url").toString();
  const forged = Buffer.from(id.replace("honest", "forged")).toString("base64url");
  const address = location.replace(/[^/]+$/, forged);
  expect((await append(address, door, 0, bytes.subarray(0, 10))).status).toBe(404);
  for (const odd of ["..", "../../x", `${bucket}/${USER}/x/../../../../etc/passwd`]) {
    const encoded = Buffer.from(odd).toString("base64url");
    expect((await append(location.replace(/[^/]+$/, encoded), door, 0, bytes)).status).toBe(400);
  }
});

it("puts nothing in the place of what is there, unless it may", async () => {
  const name = `${USER}/taken`;
  await stage.admin.from(bucket).upload(name, "old");
  expect((await create(door, 10, about(name))).status).toBe(409);
  expect((await create(await doorOf(USER, true), 10, about(name))).status).toBe(403);
});

it("takes the place of nothing that came while it was under way, unless it may", async () => {
  const name = `${USER}/overtaken`;
  const location = await begin(name, 10);
  expect((await append(location, door, 0, bytes.subarray(0, 9))).status).toBe(204);
  const headers = {
    ...door.headers,
    "tus-resumable": "1.0.0",
    "upload-offset": "9",
    "content-type": "application/offset+octet-stream",
  };
  const send = holdRequest("PATCH", location, headers, "");
  // Long enough for the policies to be asked, which see that the name is free.
  await setTimeout(500);
  await stage.admin.from(bucket).upload(name, "came first");
  expect(await send(bytes.subarray(9, 10))).toBe(409);
  expect((await download(name)).toString()).toBe("came first");
});

it("takes a signed upload once, for its path, without a key", async () => {
  const from = stage.admin.from(bucket);
  const { data } = await from.createSignedUploadUrl("signed");
  const signed: Door = {
    url: `${stage.url}/storage/v1/upload/resumable/sign`,
    headers: { "x-signature": data!.token },
  };
  expect((await create(signed, 10, about("elsewhere"))).status).toBe(400);
  expect((await create({ ...signed, headers: {} }, 10, about("signed"))).status).toBe(400);
  const location = await begin("signed", 10, signed);
  expect(location).toContain("/upload/resumable/sign/");
  expect((await append(location, signed, 0, bytes.subarray(0, 10))).status).toBe(204);
  expect(await download("signed")).toHaveLength(10);
  expect((await create(signed, 10, about("signed"))).status).toBe(409);
});

it("refuses what is too large or of another type, and forgets what is given up", async () => {
  const large = await create(door, 1_048_577, about(`${USER}/large`));
  expect(large.status).toBe(413);
  await stage.admin.createBucket("pictures", { public: false, allowedMimeTypes: ["image/*"] });
  const admin: Door = {
    ...door,
    headers: { authorization: `Bearer ${stage.keys.serviceRoleKey}` },
  };
  const typed = about("x", { bucketName: "pictures", contentType: "text/html" });
  expect((await create(admin, 10, typed)).status).toBe(415);
  const location = await begin(`${USER}/given-up`);
  const headers = { ...door.headers, "tus-resumable": "1.0.0" };
  expect((await fetch(location, { method: "DELETE", headers })).status).toBe(204);
  expect(await offsetOf(location, door)).toBeNull();
});

it("asks for the last byte again where bytes are whole and the object is not made", async () => {
  const name = `${USER}/whole`;
  const location = await begin(name, 10);
  await stage.db.execute(
    "alter table storage.objects add constraint closed check (version = '1') not valid",
  );
  expect((await append(location, door, 0, bytes.subarray(0, 10))).status).toBe(500);
  await stage.db.execute("alter table storage.objects drop constraint closed");
  expect(await offsetOf(location, door)).toBe(9);
  expect((await append(location, door, 9, bytes.subarray(9, 10))).status).toBe(204);
  expect(Buffer.compare(await download(name), bytes.subarray(0, 10))).toBe(0);
});

it("hears that an upload is whole which was killed before that was noted", async () => {
  const name = `${USER}/unnoted`;
  const location = await begin(name, 10);
  expect((await append(location, door, 0, bytes.subarray(0, 9))).status).toBe(204);
  const id = Buffer.from(location.split("/").at(-1)!, "base64url").toString();
  const version = id.split("/").at(-1)!;
  await appendFile(join(stage.folder, "partial", version), bytes.subarray(9, 10));
  await stage.db.query(
    "insert into storage.objects (bucket_id, name, version) values ($1, $2, $3)",
    [bucket, name, version],
  );
  expect(await offsetOf(location, door)).toBe(10);
  await stage.admin.from(bucket).remove([name]);
});

it("takes nothing by a signature that has ended, neither the first part nor the last", async () => {
  const secret = new TextEncoder().encode(stage.keys.jwtSecret);
  const sign = (name: string, seconds: number) =>
    new SignJWT({ url: `${bucket}/${name}`, scope: "upload" })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
      .sign(secret);
  const doorWith = (signature: string): Door => ({
    url: `${stage.url}/storage/v1/upload/resumable/sign`,
    headers: { "x-signature": signature },
  });
  expect((await create(doorWith(await sign("late", -1)), 10, about("late"))).status).toBe(400);
  const soon = doorWith(await sign("soon", 2));
  const location = await begin("soon", 10, soon);
  expect((await append(location, soon, 0, bytes.subarray(0, 9))).status).toBe(204);
  await setTimeout(3000);
  expect((await append(location, soon, 9, bytes.subarray(9, 10))).status).toBe(400);
  expect((await stage.admin.from(bucket).exists("soon")).data).toBe(false);
});

it("forgets each hour what nobody has gone on with for a day", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    await stage.restart();
    const [old, young] = [await begin(`${USER}/old`, 10), await begin(`${USER}/young`, 10)];
    const id = Buffer.from(old.split("/").at(-1)!, "base64url").toString();
    const yesterday = Date.now() / 1000 - 24 * 3600 - 1;
    for (const ending of ["", ".json"]) {
      const file = join(stage.folder, "partial", id.split("/").at(-1)! + ending);
      await utimes(file, yesterday, yesterday);
    }
    vi.advanceTimersByTime(3600 * 1000);
    while ((await offsetOf(old, door)) !== null) await setTimeout(50);
    expect(await offsetOf(young, door)).toBe(0);
  } finally {
    vi.useRealTimers();
    await stage.restart();
  }
});
