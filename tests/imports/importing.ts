import { expect } from "vitest";
import { type Person, stackInUse } from "../souk.js";

// Imports of many records, for several test files.

export const CSV = "text/csv";
export const NDJSON = "application/x-ndjson";

export function ndjson(lines: unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

export const counts = (imported = 0, updated = 0, unchanged = 0, failed = 0) => ({
  imported,
  updated,
  unchanged,
  failed,
});

export function importsAt(path: string) {
  /** Sends a body to an import: a string, or a stream. */
  function send(
    as: Person | undefined,
    body: string | ReadableStream<Uint8Array>,
    type = CSV,
    query = "",
    headers: Record<string, string> = {},
  ) {
    return fetch(`${stackInUse().functions_url}${path}?${query}`, {
      method: "POST",
      headers: {
        "content-type": type,
        ...(as ? { authorization: `Bearer ${as.token}` } : {}),
        ...headers,
      },
      body,
      ...(typeof body === "string" ? {} : { duplex: "half" }),
    } as RequestInit);
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer as the API gives it.
  async function imported(...send_: Parameters<typeof send>): Promise<any> {
    const response = await send(...send_);
    const body = await response.json();
    expect(response.status, JSON.stringify(body)).toBe(200);
    return body;
  }

  return { send, imported };
}
