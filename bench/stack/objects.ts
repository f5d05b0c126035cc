// How much of a bare server's rate Storage keeps, and how much memory a gigabyte takes on its way:
// `npm run bench:objects [-- --database-url URL]`. Both write a file, sync it and give it its name; the bare
// server knows no policies, rows, types or sums.
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { load, type Measured, type Wanted } from "../load.js";
import { median, progress, start, stop } from "../servers.js";
import { makeProject } from "./notes.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "8" },
  },
});
const databaseUrl = values["database-url"];
const [seconds, rounds, connections] = [values.seconds, values.rounds, values.connections].map(
  Number,
) as [number, number, number];

const BUCKETS = `
[storage]
file_size_limit = "2GiB"
[storage.buckets.open]
public = true
[storage.buckets.closed]
`;
const POLICY = `
create policy "Users read" on storage.objects for select to authenticated
  using (bucket_id = 'closed' and owner_id = (select auth.uid())::text);
create policy "Users add" on storage.objects for insert to authenticated
  with check (bucket_id = 'closed' and owner_id = (select auth.uid())::text);
`;

const SIZES = { "10 kB": 10_000, "5 MB": 5_000_000 };
const GIGABYTE = 1_000_000_000;
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

interface Case {
  name: string;
  wanted(server: string, count: number): Omit<Wanted<Buffer>, "headers">;
}

/** Names that no measurement has used before. */
let names = 0;

const cases: readonly Case[] = Object.entries(SIZES).flatMap(([size, bytes]) => {
  const body = Buffer.alloc(bytes, "x");
  const down = (bucket: string) => (server: string) => ({
    method: "GET" as const,
    path: server === "bare" ? `/${bytes}` : `/storage/v1/object/${bucket}/${bytes}`,
  });
  return [
    {
      name: `${size} up`,
      wanted: (server: string) => ({
        method: "POST" as const,
        path: server === "bare" ? `/n${names++}` : `/storage/v1/object/closed/n${names++}`,
        body,
      }),
    },
    { name: `${size} down, public`, wanted: down("public/open") },
    { name: `${size} down, private`, wanted: down("authenticated/closed") },
  ];
});

async function measure(servers: Record<string, string>, headers: Record<string, string>) {
  const measured = new Map<Case, Record<string, Measured[]>>(cases.map((one) => [one, {}]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [one, made] of measured) {
      for (const [server, origin] of Object.entries(servers)) {
        progress(`round ${round} of ${rounds}: ${one.name}, ${server}`);
        progress(`round ${round} of ${rounds}: ${one.name}, ${server}`);
        const wanted = (count: number) => ({ ...one.wanted(server, count), headers });
        const length = { connections, seconds: round === 0 ? 1 : seconds, status: 200 };
        const told = await load(origin, wanted, length);
        if (round > 0) made[server] = [...(made[server] ?? []), told];
      }
    }
  }
  progress("");
  return measured;
}

function row({ stack = [], bare = [] }: Record<string, Measured[]>) {
  const rate = (made: Measured[]) => Math.round(median(made.map((one) => one.rate)));
  const share = median(stack.map((one, i) => one.rate / (bare[i] as Measured).rate));
  return {
    "stack /s": rate(stack),
    "bare /s": rate(bare),
    "of bare": `${Math.round(100 * share)} %`,
    "p50 ms": Number(median(stack.map(({ p50 }) => p50)).toFixed(1)),
    "p99 ms": Number(median(stack.map(({ p99 }) => p99)).toFixed(1)),
  };
}

/** The most memory that a process has while `work` is done, in MB. Linux alone tells it. */
async function mostMemory(pid: number, work: () => Promise<void>): Promise<number> {
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

async function sendGigabyte(url: string, headers: Record<string, string>): Promise<void> {
  const sending = request(url, { method: "POST", headers });
  const answered = new Promise<number>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  await pipeline(Readable.from(gigabyte()), sending);
  if ((await answered) !== 200) throw new Error(`a gigabyte was answered with ${await answered}`);
}

async function readGigabyte(url: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { headers });
  let size = 0;
  for await (const chunk of Readable.fromWeb(answer.body as never)) size += chunk.length;
  if (size !== GIGABYTE) throw new Error(`${size} bytes came of a gigabyte`);
}

const project = await makeProject({ config: BUCKETS, migration: POLICY });
const children: ChildProcess[] = [];
try {
  const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
  const cli = at("../../packages/stack/src/cli.ts");
  const [stack, ready] = await start(project.root, cli, [
    "start",
    "--port",
    "0",
    "--json",
    ...place,
  ]);
  children.push(stack);
  const { url, service_role_key, token } = await signUp(JSON.parse(ready));
  const [bare, address] = await start(project.root, at("bare-files.ts"), []);
  children.push(bare);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-thing" };
  const admin = { ...headers, authorization: `Bearer ${service_role_key}` };
  for (const bytes of Object.values(SIZES)) {
    const body = Buffer.alloc(bytes, "x");
    await put(`${url}/storage/v1/object/closed/${bytes}`, headers, body);
    await put(`${url}/storage/v1/object/open/${bytes}`, admin, body);
    await put(`${address}/${bytes}`, headers, body);
  }
  const pid = stack.pid as number;
  const object = `${url}/storage/v1/object/closed/gigabyte`;
  const before = await mostMemory(pid, async () => {});
  const up = await mostMemory(pid, () => sendGigabyte(object, headers));
  const down = await mostMemory(pid, () => readGigabyte(object, headers));
  console.log(`a gigabyte: ${before} MB before, at most ${up} on its way up, ${down} down`);
  const measured = await measure({ stack: url, bare: address }, headers);
  const server = databaseUrl ? "Postgres" : "PGlite";
  console.log(`${server}, ${connections} connections, ${rounds} × ${seconds} s, medians`);
  console.table(Object.fromEntries([...measured].map(([one, made]) => [one.name, row(made)])));
} finally {
  await Promise.all(children.map(stop));
  await project.remove();
}

async function put(url: string, headers: Record<string, string>, body: Buffer): Promise<void> {
  const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}

/** A user of the stack, with a token of theirs. */
async function signUp(addresses: { url: string; anon_key: string; service_role_key: string }) {
  const answer = await fetch(`${addresses.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: addresses.anon_key, "content-type": "application/json" },
    body: JSON.stringify({ email: `${Date.now()}@example.com`, password: "bench-password" }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { ...addresses, token };
}
