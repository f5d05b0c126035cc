// Receivers of webhooks on the loopback interface, each with its own port, in one process.
//
//   receivers.ts COUNT
//
// Prints the control port and the ports of the receivers, as JSON. The control port answers
// GET /count      the number of deliveries that healthy receivers have received
// GET /heard      all received deliveries, and clears them
// POST /behave    sets the behaviour of some receivers; all others answer 200 at once
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
