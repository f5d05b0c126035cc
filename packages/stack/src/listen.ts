import type { AddressInfo, Server } from "node:net";
import { Refusal } from "./refusal.js";

/**
 * Makes a server listen on the loopback interface only; 0 takes any free port. Resolves to the
 * port.
 * Throws `Refusal` if the port cannot be used. Its message is built from `use` ("for the database")
 * and `remedy`, which says what to do.
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
