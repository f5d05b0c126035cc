import createFetchClient from "openapi-fetch";
import { readError } from "./errors.js";
import type { paths } from "./openapi.generated.js";
import { fetchPatiently, type RetryOptions } from "./retry.js";

/** The last argument of every call of the client. */
export interface CallOptions {
  /** Aborts the call and its repetitions; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Additional headers, such as `X-Request-Id`. */
  headers?: Record<string, string>;
}

/** A call of an operation of the OpenAPI document: the options of openapi-fetch. */
export interface Call extends CallOptions {
  params?: { path?: Record<string, string>; query?: unknown };
  body?: unknown;
}

/** The HTTP API. Every call rejects with ApiError unless the response is 2xx. */
export interface Http {
  /** Resolves to the JSON of the response, if there is any. */
  call(method: string, path: string, call: Call): Promise<unknown>;
  /**
   * The same for large bodies: the body is sent unchanged, and the response is read as a stream. `once` means that the
   * body can be sent only once.
   */
  stream(
    method: string,
    path: string,
    call: Call & { body?: BodyInit; once?: boolean },
  ): Promise<Response>;
  /**
   * Sends a request to a URL that the API returned, without a token. It is repeated like any other
   * call.
   */
  send(request: Request): Promise<Response>;
  /**
   * POSTs JSON in one attempt, which a browser completes even after the page is closed. Resolves to the response,
   * whatever its status. `leaving` sends at once with the last used token, because getting a new one takes time.
   */
  post(path: keyof paths, json: string, leaving: boolean): Promise<Response>;
  /** Gets a token, so that `post` has one when the page is left. */
  prepare(): Promise<unknown>;
}

/**
 * Callers of these paths have no token yet, or an expired one. A caller of /auth/register may be a
 * guest.
 */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set([
  "/api/storefront",
  "/auth/guest",
  "/auth/login",
  "/auth/refresh",
  "/auth/token",
] satisfies (keyof paths)[]);

export function createHttp(options: {
  supabaseUrl: string;
  publishableKey: string;
  /** The current access token; null if there is none. */
  accessToken(): Promise<string | null>;
  fetch: typeof fetch;
  headers?: Record<string, string>;
  retry?: RetryOptions;
}): Http {
  const { fetch: send, retry } = options;
  const baseUrl = `${options.supabaseUrl.replace(/\/+$/, "")}/functions/v1`;
  const headers = { ...options.headers, apikey: options.publishableKey };
  /** The token that was used last. */
  let lastToken: string | null = null;
  const accessToken = async () => {
    lastToken = await options.accessToken();
    return lastToken;
  };
  const client = createFetchClient<paths>({ baseUrl, headers });
  client.use({
    async onRequest({ request, schemaPath }) {
      if (WITHOUT_TOKEN.has(schemaPath) || request.headers.has("authorization")) return;
      const token = await accessToken();
      if (token !== null) request.headers.set("authorization", `Bearer ${token}`);
    },
    async onResponse({ response }) {
      if (!response.ok) throw await readError(response);
    },
  });
  // openapi-fetch types each operation separately; operations.ts types the methods of this client.
  const request = client.request as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; response: Response }>;

  return {
    async call(method, path, call) {
      const { data } = await request(method, path, {
        ...call,
        fetch: (request: Request) =>
          fetchPatiently(request, async (attempt) => wholeOf(await send(attempt)), retry),
      });
      return data;
    },
    async stream(method, path, { once = false, ...call }) {
      const { response } = await request(method, path, {
        ...call,
        parseAs: "stream",
        bodySerializer: (body: BodyInit) => body,
        // Required if the body is a stream.
        duplex: "half",
        fetch: once ? send : (request: Request) => fetchPatiently(request, send, retry),
      });
      return response;
    },
    send: (request) => fetchPatiently(request, send, retry),
    async post(path, json, leaving) {
      const token = leaving ? lastToken : await accessToken();
      return send(baseUrl + path, {
        method: "POST",
        keepalive: true,
        headers: {
          ...headers,
          "content-type": "application/json",
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
        body: json,
      });
    },
    prepare: accessToken,
  };
}

/** Reads the whole response, so that one that breaks off fails like one that never arrives. */
async function wholeOf(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, response);
}
