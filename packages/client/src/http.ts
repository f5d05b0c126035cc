import createFetchClient from "openapi-fetch";
import { readError } from "./errors.js";
import type { paths } from "./openapi.generated.js";
import { fetchPatiently, type RetryOptions } from "./retry.js";

/** What every call of the client takes as its last argument. */
export interface CallOptions {
  /** Ends the call, its repetitions included; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Sent along, such as `X-Request-Id`. */
  headers?: Record<string, string>;
}

/** An operation of the OpenAPI document, called: openapi-fetch's options. */
export interface Call extends CallOptions {
  params?: { path?: Record<string, string>; query?: unknown };
  body?: unknown;
}

/** The HTTP API. Every call rejects with ApiError unless it is answered 2xx. */
export interface Http {
  /** Resolves to the JSON of the answer, if it has any. */
  call(method: string, path: string, call: Call): Promise<unknown>;
  /**
   * The same for what is too long to be held: the body is sent as it is, the answer is to be read as it
   * comes. `once` says that the body is gone after it was sent.
   */
  stream(
    method: string,
    path: string,
    call: Call & { body?: BodyInit; once?: boolean },
  ): Promise<Response>;
  /** Sends a request to an address that the API answered, without a token. It is repeated like any other call. */
  send(request: Request): Promise<Response>;
  /**
   * POSTs JSON in one attempt, which a browser completes even if the page is gone by then. Resolves to the answer,
   * whatever its status. `leaving` sends at once, with the token that was used last, since getting one takes time.
   */
  post(path: keyof paths, json: string, leaving: boolean): Promise<Response>;
  /** Gets a token, so that `post` has one when the page is left. */
  prepare(): Promise<unknown>;
}

/** Callers of these have no token yet, or an expired one. A caller of /auth/register may have a guest's. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set([
  "/api/storefront",
  "/auth/guest",
  "/auth/login",
  "/auth/refresh",
] satisfies (keyof paths)[]);

export function createHttp(options: {
  supabaseUrl: string;
  publishableKey: string;
  /** The access token of the moment; null for nobody's. */
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
  // Its types know each operation by itself; those of this client's methods are made in operations.ts.
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
        // Needed where the body is a stream.
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

/** The answer when all of it has come: one that breaks off has failed like one that never came. */
async function wholeOf(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, response);
}
