import createFetchClient, { type Client } from "openapi-fetch";
import { readError } from "./errors.js";
import type { paths } from "./openapi.generated.js";
import { fetchPatiently, type RetryOptions } from "./retry.js";

/** The HTTP API, typed by its OpenAPI document. Every call rejects with ApiError unless answered 2xx. */
export type Http = Client<paths, "application/json">;

/** What every call of the client takes as its last argument. */
export interface CallOptions {
  /** Ends the call, its repetitions included; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Sent along, such as `X-Request-Id`. */
  headers?: Record<string, string>;
}

/** Whoever calls these has no token yet, or an expired one. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set([
  "/auth/register",
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
  const http = createFetchClient<paths, "application/json">({
    baseUrl: `${options.supabaseUrl.replace(/\/+$/, "")}/functions/v1`,
    headers: { ...options.headers, apikey: options.publishableKey },
    fetch: (request) => fetchPatiently(request, options.fetch, options.retry),
  });
  http.use({
    async onRequest({ request, schemaPath }) {
      if (WITHOUT_TOKEN.has(schemaPath) || request.headers.has("authorization")) return;
      const token = await options.accessToken();
      if (token !== null) request.headers.set("authorization", `Bearer ${token}`);
    },
    async onResponse({ response }) {
      if (!response.ok) throw await readError(response);
    },
  });
  return http;
}

/** The body of a call's answer. */
export async function bodyOf<Body>(call: Promise<{ data?: Body }>): Promise<Body> {
  // Whatever is not 2xx has rejected before.
  return (await call).data as Body;
}
