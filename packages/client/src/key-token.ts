import { readError } from "./errors.js";

/** A session is renewed this long before its token expires, in ms. */
const AHEAD_MS = 60_000;

/** The credentials of an API key. */
export interface KeyCredentials {
  clientId: string;
  clientSecret: string;
}

/**
 * Returns a function that returns the access token of an API key's session, and renews the session before it expires.
 * Concurrent calls share one request. Rejects with ApiError: INVALID_CREDENTIALS for a wrong secret and for a key that
 * was removed or has expired; RATE_LIMITED.
 */
export function keyToken(
  { clientId, clientSecret }: KeyCredentials,
  supabaseUrl: string,
  publishableKey: string,
  send: typeof fetch,
): () => Promise<string> {
  let token = "";
  let until = 0;
  let renewing: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const response = await send(`${supabaseUrl}/functions/v1/auth/token`, {
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

  return async () => {
    if (Date.now() < until) return token;
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
}
