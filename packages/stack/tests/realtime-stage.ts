import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type RealtimeChannel, type SupabaseClient } from "@supabase/supabase-js";
import pg from "pg";
import WebSocket from "ws";
import { until } from "../../../tests/eventually.js";
import { readConfig } from "../src/config.js";
import type { Database } from "../src/db/database.js";
import { openPglite } from "../src/db/pglite.js";
import { preparePlatform } from "../src/db/platform.js";
import { openPostgres } from "../src/db/postgres.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Log } from "../src/log.js";
import { createRealtime } from "../src/realtime/index.js";
import type { Service } from "../src/service.js";

/** A database with the platform and the schema of a test, and Realtime on a free port. */
export interface Stage {
  db: Database;
  keys: Keys;
  url: string;
  warnings: string[];
  /** A supabase-js client with these claims; anon without. */
  client(claims?: Record<string, unknown>): Promise<SupabaseClient>;
  token(claims: Record<string, unknown>): Promise<string>;
  /** A raw, open websocket. */
  raw(vsn?: string): Promise<RawClient>;
  /** Ends Realtime as a crash of its process would, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Ends the channels of every client, so that the next test is alone on the server. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

export interface RawClient {
  socket: WebSocket;
  send(frame: unknown): void;
  /**
   * The first frame that `matches`, of those received and those to come. Frames are parsed; binary
   * ones are Buffers.
   */
  // biome-ignore lint/suspicious/noExplicitAny: any frame.
  frame(matches: (frame: any) => boolean): Promise<any>;
}

async function openDatabase(): Promise<{ db: Database; drop(): Promise<void> }> {
  const server = process.env.DATABASE_URL;
  if (!server) return { db: await openPglite(null), drop: async () => {} };
  const name = `realtime_scratch_${Math.random().toString(36).slice(2)}`;
  const url = new URL(server);
  const administer = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await administer(`create database ${name}`);
  url.pathname = `/${name}`;
  return {
    db: await openPostgres(url.href),
    drop: () => administer(`drop database ${name} with (force)`),
  };
}

export async function openStage(schema: string, keys?: Keys): Promise<Stage> {
  const { db, drop } = await openDatabase();
  const root = await mkdtemp(join(tmpdir(), "realtime-"));
  await mkdir(join(root, "supabase"));
  await writeFile(join(root, "supabase", "config.toml"), "");
  const config = await readConfig(root);
  await preparePlatform(db, config);
  await db.execute(schema);
  keys ??= await createKeys();
  const warnings: string[] = [];
  const log: Log = {
    info: () => {},
    warn: (line) => warnings.push(line),
    error: (line, cause) => warnings.push(`${line}: ${cause}`),
    of: () => log,
  };

  let service: Service | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const path = (request.url ?? "").replace(/^\/realtime\/v1/, "");
      const answer = await service?.fetch?.(
        new Request(`http://stack${path}`, {
          method: request.method ?? "GET",
          headers: request.headers as Record<string, string>,
          ...(request.method === "POST" ? { body: Buffer.concat(chunks) } : {}),
        }),
      );
      response.writeHead(answer?.status ?? 500, Object.fromEntries(answer?.headers ?? []));
      response.end(answer ? Buffer.from(await answer.arrayBuffer()) : undefined);
    });
  });
  server.on("upgrade", (request, socket, head) => service?.upgrade?.(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    service = await createRealtime({ db, config, keys, log, url });
  };
  await start();

  const clients: SupabaseClient[] = [];
  const sockets: WebSocket[] = [];
  const token = (claims: Record<string, unknown>) =>
    keys.sign({
      role: "authenticated",
      aud: "authenticated",
      exp: Math.floor(Date.now() / 1000) + 3600,
      ...claims,
    });

  return {
    db,
    keys,
    url,
    warnings,
    token,
    async client(claims) {
      const client = createClient(url, keys.anonKey, {
        auth: { persistSession: false, autoRefreshToken: false },
        realtime: { transport: WebSocket as never, reconnectAfterMs: () => 50 },
      });
      if (claims) await client.realtime.setAuth(await token(claims));
      clients.push(client);
      return client;
    },
    async raw(vsn = "2.0.0") {
      const socket = new WebSocket(
        `${url.replace("http", "ws")}/realtime/v1/websocket?apikey=${keys.anonKey}&vsn=${vsn}`,
      );
      sockets.push(socket);
      const frames: unknown[] = [];
      socket.on("message", (raw, binary) => {
        frames.push(binary ? raw : JSON.parse(String(raw)));
      });
      await new Promise((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", reject);
      });
      return {
        socket,
        send: (frame) => socket.send(Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
        frame: (matches) => until(() => frames.find(matches)),
      };
    },
    async restart() {
      await service?.close();
      await start();
    },
    async quiet() {
      await Promise.all(clients.splice(0).map((client) => client.removeAllChannels()));
    },
    async close() {
      for (const client of clients) await client.removeAllChannels();
      for (const socket of sockets) socket.terminate();
      await service?.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await db.close();
      await drop();
      await rm(root, { recursive: true });
    },
  };
}

export interface Heard {
  channel: RealtimeChannel;
  // biome-ignore lint/suspicious/noExplicitAny: any frame.
  events: any[];
  system: { status: string; message: string; extension: string }[];
  statuses: string[];
}

/**
 * Subscribes to changes. Resolves when the server reports that they are captured, or that they are
 * not.
 */
export async function hearChanges(
  client: SupabaseClient,
  topic: string,
  ...bindings: { event: string; schema?: string; table?: string; filter?: string }[]
): Promise<Heard> {
  const heard: Heard = { channel: client.channel(topic), events: [], system: [], statuses: [] };
  heard.channel.on("system", {}, (message) => heard.system.push(message));
  for (const binding of bindings) {
    heard.channel.on("postgres_changes" as never, binding as never, (change: unknown) => {
      heard.events.push(change);
    });
  }
  heard.channel.subscribe((status) => heard.statuses.push(status));
  await until(() => heard.system.length > 0, "the system message");
  return heard;
}
