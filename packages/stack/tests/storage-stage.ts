import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import ws from "ws";
import type { Database } from "../src/db/database.js";
import { openGateway } from "../src/gateway.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Log } from "../src/log.js";
import { createStorage } from "../src/storage/index.js";
import { configOf, openDatabase } from "./auth-fixture.js";

export { servers } from "./auth-fixture.js";

type Client = ReturnType<typeof createClient>["storage"];

/** Storage behind a gateway, over a database and a folder of its own. */
export interface Stage {
  db: Database;
  keys: Keys;
  url: string;
  folder: string;
  lines: string[];
  /** storage-js with the service_role's key. */
  admin: Client;
  /** storage-js as a user with this id; as nobody with null. */
  as(user: string | null): Promise<Client>;
  token(claims: Record<string, unknown>): Promise<string>;
  /** Plain HTTP to `/storage/v1`, with the service_role's token unless another one is given. */
  http(path: string, init?: RequestInit & { token?: string | null }): Promise<Response>;
  /** The names of the files that hold bytes. */
  files(): Promise<string[]>;
  /** A new bucket's name. */
  bucket(options?: { public: boolean }): Promise<string>;
  /** Ends the service and starts another over the same database and folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function openStage(server = "pglite", toml = ""): Promise<Stage> {
  const db = await openDatabase(server);
  const keys = await createKeys();
  const config = await configOf(toml);
  const folder = await mkdtemp(join(tmpdir(), "souk-stage-"));
  const lines: string[] = [];
  const keep = (line: string, cause?: unknown) => {
    lines.push(`${line} ${cause instanceof Error ? cause.message : ""}`);
  };
  const log: Log = { info: keep, warn: keep, error: keep, of: () => log };
  const gateway = await openGateway(0, keys, log);
  const { url } = gateway;
  const start = async () => {
    const service = await createStorage({ db, config, keys, log, url, storageFolder: folder });
    gateway.serve([{ prefix: "/storage/v1", service, keyIsOptional: true, cors: true }]);
    return service;
  };
  let service = await start();
  const client = (key: string, token?: string) =>
    createClient(url, key, {
      ...(token && { accessToken: async () => token }),
      realtime: { transport: ws as never },
      auth: { persistSession: false, autoRefreshToken: false },
    }).storage;
  const token = (claims: Record<string, unknown>) =>
    keys.sign({ exp: Math.floor(Date.now() / 1000) + 3600, ...claims });
  const admin = client(keys.serviceRoleKey);

  return {
    db,
    keys,
    url,
    folder,
    lines,
    admin,
    as: async (user) =>
      client(keys.anonKey, user ? await token({ role: "authenticated", sub: user }) : undefined),
    token,
    http: (path, { token: given = keys.serviceRoleKey, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (given !== null) headers.set("authorization", `Bearer ${given}`);
      return fetch(`${url}/storage/v1${path}`, { ...init, headers });
    },
    files: async () => {
      const found = await readdir(join(folder, "objects"), { recursive: true }).catch(() => []);
      return found.filter((name) => name.length > 2);
    },
    bucket: async (options = { public: false }) => {
      const name = randomUUID();
      const { error } = await admin.createBucket(name, options);
      if (error) throw error;
      return name;
    },
    restart: async () => {
      await service.close();
      service = await start();
    },
    stop: async () => {
      await gateway.close();
      await service.close();
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
