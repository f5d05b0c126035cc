import { appendFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { holdRequest } from "./held-request.js";
import { openStage, type Stage } from "./storage-stage.js";
import {
  append,
  create,
  type Endpoint,
  fileOf,
  idOf,
  offsetOf,
  partHeaders,
} from "./storage-tus.js";

const USER = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const bytes = new Uint8Array(100_000).map((_, i) => i % 253);

let stage: Stage;
let bucket: string;
let endpoint: Endpoint;

beforeAll(async () => {
  stage = await openStage('[storage]\nfile_size_limit = "1MB"');
  bucket = await stage.bucket();
  await stage.db.execute(
    `create policy "Users add to their folder" on storage.objects for insert to authenticated
     with check ((storage.foldername(name))[1] = (select auth.uid())::text)`,
  );
  endpoint = await endpointOf(USER);
});
afterAll(() => stage.stop());

const endpointOf = async (sub: string, upsert = false): Promise<Endpoint> => ({
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

async function begin(name: string, length = bytes.length, from = endpoint): Promise<string> {
  const begun = await create(from, length, about(name));
  expect(begun.status, await begun.text()).toBe(201);
  return begun.headers.get("location")!;
}

async function download(name: string): Promise<Buffer> {
  const { data, error } = await stage.admin.from(bucket).download(name);
  if (error) throw error;
  return Buffer.from(await data.arrayBuffer());
}

it("accepts an object in parts, and continues after a restart", async () => {
  const name = `${USER}/parts`;
  const begun = await create(endpoint, bytes.length, about(name, { metadata: '{"a":1}' }));
  const location = begun.headers.get("location")!;
  expect(location.startsWith(`${stage.url}/storage/v1/upload/resumable/`)).toBe(true);
  const part = await append(location, endpoint, 0, bytes.subarray(0, 40_000));
  expect(part.status).toBe(204);
  expect(part.headers.get("upload-offset")).toBe("40000");
  await stage.restart();
  expect(await offsetOf(location, endpoint)).toBe(40_000);
  expect((await append(location, endpoint, 30_000, bytes.subarray(30_000))).status).toBe(409);
  const last = await append(location, endpoint, 40_000, bytes.subarray(40_000));
  expect(last.headers.get("tus-complete")).toBe("1");
  expect(Buffer.compare(await download(name), bytes)).toBe(0);
  expect((await stage.admin.from(bucket).info(name)).data).toMatchObject({
    contentType: "application/x-thing",
    cacheControl: "max-age=60",
    metadata: { a: 1 },
  });
  // A client that lost the last answer sees that the upload is complete.
  expect(await offsetOf(location, endpoint)).toBe(bytes.length);
});

it("checks the policies at the start and for each part", async () => {
  expect((await create(endpoint, 10, about(`${OTHER}/x`))).status).toBe(403);
  const location = await begin(`${USER}/mine`, 10);
  const other = await endpointOf(OTHER);
  expect((await append(location, other, 0, bytes.subarray(0, 10))).status).toBe(403);
  expect((await append(location, { url: "", headers: {} }, 0, bytes)).status).toBe(400);
  expect(await offsetOf(location, endpoint)).toBe(0);
});

it("creates no object under a name that was forged in the address", async () => {
  const location = await begin(`${USER}/honest`, 10);
  const forged = Buffer.from(idOf(location).replace("honest", "forged")).toString("base64url");
  const address = location.replace(/[^/]+$/, forged);
  expect((await append(address, endpoint, 0, bytes.subarray(0, 10))).status).toBe(404);
  for (const odd of ["..", "../../x", `${bucket}/${USER}/x/../../../../etc/passwd`]) {
    const encoded = Buffer.from(odd).toString("base64url");
    expect((await append(location.replace(/[^/]+$/, encoded), endpoint, 0, bytes)).status).toBe(
      400,
    );
  }
});

it("replaces no object without an upsert and its policies", async () => {
  const name = `${USER}/taken`;
  await stage.admin.from(bucket).upload(name, "old");
  expect((await create(endpoint, 10, about(name))).status).toBe(409);
  expect((await create(await endpointOf(USER, true), 10, about(name))).status).toBe(403);
});

it("replaces no object that was created while the last part arrived", async () => {
  const name = `${USER}/overtaken`;
  const location = await begin(name, 10);
  expect((await append(location, endpoint, 0, bytes.subarray(0, 9))).status).toBe(204);
  // A sequence counts even rolled-back inserts.
  await stage.db.execute(`
    create sequence probes;
    create function count_probe() returns trigger language plpgsql as $$
    begin
      perform nextval('public.probes');
      return new;
    end
    $$;
    create trigger count_probe before insert on storage.objects
      for each row when (new.version = '1') execute function count_probe();
    grant usage on sequence probes to authenticated`);
  const send = holdRequest("PATCH", location, partHeaders(endpoint, 9), "");
  // The policies were checked when the probe's row was inserted: the name was free then.
  await eventually(async () => {
    const [probes] = await stage.db.query("select from probes where is_called");
    expect(probes).toBeDefined();
  });
  await stage.admin.from(bucket).upload(name, "came first");
  expect(await send(bytes.subarray(9, 10))).toBe(409);
  expect((await download(name)).toString()).toBe("came first");
});

it("accepts a signed upload once, for its path, without an API key", async () => {
  const from = stage.admin.from(bucket);
  const { data } = await from.createSignedUploadUrl("signed");
  const signed: Endpoint = {
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

it("refuses sizes and types that the bucket does not allow, and removes a deleted upload", async () => {
  const large = await create(endpoint, 1_048_577, about(`${USER}/large`));
  expect(large.status).toBe(413);
  await stage.admin.createBucket("pictures", { public: false, allowedMimeTypes: ["image/*"] });
  const admin: Endpoint = {
    ...endpoint,
    headers: { authorization: `Bearer ${stage.keys.serviceRoleKey}` },
  };
  const typed = about("x", { bucketName: "pictures", contentType: "text/html" });
  expect((await create(admin, 10, typed)).status).toBe(415);
  const location = await begin(`${USER}/given-up`);
  const headers = { ...endpoint.headers, "tus-resumable": "1.0.0" };
  expect((await fetch(location, { method: "DELETE", headers })).status).toBe(204);
  expect(await offsetOf(location, endpoint)).toBeNull();
});

it("asks for the last byte again when the row of a complete upload was refused", async () => {
  const name = `${USER}/whole`;
  const location = await begin(name, 10);
  await stage.db.execute(
    "alter table storage.objects add constraint closed check (version = '1') not valid",
  );
  expect((await append(location, endpoint, 0, bytes.subarray(0, 10))).status).toBe(500);
  await stage.db.execute("alter table storage.objects drop constraint closed");
  expect(await offsetOf(location, endpoint)).toBe(9);
  expect((await append(location, endpoint, 9, bytes.subarray(9, 10))).status).toBe(204);
  expect(Buffer.compare(await download(name), bytes.subarray(0, 10))).toBe(0);
});

it("finishes an upload whose row was written before a kill", async () => {
  const name = `${USER}/unnoted`;
  const location = await begin(name, 10);
  expect((await append(location, endpoint, 0, bytes.subarray(0, 9))).status).toBe(204);
  const version = fileOf(location);
  await appendFile(join(stage.folder, "partial", version), bytes.subarray(9, 10));
  await stage.db.query(
    "insert into storage.objects (bucket_id, name, version) values ($1, $2, $3)",
    [bucket, name, version],
  );
  expect(await offsetOf(location, endpoint)).toBe(10);
  await stage.admin.from(bucket).remove([name]);
});

it("accepts no part after the signature has expired", async () => {
  const { data } = await stage.admin.from(bucket).createSignedUploadUrl("late");
  const signed: Endpoint = {
    url: `${stage.url}/storage/v1/upload/resumable/sign`,
    headers: { "x-signature": data!.token },
  };
  const location = await begin("late", 10, signed);
  expect((await append(location, signed, 0, bytes.subarray(0, 9))).status).toBe(204);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 3600 * 1000 + 1000 });
  try {
    expect((await append(location, signed, 9, bytes.subarray(9, 10))).status).toBe(400);
    expect((await create(signed, 10, about("late"))).status).toBe(400);
  } finally {
    vi.useRealTimers();
  }
  expect((await stage.admin.from(bucket).exists("late")).data).toBe(false);
  expect((await append(location, signed, 9, bytes.subarray(9, 10))).status).toBe(204);
});

it("removes, each hour, the uploads that were begun a day ago", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    await stage.restart();
    const [old, recent] = [await begin(`${USER}/old`, 10), await begin(`${USER}/recent`, 10)];
    const yesterday = Date.now() / 1000 - 24 * 3600 - 1;
    for (const ending of ["", ".json"]) {
      const file = join(stage.folder, "partial", fileOf(old) + ending);
      await utimes(file, yesterday, yesterday);
    }
    vi.advanceTimersByTime(3600 * 1000);
    await eventually(async () => expect(await offsetOf(old, endpoint)).toBeNull());
    expect(await offsetOf(recent, endpoint)).toBe(0);
  } finally {
    vi.useRealTimers();
    await stage.restart();
  }
});
