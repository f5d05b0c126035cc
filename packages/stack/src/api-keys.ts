import type { IncomingMessage } from "node:http";
import { KEY_ISSUER, type Keys } from "./keys.js";

/** A refused API key, with the 401 response of a hosted project. */
export interface KeyRefusal {
  body: { message: string; hint: string };
  headers?: Record<string, string>;
}

const NONE: KeyRefusal = {
  body: {
    message: "No API key found in request",
    hint: "No `apikey` request header or url param was found.",
  },
};
const INVALID: KeyRefusal = {
  body: {
    message: "Invalid API key",
    hint: "Double check your Supabase `anon` or `service_role` API key.",
  },
};
const UNREGISTERED: KeyRefusal = {
  body: {
    message: "Unregistered API key",
    hint: "Double check the provided API key as it is not registered for this project.",
  },
};
const IN_BROWSER: KeyRefusal = {
  body: {
    message: "Forbidden use of secret API key in browser",
    hint:
      "Secret API keys can only be used in a protected environment and should never be used in a browser. " +
      "Delete this secret API key immediately!",
  },
  headers: { "sb-error-code": "UNAUTHORIZED_INVALID_API_KEY_TYPE" },
};

/** Maps the project's API keys to tokens. A key that is a token maps to itself. */
export function createKeyCheck(keys: Keys) {
  const tokens = new Map([
    [keys.publishableKey, keys.anonKey],
    [keys.secretKey, keys.serviceRoleKey],
    [keys.anonKey, keys.anonKey],
    [keys.serviceRoleKey, keys.serviceRoleKey],
  ]);

  const isSecretInBrowser = (key: string | null, { headers }: IncomingMessage) =>
    key === keys.secretKey && /^Mozilla\//.test(headers["user-agent"] ?? "");

  /**
   * Whether it is a key of another stack process: with signing keys, each start signs its own,
   * equally valid keys.
   */
  async function isKeyOfAnotherStart(key: string): Promise<boolean> {
    try {
      return (await keys.verify(key)).iss === KEY_ISSUER;
    } catch {
      return false;
    }
  }

  /**
   * Resolves to null for a request with an accepted key. If the request has no token of its own, it gets that of the
   * key's role: always for a key that is not a token, and for a key that is one only with `keyIsBearer`. With
   * `keyIsOptional`, a request without a key is accepted too.
   */
  async function admit(
    incoming: IncomingMessage,
    target: URL,
    { keyIsBearer, keyIsOptional }: { keyIsBearer: boolean; keyIsOptional: boolean },
  ): Promise<KeyRefusal | null> {
    const { apikey, authorization } = incoming.headers as Record<string, string | undefined>;
    const key = apikey ?? target.searchParams.get("apikey");
    if (!key) return keyIsOptional ? null : NONE;
    if (isSecretInBrowser(key, incoming)) return IN_BROWSER;
    let token = tokens.get(key);
    if (token === undefined) {
      if (key.startsWith("sb_")) return UNREGISTERED;
      if (!(await isKeyOfAnotherStart(key))) return INVALID;
      token = key;
    }
    const opaque = key !== token;
    const absent = authorization === undefined || (opaque && authorization === `Bearer ${key}`);
    if (absent && (opaque || keyIsBearer)) setHeader(incoming, "authorization", `Bearer ${token}`);
    // Rest would treat it as a filter on a column of that name.
    if (target.search.includes("apikey")) target.searchParams.delete("apikey");
    return null;
  }

  /** Replaces the key in a websocket's handshake by its token, which the service then checks. */
  function translate(incoming: IncomingMessage, target: URL): void {
    const replacement = (key: string | null) =>
      key === null || isSecretInBrowser(key, incoming) ? undefined : tokens.get(key);
    const ofHeader = replacement((incoming.headers.apikey as string | undefined) ?? null);
    if (ofHeader) setHeader(incoming, "apikey", ofHeader);
    const ofQuery = replacement(target.searchParams.get("apikey"));
    if (!ofQuery) return;
    target.searchParams.set("apikey", ofQuery);
    incoming.url = target.pathname + target.search;
  }

  return { admit, translate };
}

/** Sets a header in both places from which it may be read. */
function setHeader({ headers, rawHeaders }: IncomingMessage, name: string, value: string): void {
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]?.toLowerCase() === name) rawHeaders.splice(i, 2);
  }
  rawHeaders.push(name, value);
  headers[name] = value;
}
