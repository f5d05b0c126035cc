import type { OpenAPI3 } from "openapi-typescript";
import { type Contract, createContract } from "./contract.js";

// Compares all requests and answers of the tests with the OpenAPI document, as a client made from it would. Programs that
// tests start, and pages in a browser, send their own requests, which are not compared.

type Fetch = typeof fetch;

export interface Watch {
  /** Compares from now on what the functions at this address answer. */
  watchAnswers(stack: { functions_url: string }): void;
  /** Resolves when all answers are compared. Rejects if some did not match since the last call. */
  checkAnswers(): Promise<void>;
  /** `fetch`, which compares the answers of watched functions. */
  fetch: Fetch;
}

/** Creates a watch over the requests of `send`. It reads the document once, from the first functions that answer. */
export function createWatch(send: Fetch): Watch {
  const watched = new Set<string>();
  const pending = new Set<Promise<void>>();
  const faults = new Set<string>();
  let contract: Promise<Contract> | undefined;

  async function readContract(base: string): Promise<Contract> {
    const answer = await send(`${base}/api/openapi.json`);
    if (!answer.ok) throw new Error(`/api/openapi.json answered ${answer.status}`);
    return createContract((await answer.json()) as OpenAPI3);
  }

  async function compare(base: string, path: string, request: Sent, answer: Response) {
    const { method } = request;
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    const hasJson = type === "application/json" && method !== "HEAD";
    // Cloned at once, before the test reads it. Answers of other types may be streams, which are left alone.
    const copy = hasJson ? answer.clone() : undefined;
    // Only the app of a function sets it. Other answers are those of the platform.
    if (!answer.headers.has("x-request-id")) return;
    contract ??= readContract(base);
    const known = await contract.catch(() => undefined);
    // A stack that is stopped meanwhile cannot give its document; the next answer asks again.
    if (!known) {
      contract = undefined;
      return;
    }
    // An answer that the test or a broken connection has interrupted is not compared.
    const text = await copy?.text().catch(() => undefined);
    const found = known.faultsIn({
      method,
      path,
      sent: await request.json,
      status: answer.status,
      type: method === "HEAD" ? "" : type,
      answered: text === undefined ? undefined : JSON.parse(text),
    });
    for (const fault of found) faults.add(fault);
  }

  return {
    watchAnswers: ({ functions_url }) => void watched.add(functions_url),
    async checkAnswers() {
      while (pending.size > 0) await Promise.all(pending);
      const found = [...faults];
      faults.clear();
      if (found.length > 0) {
        throw new Error(`the OpenAPI document does not allow:\n${found.join("\n")}`);
      }
    },
    async fetch(input, init) {
      const url = typeof input === "object" && "url" in input ? input.url : String(input);
      const base = [...watched].find((address) => url.startsWith(`${address}/`));
      if (base === undefined) return send(input, init);
      const request = sentIn(input, init);
      const answer = await send(input, init);
      const comparison = compare(base, url.slice(base.length), request, answer);
      const ended = comparison
        .catch((error) => void faults.add(String(error)))
        .finally(() => pending.delete(ended));
      pending.add(ended);
      return answer;
    },
  };
}

interface Sent {
  method: string;
  /** Resolves with the JSON body, or with undefined. */
  json: Promise<unknown>;
}

function sentIn(...[input, init]: Parameters<Fetch>): Sent {
  const request = typeof input === "object" && "headers" in input ? input : undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  const isJson = headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? (init?.body ?? request?.clone().text()) : undefined;
  return {
    method: (init?.method ?? request?.method ?? "GET").toUpperCase(),
    json: Promise.resolve(body).then((text) =>
      typeof text === "string" ? parsed(text) : undefined,
    ),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The watch over all requests of this process. `tests/setup.ts` replaces the global `fetch` by its. */
export const { watchAnswers, checkAnswers, fetch: watchingFetch } = createWatch(globalThis.fetch);
