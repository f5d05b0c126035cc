import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { programOf } from "../../../tests/programs.js";
import { holdRequest } from "./held-request.js";
import { makeProject, removeProject } from "./project.js";
import { append, create, type Endpoint, fileOf, offsetOf, partHeaders } from "./storage-tus.js";

// Storage is killed with SIGKILL at named points of uploads, and started again over the same folder.

let root: string;
let running: ChildProcess;
let storage: string;
let admin: { authorization: string };

beforeAll(async () => {
  root = await makeProject({
    "supabase/config.toml": "[storage.buckets.files]\npublic = true\n",
  });
});
afterEach(kill);
afterAll(() => removeProject(root));

/** Starts Storage. `at`: the point at which it kills itself, before or after the rows of these objects are written. */
async function start(...at: [] | ["before" | "after", ...string[]]): Promise<void> {
  running = spawn(
    process.execPath,
    ["--liftoff-only", programOf("packages/stack/tests/storage-crash-child.ts"), ...at],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = text(running.stderr!);
  const ended = once(running, "exit").then(async () => {
    throw new Error(`ended before it was ready:\n${await log}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([
    once(createInterface({ input: running.stdout! }), "line"),
    ended,
  ]);
  const { url, key } = JSON.parse(line);
  storage = `${url}/storage/v1`;
  admin = { authorization: `Bearer ${key}` };
}

async function kill(): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  running.kill("SIGKILL");
  await once(running, "exit");
}

/** Waits for the end of a Storage that kills itself during `requests`. */
async function killedBy(...requests: Promise<Response>[]): Promise<void> {
  for (const result of await Promise.allSettled(requests)) expect(result.status).toBe("rejected");
  if (running.signalCode === null) await once(running, "exit");
  expect(running.signalCode).toBe("SIGKILL");
}

const folder = (name: string) => join(root, ".souk", "storage", name);
const filesIn = async (name: string) =>
  (await readdir(folder(name), { recursive: true }).catch(() => [])).filter(
    (file) => file.length > 2,
  );

const bytes = new Uint8Array(400_000).map((_, i) => i % 251);
const half = bytes.subarray(0, 200_000);

const put = (name: string, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(`${storage}/object/files/${name}`, { method: "PUT", headers: admin, body });
const read = async (name: string) =>
  Buffer.from(await (await fetch(`${storage}/object/public/files/${name}`)).arrayBuffer());
const resumable = (): Endpoint => ({ url: `${storage}/upload/resumable`, headers: admin });

/** Begins an upload in parts. Resolves with the end of its address, which is the same after a restart. */
async function begin(name: string): Promise<string> {
  const begun = await create(resumable(), bytes.length, { bucketName: "files", objectName: name });
  return begun.headers.get("location")!.split("/").at(-1)!;
}

const locationOf = (id: string) => `${resumable().url}/${id}`;

describe("killed while the bytes of an upload arrive", () => {
  it("keeps the old object, and continues an upload in parts", async () => {
    await start();
    expect((await put("kept", "old")).status).toBe(200);
    const id = await begin("parts");
    const length = { "content-length": String(bytes.length) };
    holdRequest("PUT", `${storage}/object/files/kept`, { ...admin, ...length }, half);
    holdRequest("PATCH", locationOf(id), { ...partHeaders(resumable(), 0), ...length }, half);
    const partial = join(folder("partial"), fileOf(locationOf(id)));
    await eventually(async () => {
      expect(await filesIn("incoming")).toHaveLength(1);
      expect((await stat(partial)).size).toBeGreaterThan(0);
    });
    await kill();

    await start();
    expect((await read("kept")).toString()).toBe("old");
    expect(await filesIn("incoming")).toEqual([]);
    const offset = (await offsetOf(locationOf(id), resumable()))!;
    expect(offset).toBe((await stat(partial)).size);
    const rest = bytes.subarray(offset);
    expect((await append(locationOf(id), resumable(), offset, rest)).status).toBe(204);
    expect(Buffer.compare(await read("parts"), bytes)).toBe(0);
    expect(await filesIn("objects")).toHaveLength(2);
  });
});

describe("killed between the bytes and the row of an upload", () => {
  it("keeps the old object and no new one, removes their bytes, and asks for the last byte of an upload in parts", async () => {
    await start("before", "kept", "new", "last");
    const files = await filesIn("objects");
    const id = await begin("last");
    await killedBy(
      put("kept", bytes),
      put("new", bytes),
      append(locationOf(id), resumable(), 0, bytes),
    );
    expect(await filesIn("objects")).toHaveLength(files.length + 3);

    await start();
    expect(await filesIn("objects")).toEqual(files);
    expect((await read("kept")).toString()).toBe("old");
    expect((await fetch(`${storage}/object/public/files/new`)).status).toBe(400);
    expect(await offsetOf(locationOf(id), resumable())).toBe(bytes.length - 1);
    const last = bytes.subarray(-1);
    expect((await append(locationOf(id), resumable(), bytes.length - 1, last)).status).toBe(204);
    expect(Buffer.compare(await read("last"), bytes)).toBe(0);
  });
});

describe("killed after the row of an upload", () => {
  it("has the new object, removes the bytes of the old one, and finishes an upload in parts", async () => {
    await start("after", "kept", "noted");
    const files = await filesIn("objects");
    const id = await begin("noted");
    await killedBy(put("kept", "new"), append(locationOf(id), resumable(), 0, bytes));
    expect(await filesIn("objects")).toHaveLength(files.length + 2);

    await start();
    expect((await read("kept")).toString()).toBe("new");
    expect(await filesIn("objects")).toHaveLength(files.length + 1);
    expect(await offsetOf(locationOf(id), resumable())).toBe(bytes.length);
    expect(Buffer.compare(await read("noted"), bytes)).toBe(0);
    expect(await filesIn("partial")).not.toContain(fileOf(locationOf(id)));
  });
});
