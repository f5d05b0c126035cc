// Receivers of webhooks on loopback, each with a port of its own, in one process.
//
//   receivers.ts COUNT
//
// Prints the port of its control and those of the receivers, as JSON. The control answers
// GET /count      how many deliveries have come in to those that are well
// GET /heard      all that have come in, and forgets them
// POST /behave    sets how some receivers take what they are sent; all others answer 200 at once
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Behaviour, type Heard, now, SLOW_MS } from "./receiving.js";

const behaviours = new Map<number, Behaviour>();
let heard: Heard[] = [];
let count = 0;
const waiting = new Set<ServerResponse>();

function receive(receiver: number): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const [, sequence] = /"sequence": ?(\d+)/.exec(Buffer.concat(chunks).toString()) ?? [];
      heard.push([receiver, Number(sequence), now()]);
      const behaviour = behaviours.get(receiver);
      if (behaviour === undefined) {
        count += 1;
        return void response.end();
      }
      waiting.add(response);
      response.once("close", () => waiting.delete(response));
      if (behaviour === "slow") setTimeout(() => response.end(), SLOW_MS).unref();
    });
  });
}

const servers = Array.from({ length: Number(process.argv[2]) }, (_, receiver) => receive(receiver));
const ports: number[] = [];
for (const server of servers) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ports.push((server.address() as AddressInfo).port);
}

async function behave(wanted: Record<Behaviour, number[]>): Promise<void> {
  behaviours.clear();
  for (const response of waiting) response.destroy();
  for (const [behaviour, receivers] of Object.entries(wanted)) {
    for (const receiver of receivers) behaviours.set(receiver, behaviour as Behaviour);
  }
  for (const [receiver, server] of servers.entries()) {
    const refuses = behaviours.get(receiver) === "refusing";
    if (refuses === !server.listening) continue;
    if (refuses) {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    } else {
      server.listen(ports[receiver], "127.0.0.1");
      await once(server, "listening");
    }
  }
}

const control = createServer(async (request, response) => {
  if (request.url === "/behave") await behave(JSON.parse(await text(request)));
  if (request.url !== "/heard") return void response.end(String(count));
  response.end(JSON.stringify(heard));
  heard = [];
  count = 0;
});
control.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ control: (control.address() as AddressInfo).port, ports }));
});
process.once("SIGTERM", () => process.exit());
