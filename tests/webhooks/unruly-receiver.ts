import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook as StandardWebhook } from "standardwebhooks";

/**
 * The behaviour of a receiver: `well` answers 200, `failing` 500, `hanging` never, `forgetful` closes the connection
 * after reading the request, and `gone` refuses connections.
 */
export const moods = ["well", "failing", "hanging", "forgetful", "gone"] as const;
export type Mood = (typeof moods)[number];

/** A received delivery. */
export interface Heard {
  id: string;
  body: string;
  /** Whether it was answered with 200. */
  taken: boolean;
  /** The errors of its signatures. */
  flaws: string[];
}

export interface UnrulyReceiver {
  url: string;
  /** The secrets that may sign its deliveries, the registered one first. */
  secrets: string[];
  heard: Heard[];
  /** Called once, by the next delivery, after it was read and before it is answered. */
  struck: (() => void) | undefined;
  be(mood: Mood): Promise<void>;
}

/**
 * Ports below those that the system assigns, so that a port is still free when the receiver comes back, and below those
 * of databases, which webhooks must not use.
 */
const PORTS = { first: 20_000, count: 7_000 };

/** A receiver on loopback that keeps its address in all moods. */
export async function openUnrulyReceiver(secret: string): Promise<UnrulyReceiver> {
  let mood: Mood = "well";
  const hanging = new Set<ServerResponse>();
  const receiver: UnrulyReceiver = {
    url: "",
    secrets: [secret],
    heard: [],
    struck: undefined,
    async be(next) {
      if (next === mood) return;
      if (mood === "gone") await listen(port);
      mood = next;
      for (const response of hanging) response.destroy();
      hanging.clear();
      if (mood !== "gone") return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };

  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    // A sender that was killed during its request has sent nothing.
    if (body === null) return;
    const id = String(request.headers["x-webhook-id"]);
    const flaws = flawsOf(request.headers, body, receiver.secrets);
    const heard: Heard = { id, body, taken: false, flaws };
    receiver.heard.push(heard);
    receiver.struck?.();
    receiver.struck = undefined;
    if (mood === "hanging") return void hanging.add(response);
    if (mood === "forgetful" || mood === "gone") return void response.destroy();
    heard.taken = mood === "well";
    response.writeHead(heard.taken ? 200 : 500).end();
  });
  const listen = (at: number) =>
    new Promise<void>((listening, refused) => {
      server.once("error", refused);
      server.listen(at, "127.0.0.1", () => {
        server.off("error", refused);
        listening();
      });
    });

  let port = 0;
  while (receiver.url === "") {
    port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    try {
      await listen(port);
      receiver.url = `http://127.0.0.1:${port}/hook`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  return receiver;
}

/**
 * Verifies a delivery as receivers do. While a secret is being rotated, the first one must still verify it, and the
 * plain signature must match one of them.
 */
function flawsOf(headers: IncomingHttpHeaders, body: string, secrets: string[]): string[] {
  const flaws: string[] = [];
  const hex = secrets.map(
    (secret) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  );
  if (!hex.includes(String(headers["x-webhook-signature"]))) flaws.push("X-Webhook-Signature");
  try {
    new StandardWebhook(secrets[0] as string).verify(body, headers as Record<string, string>);
  } catch (error) {
    flaws.push(String(error));
  }
  if (headers["webhook-id"] !== headers["x-webhook-id"]) flaws.push("two ids");
  return flaws;
}
