import { once } from "node:events";
import { readdir, stat, writeFile } from "node:fs/promises";
import { type ClientRequest, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./functions-setup.js";
import { type Addresses, makeProject, type Running, removeProject, run } from "./project.js";
import { append, create, type Door, offsetOf } from "./storage-tus.js";

let root: string;
let running: Running;
let addresses: Addresses;

beforeAll(async () => {
  root = await makeProject({
    "supabase/config.toml": "[storage.buckets.files]\npublic = true\n",
    // Between the bytes of this one and its row there is time to die.
    "supabase/migrations/20260101000000_slow.sql": `
      create function public.wait() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(3);
        return new;
      end
      $$;
      create trigger wait before insert on storage.objects
        for each row when (new.name = 'slow' and new.version <> '1') execute function public.wait();`,
  });
  await start();
});
afterAll(async () => {
  running.process.kill("SIGKILL");
  await running.exited;
  await removeProject(root);
});

async function start(): Promise<void> {
  running = run(root, "start", "--json", "--port", "0");
  addresses = await running.ready();
}

const admin = () => ({ authorization: `Bearer ${addresses.service_role_key}` });
const storage = (path: string) => `${addresses.url}/storage/v1${path}`;
const folder = (name: string) => join(root, ".souk", "storage", name);
const filesIn = async (name: string) =>
  (await readdir(folder(name), { recursive: true })).filter((file) => file.length > 2);

const bytes = new Uint8Array(400_000).map((_, i) => i % 251);

/** Sends half of a body, and then nothing more. */
function sendHalf(method: string, url: string, headers: Record<string, string>): ClientRequest {
  const sending = request(url, {
    method,
    headers: { ...headers, "content-length": String(bytes.length) },
  });
  sending.on("error", () => {});
  sending.write(bytes.subarray(0, 200_000));
  return sending;
}

it("killed amid uploads it loses none that was whole, and goes on with what comes in parts", async () => {
  const put = (body: string) =>
    fetch(storage("/object/files/kept"), { method: "PUT", headers: admin(), body });
  expect((await put("old")).status).toBe(200);
  const door: Door = { url: storage("/upload/resumable"), headers: admin() };
  const begun = await create(door, bytes.length, { bucketName: "files", objectName: "parts" });
  const id = begun.headers.get("location")!.split("/").at(-1)!;

  sendHalf("PUT", storage("/object/files/kept"), admin());
  sendHalf("PATCH", `${door.url}/${id}`, {
    ...admin(),
    "tus-resumable": "1.0.0",
    "upload-offset": "0",
    "content-type": "application/offset+octet-stream",
  });
  await eventually(async () => (await filesIn("incoming")).length === 1);
  // Asked for its offset, the stack would take the upload from whoever sends it.
  const [partial] = (await filesIn("partial")).filter((name) => !name.endsWith(".json"));
  await eventually(async () => (await stat(join(folder("partial"), partial!))).size > 0);
  running.process.kill("SIGKILL");
  await once(running.process, "exit");
  // What a stack wrote that was killed before the row was.
  const [shelf] = await readdir(folder("objects"));
  const orphan = `${shelf}000000-0000-4000-8000-000000000000`;
  await writeFile(join(folder("objects"), shelf!, orphan), "orphan");
  expect(await filesIn("objects")).toHaveLength(2);

  await start();
  expect(running.output.err).toContain("1 files that no object has were removed");
  expect(await filesIn("objects")).toHaveLength(1);
  await expect(filesIn("incoming")).rejects.toThrow("ENOENT");
  const old = await fetch(storage("/object/public/files/kept"));
  expect(await old.text()).toBe("old");

  const location = storage(`/upload/resumable/${id}`);
  const again: Door = { url: "", headers: admin() };
  const offset = (await offsetOf(location, again))!;
  expect(offset).toBeGreaterThan(0);
  expect(offset).toBeLessThanOrEqual(200_000);
  expect((await append(location, again, offset, bytes.subarray(offset))).status).toBe(204);
  const whole = await fetch(storage("/object/public/files/parts"));
  expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes)).toBe(0);
});

it("killed before the row of a whole upload is written it asks for its last byte again", async () => {
  const door: Door = { url: storage("/upload/resumable"), headers: admin() };
  const begun = await create(door, bytes.length, { bucketName: "files", objectName: "slow" });
  const id = begun.headers.get("location")!.split("/").at(-1)!;
  const before = (await filesIn("objects")).length;
  append(`${door.url}/${id}`, door, 0, bytes).catch(() => {});
  await eventually(async () => (await filesIn("objects")).length === before + 1);
  running.process.kill("SIGKILL");
  await once(running.process, "exit");

  await start();
  const location = storage(`/upload/resumable/${id}`);
  const again: Door = { url: "", headers: admin() };
  expect(await offsetOf(location, again)).toBe(bytes.length - 1);
  expect((await append(location, again, bytes.length - 1, bytes.subarray(-1))).status).toBe(204);
  expect(await offsetOf(location, again)).toBe(bytes.length);
  const whole = await fetch(storage("/object/public/files/slow"));
  expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes)).toBe(0);
  expect(await filesIn("partial")).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/^[0-9a-f-]{36}$/)]),
  );
});
