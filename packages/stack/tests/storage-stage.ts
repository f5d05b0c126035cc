import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import ws from "ws";
import { readConfig } from "../src/config.js";
import type { Database } from "../src/db/database.js";
import { openGateway } from "../src/gateway.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Log } from "../src/log.js";
import { createStorage } from "../src/storage/index.js";
import { openDatabase } from "./auth-fixture.js";
import { makeProject, removeProject } from "./project.js";
import { oneServer } from "./servers.js";

/**
 * Postgres if available: its transactions are concurrent, and it creates a database faster than
 * PGlite.
 */
const DEFAULT_SERVER = oneServer[0] as string;

type Client = ReturnType<typeof createClient>["storage"];

/** Storage behind a gateway, with a separate database and folder. */
export interface Stage {
  db: Database;
  keys: Keys;
  url: string;
  /** The folder of the project. */
  root: string;
  /** The folder of the bytes. */
  folder: string;
  lines: string[];
  /** storage-js with the key of `service_role`. */
  admin: Client;
  /** storage-js as the user with this id; as `anon` for null. */
  as(user: string | null): Promise<Client>;
  /** storage-js with a token of these claims. */
  with(claims: Record<string, unknown>): Promise<Client>;
  token(claims: Record<string, unknown>): Promise<string>;
  /** Plain HTTP to `/storage/v1`, with the token of `service_role` unless another one or null is given. */
  http(path: string, init?: RequestInit & { token?: string | null }): Promise<Response>;
  /** The names of the files that contain the bytes of objects. */
  files(): Promise<string[]>;
  /** Creates a bucket and resolves with its name. */
  bucket(options?: { public: boolean }): Promise<string>;
  /** Ends the service and starts another one with the same database and folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** `config`: the text of `config.toml`. `files`: the other files of the project. */
export async function openStage(
  config = "",
  server = DEFAULT_SERVER,
  files: Record<string, string> = {},
): Promise<Stage> {
  const db = await openDatabase(server);
  const keys = await createKeys();
  const root = await makeProject({ "supabase/config.toml": config, ...files });
  const folder = join(root, ".souk", "storage");
  const lines: string[] = [];
  const keep = (line: string, cause?: unknown) => {
    lines.push(`${line} ${cause instanceof Error ? cause.message : ""}`);
  };
  const log: Log = { info: keep, warn: keep, error: keep, of: () => log };
  const gateway = await openGateway(0, keys, log);
  const { url } = gateway;
  const start = async () => {
    const config = await readConfig(root);
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
    root,
    folder,
    lines,
    admin,
    as: async (user) =>
      client(keys.anonKey, user ? await token({ role: "authenticated", sub: user }) : undefined),
    with: async (claims) => client(keys.anonKey, await token(claims)),
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
      await removeProject(root);
    },
  };
}
