import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, readConfig } from "../src/config.js";
import type { Database } from "../src/db/database.js";
import { findDeno } from "../src/functions/deno.js";
import { createFunctions } from "../src/functions/index.js";
import { hostedLimits, type Limits } from "../src/functions/limits.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Log } from "../src/log.js";
import type { Service } from "../src/service.js";

const nodeModules = resolve(dirname(fileURLToPath(import.meta.url)), "../../../node_modules");

export interface Project {
  root: string;
  /** The base address of its functions, as below a gateway's `/functions/v1`. */
  url: string;
  config: Config;
  lines: string[];
  functions: Service;
  keys: Keys;
  /** Whether a function has written this line `times` times, in any request. */
  heard(name: string, line: string, times?: number): boolean;
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  call(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The packages that functions of these projects may import. */
const PACKAGES = { hono: "4.13.19", zod: "4.6.7" };

/** The id of a request, which precedes the lines that its function wrote. */
const REQUEST = /(?<=\] )[\da-f]{8}-[\da-f-]{27} /;

/** A log that keeps its lines. */
export function memoryLog(lines: string[], service = "souk"): Log {
  const keep = (line: string) => void lines.push(`[${service}] ${line}`);
  return {
    info: keep,
    warn: keep,
    error: (line, cause) => keep(cause === undefined ? line : `${line}: ${cause}`),
    of: (name) => memoryLog(lines, name),
  };
}

/** A project in a temporary folder with running functions. `files`: paths below supabase/. */
export async function openProject(
  files: Record<string, string>,
  limits: Partial<Limits> = {},
  signingKeys: Parameters<typeof createKeys>[0] = [],
  functionsOnDemand = false,
): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), "souk-functions-"));
  await symlink(nodeModules, join(root, "node_modules"));
  await writeFile(join(root, "package.json"), JSON.stringify({ dependencies: PACKAGES }));
  const write = async (path: string, text: string) => {
    const full = join(root, "supabase", path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
  };
  for (const [path, text] of Object.entries({ "config.toml": "", ...files })) {
    await write(path, text);
  }
  const config = await readConfig(root);
  const lines: string[] = [];
  const keys = await createKeys(signingKeys);
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const functions = await createFunctions(
    {
      db: { url: null } as Database,
      config,
      keys,
      log: memoryLog(lines),
      url,
      functionsOnDemand,
    },
    { ...hostedLimits, ...limits },
    findDeno(undefined, process.env.SOUK_TEST_DENO),
  );
  server.on("request", (incoming, answer) => void functions.serve?.(incoming, answer));
  return {
    root,
    url,
    config,
    lines,
    functions,
    keys,
    heard: (name, line, times = 1) =>
      lines.filter((one) => one.replace(REQUEST, "") === `[functions/${name}] ${line}`).length >=
      times,
    write,
    remove: (path) => rm(join(root, "supabase", path), { recursive: true }),
    call: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${keys.anonKey}`);
      return await fetch(`${url}${path}`, { ...init, headers });
    },
    async close() {
      await functions.close();
      server.closeAllConnections();
      server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
