import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

/** Sends the head and the first bytes of a request. The result sends the rest, and resolves with the status. */
export function holdRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  first: string | Uint8Array,
): (rest: string | Uint8Array) => Promise<number> {
  const held = request(url, { method, headers });
  const answered = once(held, "response") as Promise<[IncomingMessage]>;
  // The caller of the result sees the error. A request that is never completed has no caller.
  answered.catch(() => {});
  held.flushHeaders();
  if (first.length > 0) held.write(first);
  return async (rest) => {
    held.end(rest);
    const [answer] = await answered;
    return answer.resume().statusCode ?? 0;
  };
}
