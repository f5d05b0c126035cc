import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import type { Config } from "../src/config.js";
import type { Database } from "../src/db/database.js";
import { openPglite } from "../src/db/pglite.js";
import { preparePlatform } from "../src/db/platform.js";
import { openPostgres } from "../src/db/postgres.js";

const given = process.env.DATABASE_URL;

/**
 * An empty database with the platform in it: PGlite, or a new one on the server of `DATABASE_URL`.
 */
export async function openScratch(
  server: string,
): Promise<{ db: Database; close: () => Promise<void> }> {
  const config = { db: { vault: {} } } as Config;
  if (server === "pglite" || !given) {
    const db = await openPglite(null);
    await preparePlatform(db, config);
    return { db, close: () => db.close() };
  }
  const name = `jobs_scratch_${process.pid}`;
  const admin = new pg.Client({ connectionString: given });
  await admin.connect();
  await admin.query(`drop database if exists ${name}`);
  await admin.query(`create database ${name}`);
  const url = new URL(given);
  url.pathname = `/${name}`;
  const db = await openPostgres(url.href);
  await preparePlatform(db, config);
  return {
    db,
    async close() {
      await db.close();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

export interface Receiver {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[];
  close(): Promise<void>;
}

/** A real HTTP server that records its requests. `answer` gets the request and its body. */
export async function openReceiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Receiver> {
  const requests: Receiver["requests"] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    requests.push({ method, path: url, headers, body });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
