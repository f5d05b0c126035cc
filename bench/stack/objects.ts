// Uploads and downloads of objects, beside a bare server for files (`bare-files.ts`). Both write a file, sync it and
// give it its name. The bare server has no policies, rows, content types or checksums.
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Comparable } from "./compare.js";

/** `config.toml` of the measured project. */
export const BUCKETS = `
[storage]
file_size_limit = "2GiB"
[storage.buckets.open]
public = true
[storage.buckets.closed]
`;

export const POLICIES = `
create policy "Users read" on storage.objects for select to authenticated
  using (bucket_id = 'closed' and owner_id = (select auth.uid())::text);
create policy "Users add" on storage.objects for insert to authenticated
  with check (bucket_id = 'closed' and owner_id = (select auth.uid())::text);
`;

const SIZES = { "10 kB": 10_000, "5 MB": 5_000_000 };
const GIGABYTE = 1_000_000_000;

/** The name in `servers` of the server that `bare-files.ts` is. */
export const BARE = "bare";

/** The number in the name of the next upload. No name is used twice. */
let uploads = 0;

export const cases: readonly Comparable[] = Object.entries(SIZES).flatMap(([size, bytes]) => {
  const body = Buffer.alloc(bytes, "x");
  const address = (server: string, bucket: string, name: string | number) =>
    server === BARE ? `/${name}` : `/storage/v1/object/${bucket}/${name}`;
  const download = (bucket: string) => (_count: number, server: string) => ({
    method: "GET" as const,
    path: address(server, bucket, bytes),
  });
  return [
    {
      name: `${size} up`,
      status: 200,
      wanted: (_count: number, server: string) => ({
        method: "POST" as const,
        path: address(server, "closed", `n${uploads++}`),
        body,
      }),
    },
    { name: `${size} down, public`, status: 200, wanted: download("public/open") },
    { name: `${size} down, private`, status: 200, wanted: download("authenticated/closed") },
  ];
});

/** Uploads the objects that the cases download, to both servers. */
export async function uploadObjects(
  servers: Record<string, string>,
  headers: Record<string, string>,
  serviceRoleKey: string,
): Promise<void> {
  const admin = { ...headers, authorization: `Bearer ${serviceRoleKey}` };
  for (const bytes of Object.values(SIZES)) {
    const body = Buffer.alloc(bytes, "x");
    await upload(`${servers.stack}/storage/v1/object/closed/${bytes}`, headers, body);
    await upload(`${servers.stack}/storage/v1/object/open/${bytes}`, admin, body);
    await upload(`${servers[BARE]}/${bytes}`, headers, body);
  }
}

async function upload(url: string, headers: Record<string, string>, body: Buffer): Promise<void> {
  const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}

/**
 * Measures the maximum memory of the stack while a gigabyte is uploaded and downloaded, as a
 * sentence. Needs Linux.
 */
export async function memoryOfGigabyte(
  pid: number,
  stack: string,
  headers: Record<string, string>,
): Promise<string> {
  const object = `${stack}/storage/v1/object/closed/gigabyte`;
  const before = await maxMemory(pid, async () => {});
  const up = await maxMemory(pid, () => uploadGigabyte(object, headers));
  const down = await maxMemory(pid, () => downloadGigabyte(object, headers));
  return `a gigabyte: ${before} MB of memory before, at most ${up} during the upload, ${down} during the download`;
}

/** Returns the maximum memory of a process during `work`, in MB. */
async function maxMemory(pid: number, work: () => Promise<void>): Promise<number> {
  let most = 0;
  const look = async () => {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  };
  const looking = setInterval(() => void look(), 50);
  try {
    await look();
    await work();
  } finally {
    clearInterval(looking);
  }
  return Math.round(most);
}

async function* gigabyte() {
  const chunk = Buffer.alloc(1_000_000, "x");
  for (let sent = 0; sent < GIGABYTE; sent += chunk.length) yield chunk;
}

async function uploadGigabyte(url: string, headers: Record<string, string>): Promise<void> {
  const sending = request(url, { method: "POST", headers });
  const answered = new Promise<number>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  await pipeline(Readable.from(gigabyte()), sending);
  const status = await answered;
  if (status !== 200) throw new Error(`the upload of a gigabyte was answered with ${status}`);
}

async function downloadGigabyte(url: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { headers });
  let size = 0;
  for await (const chunk of Readable.fromWeb(answer.body as never)) size += chunk.length;
  if (size !== GIGABYTE) throw new Error(`the download had ${size} bytes of a gigabyte`);
}
