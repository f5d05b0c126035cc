import { type AddressInfo, createServer, type Server } from "node:net";
import { Refusal } from "./refusal.js";

/**
 * Makes a server listen on the loopback interface only; 0 takes any free port. Resolves to the port. Throws `Refusal`
 * if the port cannot be used. Its message is built from `use` ("for the database") and `remedy`, which says what to do.
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

/** Returns a port that was free a moment ago: `port`, or any one if it is 0. Throws `Refusal`. */
export async function freePort(port: number, use: string, remedy: string): Promise<number> {
  const server = createServer();
  const free = await listen(server, port, use, remedy);
  await new Promise((closed) => server.close(closed));
  return free;
}
