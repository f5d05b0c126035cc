import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

/** A request whose head and first bytes are sent, and the rest when it is asked for. Ends with the answer's status. */
export function holdRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  first: string | Uint8Array,
): (rest: string | Uint8Array) => Promise<number> {
  const held = request(url, { method, headers });
  const answered = once(held, "response") as Promise<[IncomingMessage]>;
  // Whoever ends it hears of it.
  answered.catch(() => {});
  held.flushHeaders();
  if (first.length > 0) held.write(first);
  return async (rest) => {
    held.end(rest);
    const [answer] = await answered;
    return answer.resume().statusCode ?? 0;
  };
}
