import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A received webhook. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  /** The URL on this machine. */
  url: string;
  /** Resolves with the next webhook. */
  next(): Promise<Received>;
  close(): void;
}

/**
 * Receives webhooks on a port of this machine (0: any free one). Rejects when the port is taken.
 */
export async function openReceiver(port: number): Promise<Receiver> {
  const arrived: Received[] = [];
  const waiting: ((received: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    const received = { headers: request.headers, body: Buffer.concat(chunks).toString() };
    const hear = waiting.shift();
    if (hear) hear(received);
    else arrived.push(received);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: () =>
      new Promise((resolve) => {
        const received = arrived.shift();
        if (received) resolve(received);
        else waiting.push(resolve);
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Verifies the sender and the content, as every receiver must do first. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const given = String(headers["x-webhook-signature"] ?? "");
  return (
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  );
}
