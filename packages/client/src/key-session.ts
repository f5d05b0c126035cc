import { readError } from "./errors.js";

/** A session is renewed this long before its token expires, in ms. */
const AHEAD_MS = 60_000;

/** The credentials of an API key. */
export interface KeyCredentials {
  clientId: string;
  clientSecret: string;
}

/** The session of an API key. */
export interface KeySession {
  /**
   * The access token, which is renewed before it expires. Concurrent calls share one request. Rejects with ApiError:
   * INVALID_CREDENTIALS for a wrong secret and for a key that was removed or has expired; RATE_LIMITED.
   */
  accessToken: () => Promise<string>;
  /** Sends a request. After an answer 401 the token is not used again. */
  fetch: typeof fetch;
}

/** Opens the session of an API key with its first call. */
export function keySession(
  { clientId, clientSecret }: KeyCredentials,
  supabaseUrl: string,
  publishableKey: string,
  send: typeof fetch,
): KeySession {
  let token = "";
  let until = 0;
  let renewing: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const response = await send(`${supabaseUrl.replace(/\/+$/, "")}/functions/v1/auth/token`, {
      method: "POST",
      headers: { apikey: publishableKey, "content-type": "application/json" },
      body: JSON.stringify({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    if (!response.ok) throw await readError(response);
    const { access_token, expires_in } = await response.json();
    token = access_token;
    until = Date.now() + expires_in * 1000 - AHEAD_MS;
    return token;
  }

  const accessToken = async () => {
    if (Date.now() < until) return token;
    renewing ??= renew()
      .catch((error: unknown) => {
        // The session is still valid. The next call tries again.
        if (Date.now() < until + AHEAD_MS) return token;
        throw error;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  return {
    accessToken,
    fetch: async (...call) => {
      const response = await send(...call);
      if (response.status === 401) until = 0;
      return response;
    },
  };
}
