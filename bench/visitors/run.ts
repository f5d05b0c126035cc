// Measures reads of visitors beside the same reads of a customer, in turn: `npm run bench -- visitors [--database-url URL]`.
// Fails if a visitor's rate is below 1.5 times the customer's. With `--nginx PROGRAM` also behind nginx, which keeps the
// responses as a CDN does: at least 20 times the customer's rate.
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { load, type Measured, type Wanted } from "../load.js";
import { median, progress, start, stop } from "../servers.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    nginx: { type: "string" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "8" },
  },
});
const SHOP = "oasis.demo.souk.test";
const LEAST = { visitor: 1.5, "behind nginx": 20 };
const reads = {
  list: "/functions/v1/api/products?limit=20",
  product: "/functions/v1/api/products/d0000000-0000-4000-8000-000000000011",
};

const cli = fileURLToPath(new URL("../../packages/stack/src/cli.ts", import.meta.url));
const place = values["database-url"]
  ? ["--database-url", values["database-url"]]
  : ["--data", "memory"];
const children: ChildProcess[] = [];
let failed = false;
try {
  progress("starting the stack");
  const [stack, ready] = await start(process.cwd(), cli, [
    "start",
    "--port",
    "0",
    "--json",
    ...place,
  ]);
  children.push(stack);
  const { url, publishable_key, service_role_key } = JSON.parse(ready);
  for (const kind of ["customer", "visitor"]) await liftLimit(url, service_role_key, kind);
  const token = await logIn(url);

  const visits = { apikey: publishable_key, "x-souk-marketplace": SHOP };
  const callers: Record<string, { origin: string; headers: Record<string, string>; path: string }> =
    {
      customer: {
        origin: url,
        headers: { apikey: publishable_key, authorization: `Bearer ${token}` },
        path: "",
      },
      visitor: { origin: url, headers: visits, path: "" },
    };
  if (values.nginx) {
    // The key of a cache is the address.
    const path = `apikey=${publishable_key}&marketplace=${SHOP}`;
    callers["behind nginx"] = { origin: await startNginx(values.nginx, url), headers: {}, path };
  }
  for (const [name, path] of Object.entries(reads))
    failed = !(await compare(name, path, callers)) || failed;
} finally {
  progress("");
  await Promise.all(children.map(stop));
}
if (failed) {
  console.error("A rate is too low.");
  process.exitCode = 1;
}

async function compare(
  name: string,
  path: string,
  callers: Record<string, { origin: string; headers: Record<string, string>; path: string }>,
) {
  const measured: Record<string, Measured[]> = {};
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const [caller, { origin, headers, path: more }] of Object.entries(callers)) {
      progress(`${name}: ${caller}, round ${round}`);
      const address = more ? `${path}${path.includes("?") ? "&" : "?"}${more}` : path;
      const wanted = (): Wanted => ({ method: "GET", path: address, headers });
      const effort = {
        connections: Number(values.connections),
        seconds: Number(values.seconds),
        status: 200,
      };
      const one = await load(origin, wanted, effort);
      // The first round warms up.
      if (round > 0) measured[caller] = [...(measured[caller] ?? []), one];
    }
  }
  const rateOf = (caller: string) => median((measured[caller] ?? []).map(({ rate }) => rate));
  const customer = rateOf("customer");
  progress("");
  const rows = Object.keys(callers).map((caller) => {
    const [rate, p50] = [rateOf(caller), median((measured[caller] ?? []).map(({ p50 }) => p50))];
    return [
      caller,
      { "per s": Math.round(rate), "p50 ms": p50.toFixed(1), ratio: (rate / customer).toFixed(2) },
    ];
  });
  console.log(
    `${name}, ${values.connections} connections, ${values.rounds} × ${values.seconds} s, medians`,
  );
  console.table(Object.fromEntries(rows));
  return Object.entries(LEAST).every(
    ([caller, least]) => !callers[caller] || rateOf(caller) >= least * customer,
  );
}

/** Without it the bench would measure refusals. */
async function liftLimit(url: string, key: string, kind: string) {
  const answer = await fetch(`${url}/rest/v1/rpc/set_rate_limit`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind, requests_per_minute: 100_000_000 }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

async function logIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/functions/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "customer@demo.souk.test", password: "demo-password" }),
  });
  const { access_token } = (await answer.json()) as { access_token?: string };
  if (!access_token)
    throw new Error("the demo's customer cannot log in: the bench needs supabase/seed.sql");
  return access_token;
}

/** nginx in front of the stack, with a cache in a temporary folder. Returns its address. */
async function startNginx(program: string, url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "souk-nginx-"));
  await chmod(folder, 0o777);
  const port = await freePort();
  const conf = `
    daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 256; }
    http {
      access_log off;
      proxy_cache_path ${folder}/cache keys_zone=shop:10m;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server {
        listen 127.0.0.1:${port};
        keepalive_requests 1000000;
        location / {
          proxy_pass ${url};
          proxy_http_version 1.1;
          proxy_cache shop;
          proxy_cache_key $request_uri;
          proxy_cache_lock on;
          proxy_cache_use_stale updating;
          proxy_cache_background_update on;
        }
      }
    }`;
  await writeFile(join(folder, "nginx.conf"), conf);
  const nginx = spawn(
    program,
    ["-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")],
    {
      stdio: "inherit",
    },
  );
  children.push(nginx);
  nginx.once("exit", () => rm(folder, { recursive: true, force: true }));
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const reached = await fetch(origin).then(
      () => true,
      () => false,
    );
    if (reached) return origin;
    if (tries === 50) throw new Error(`nginx does not answer at ${origin}`);
    await new Promise((later) => setTimeout(later, 100));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
