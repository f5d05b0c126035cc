/** A row of `net.http_request_queue`; the body in base64. */
export interface HttpRequest {
  id: number;
  method: string;
  url: string;
  headers: Record<string, string> | null;
  body: string | null;
  timeout_milliseconds: number;
}

/** A row of `net._http_response`, without its time. */
export interface HttpResponse {
  id: number;
  status_code: number | null;
  content_type: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timed_out: boolean | null;
  error_msg: string | null;
}

/** Messages of libcurl, and so of pg_net, by Node's code for the same error. */
const reasons: Record<string, string> = {
  ECONNREFUSED: "Couldn't connect to server",
  ENETUNREACH: "Couldn't connect to server",
  EHOSTUNREACH: "Couldn't connect to server",
  ENOTFOUND: "Couldn't resolve host name",
  EAI_AGAIN: "Couldn't resolve host name",
  ECONNRESET: "Failure when receiving data from the peer",
  UND_ERR_SOCKET: "Server returned nothing (no headers, no data)",
  ERR_INVALID_URL: "URL using bad/illegal format or missing URL",
};

/** The URL by which the database of `supabase start` reaches the gateway. */
const GATEWAY = /^http:\/\/api\.supabase\.internal:8000(?=[/?#]|$)/i;

/** Sends one request; `closing` aborts it. A failure is also an answer. Never rejects. */
export async function sendRequest(
  request: HttpRequest,
  gateway: string,
  closing: AbortSignal,
): Promise<HttpResponse> {
  const answer: HttpResponse = {
    id: request.id,
    status_code: null,
    content_type: null,
    headers: null,
    content: null,
    timed_out: null,
    error_msg: null,
  };
  const limit = request.timeout_milliseconds;
  const started = performance.now();
  // Zero means no limit, as with libcurl.
  const timeout = limit > 0 ? AbortSignal.timeout(limit) : undefined;
  try {
    const url = new URL(request.url.replace(GATEWAY, gateway));
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return { ...answer, timed_out: false, error_msg: "Unsupported protocol" };
    }
    const headers = new Headers({ "user-agent": "pg_net/0.20.0", "accept-encoding": "identity" });
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value !== null) headers.set(name, String(value));
    }
    const response = await fetch(url, {
      method: request.method.toUpperCase(),
      headers,
      body: request.body === null ? undefined : Buffer.from(request.body, "base64"),
      signal: timeout ? AbortSignal.any([timeout, closing]) : closing,
    });
    const content = await response.text();
    return {
      ...answer,
      status_code: response.status,
      content_type: response.headers.get("content-type"),
      headers: Object.fromEntries(response.headers),
      // A text of Postgres cannot contain a zero byte; pg_net also ends there.
      content: content.split("\0", 1)[0] || null,
      timed_out: false,
    };
  } catch (error) {
    const timed_out = timeout?.aborted ?? false;
    const error_msg = timed_out ? timeoutOf(limit, performance.now() - started) : reasonOf(error);
    return { ...answer, timed_out, error_msg };
  }
}

/** Node does not report the times of single steps, so the last step gets the whole time. */
function timeoutOf(limit: number, elapsed: number): string {
  const total = elapsed.toFixed(6);
  const steps = `DNS time: ${(0).toFixed(6)} ms, TCP/SSL handshake time: ${(0).toFixed(6)} ms`;
  return `Timeout of ${limit} ms reached. Total time: ${total} ms (${steps}, HTTP Request/Response time: ${total} ms)`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = String((cause as NodeJS.ErrnoException).code ?? "");
  return reasons[code] ?? cause.message;
}
