import { type AddressInfo, createServer, type Server } from "node:net";
import type { Log } from "./log.js";
import { Refusal } from "./refusal.js";

/**
 * Has a server listen on the loopback alone; 0 takes any free port. Resolves to the port. Throws
 * `Refusal` when that cannot be had: `use` follows the number in its sentence ("for the database"),
 * `remedy` says what to do.
 */
export async function listen(
  server: Server,
  port: number,
  use: string,
  remedy: string,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      const why = code === "EADDRINUSE" ? "is taken" : `cannot be used (${code})`;
      reject(new Refusal(`port ${port} ${use} ${why}: ${remedy}`));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** `port` when nobody listens there, else 0, any free one. Says so when it is another. */
export async function freeOrAny(port: number, use: string, log: Log): Promise<number> {
  const server = createServer();
  try {
    await listen(server, port, use, "");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log.warn(`port ${port} ${use} is taken: another one is used`);
    return 0;
  }
  await new Promise((closed) => server.close(closed));
  return port;
}
