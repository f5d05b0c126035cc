import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import ws from "ws";
import { type ClientOptions, createClient } from "../src/index.js";

// A server that answers as a test says, and records its requests.

export interface Asked {
  method: string;
  /** The path with the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
}

/**
 * Opens the server for one test. `answer` is called for each request; `never` leaves one
 * unanswered.
 */
export async function openServer(answer: (asked: Asked, count: number) => Answer | "never") {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The caller has disconnected, which its test detects.
    }
    const one = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    asked.push(one);
    const result = answer(one, asked.length);
    if (result === "never") return;
    const { status = 200, headers = {}, body } = result;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

/** The options of every client in these tests: no stored session, no timers, quick retries. */
export const QUIET: ClientOptions = {
  auth: { persistSession: false, autoRefreshToken: false },
  realtime: { transport: ws as never },
  retry: { firstWaitMs: 5 },
};

/** A client of such a server with a fixed token, unless `options` say otherwise. */
export function clientOf(server: { url: string }, options: ClientOptions = {}) {
  return createClient(server.url, "anon-key", {
    ...QUIET,
    accessToken: async () => "a-token",
    ...options,
  });
}
