import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  type AddressInfo,
  createServer as createPlainServer,
  type Server,
  type Socket,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TLSSocket } from "node:tls";
import { findDeno } from "../../packages/stack/src/functions/deno.js";
import type { Certificate } from "./certificate.js";
import type { Order, Report } from "./sender.js";

/** A Deno process that makes attempts at deliveries. */
export interface Sender {
  /** Makes an attempt with the given options and defaults. */
  attempt(outgoing: Partial<Order["outgoing"]>, how?: Partial<Order>): Promise<Report>;
  stop(): Promise<void>;
}

export const SECRET = "a secret of more than 16 characters";

export async function startSender(trusted: Certificate[]): Promise<Sender> {
  const folder = await mkdtemp(join(tmpdir(), "souk-sender-"));
  const authorities = join(folder, "authorities.pem");
  await writeFile(authorities, trusted.map(({ cert }) => cert).join(""));
  const flags = [
    "--quiet",
    "--no-prompt",
    "--no-lock",
    "--cached-only",
    "--node-modules-dir=manual",
  ];
  const config = ["--config", "supabase/functions/deno.json"];
  const rights = ["--allow-net", "--allow-env", "--allow-read"];
  const deno = spawn(
    findDeno(),
    ["run", ...flags, ...config, ...rights, "tests/webhooks/sender.ts"],
    {
      env: { ...process.env, DENO_CERT: authorities, DENO_NO_UPDATE_CHECK: "1" },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const gone = once(deno, "exit");
  const waiting = new Map<number, (report: Report) => void>();
  createInterface({ input: deno.stdout }).on("line", (line) => {
    const report: Report = JSON.parse(line);
    waiting.get(report.number)?.(report);
    waiting.delete(report.number);
  });
  let number = 0;
  return {
    attempt(outgoing, how) {
      const order: Order = {
        number: ++number,
        outgoing: {
          id: crypto.randomUUID(),
          url: "http://127.0.0.1/",
          event: "order.created",
          body: '{"event":"order.created"}',
          secrets: [SECRET],
          headers: null,
          ...outgoing,
        },
        names: {},
        timeoutMs: 10_000,
        mayReachLoopback: true,
        ...how,
      };
      deno.stdin.write(`${JSON.stringify(order)}\n`);
      return Promise.race([
        new Promise<Report>((report) => waiting.set(order.number, report)),
        gone.then(() => {
          throw new Error("the sender ended");
        }),
      ]);
    },
    async stop() {
      deno.stdin.end();
      await gone;
      await rm(folder, { recursive: true });
    },
  };
}

/** A received request. */
export interface Arrival {
  request: IncomingMessage;
  body: string;
  /** The name in the TLS handshake (SNI). */
  servername: string | false | null;
  /** The local address of the connection. */
  address: string | undefined;
}

type Reply = (response: ServerResponse, arrival: Arrival) => void;

export interface Listening {
  port: number;
  /** All connections so far. */
  connections: Socket[];
  close(): Promise<void>;
}

/**
 * A web server that records requests. With a certificate it uses TLS. By default it listens on every loopback address.
 */
export async function openShop(
  reply: Reply = (response) => response.end(),
  certificate?: Certificate,
  address = "0.0.0.0",
) {
  const arrivals: Arrival[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const { localAddress: address } = socket;
    const servername = socket instanceof TLSSocket ? (socket.servername ?? null) : null;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const arrival = { request, body: Buffer.concat(chunks).toString(), servername, address };
    arrivals.push(arrival);
    reply(response, arrival);
  };
  const server = certificate ? createSecureServer(certificate, take) : createServer(take);
  return { server, arrivals, ...(await listen(server, address)) };
}

/** A server that answers each connection's first data with these bytes, or runs a function. */
export async function openRaw(answer: string | ((socket: Socket) => void)): Promise<Listening> {
  return await listen(
    createPlainServer((socket) => {
      socket.resume();
      if (typeof answer === "function") return answer(socket);
      socket.once("data", () => socket.end(answer, "latin1"));
    }),
    "127.0.0.1",
  );
}

async function listen(server: Server, address: string): Promise<Listening> {
  const connections: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    connections.push(socket);
    // Connections are broken off here on purpose.
    socket.on("error", () => {});
  });
  server.listen(0, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}
