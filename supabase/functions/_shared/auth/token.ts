import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { auth as basicCredentials } from "hono/utils/basic-auth";
import { answers } from "../http/answers.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { authRequestOf, logInKey } from "./accounts.ts";
import { keyToken, tokenError } from "./schema.ts";

/** The route /auth/token: OAuth 2.0 client credentials (RFC 6749, section 4.4), whose answers are worded as there. */
export const token = createRoutes();

/** Largest body of a request, in bytes. */
const MAX_BYTES = 10_000;

/** An error as RFC 6749, section 5.2, words it. */
class TokenError extends Error {
  override name = "TokenError";
  constructor(
    readonly status: 400 | 401,
    readonly error: z.input<typeof tokenError>["error"],
    description: string,
  ) {
    super(description);
  }
}

const invalidRequest = (description: string) => new TokenError(400, "invalid_request", description);

const invalidClient = () =>
  new TokenError(
    401,
    "invalid_client",
    "There is no API key with this client_id and client_secret.",
  );

const error = (description: string) => ({
  description,
  content: { "application/json": { schema: tokenError } },
});

/** For the document only: the route reads and checks its body itself. */
const requestSchema = {
  schema: {
    type: "object" as const,
    required: ["grant_type"],
    properties: {
      grant_type: { type: "string" as const, enum: ["client_credentials"] },
      client_id: { type: "string" as const },
      client_secret: { type: "string" as const },
    },
  },
};

token.openapi(
  createRoute({
    tags: ["Authentication"],
    method: "post",
    path: "/",
    operationId: "auth.token",
    security: [],
    secretFields: ["client_secret"],
    // A body may be a form, and a fault of it is worded by the standard.
    streams: true,
    summary: "Get a session for an API key",
    description:
      "OAuth 2.0 client credentials: send client_id and client_secret as a form, as JSON, or with HTTP Basic. There is no refresh token: ask again before the access token expires. Errors of the request are worded as in RFC 6749: invalid_client (401) for an unknown, expired or removed key and for a wrong or missing secret.",
    errors: { RATE_LIMITED: "after ten failures of a key in a minute from one IP address" },
    requestBody: {
      required: true,
      content: {
        "application/json": requestSchema,
        "application/x-www-form-urlencoded": requestSchema,
      },
    },
    middleware: bodyLimit({
      maxSize: MAX_BYTES,
      onError: () => {
        throw new ApiError("PAYLOAD_TOO_LARGE", `Send at most ${MAX_BYTES} bytes.`);
      },
    }),
    responses: {
      ...answers(200, keyToken, "The session"),
      400: error("invalid_request, unsupported_grant_type"),
      401: error("invalid_client"),
    },
  }),
  async (c) => {
    c.header("Cache-Control", "no-store");
    try {
      const { client_id, client_secret } = await credentialsIn(c);
      const session = await logInKey(client_id, client_secret, authRequestOf(c));
      const { access_token, token_type, expires_in } = session;
      return c.json(keyToken.parse({ access_token, token_type, expires_in }), 200);
    } catch (thrown) {
      const isUnknown = thrown instanceof ApiError && thrown.code === "INVALID_CREDENTIALS";
      const refused = isUnknown ? invalidClient() : thrown;
      if (!(refused instanceof TokenError)) throw thrown;
      if (refused.status === 401) c.header("WWW-Authenticate", 'Basic realm="souk"');
      return c.json(
        { error: refused.error, error_description: refused.message },
        refused.status,
      ) as never;
    }
  },
);

/** The credentials of a request: those of HTTP Basic, or of its body. */
async function credentialsIn(
  c: Context<Env>,
): Promise<{ client_id: string; client_secret: string }> {
  const sent = await fieldsIn(c);
  const { grant_type } = sent;
  if (grant_type === undefined) throw invalidRequest("grant_type is missing.");
  if (grant_type !== "client_credentials") {
    throw new TokenError(400, "unsupported_grant_type", "grant_type must be client_credentials.");
  }
  const basic = basicCredentials(c.req.raw);
  if (basic && sent.client_id !== undefined && sent.client_id !== decoded(basic.username)) {
    throw invalidRequest("Send one client_id.");
  }
  if (basic && sent.client_secret !== undefined) {
    throw invalidRequest("Send the credentials once: with HTTP Basic, or in the body.");
  }
  const [id, secret] = basic
    ? [decoded(basic.username), decoded(basic.password)]
    : [sent.client_id, sent.client_secret];
  // Of a key, so that no other account gets a session here.
  if (!id || !secret || !/^key_[0-9a-f]{32}$/.test(id)) throw invalidClient();
  return { client_id: id, client_secret: secret };
}

/** The fields of a body, which is a form or JSON. */
async function fieldsIn(c: Context<Env>): Promise<Record<string, string | undefined>> {
  const type = c.req.header("content-type") ?? "";
  const text = await c.req.text();
  let fields: [string, unknown][];
  if (/^application\/json\s*(;|$)/i.test(type)) {
    try {
      fields = Object.entries(JSON.parse(text));
    } catch {
      throw invalidRequest("The body is not valid JSON.");
    }
  } else if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    fields = [...new URLSearchParams(text)];
    const names = fields.map(([name]) => name);
    const repeated = names.find((name, i) => names.indexOf(name) !== i);
    if (repeated !== undefined) throw invalidRequest("Send each parameter once.");
  } else {
    throw invalidRequest("Send a form or JSON, with its Content-Type.");
  }
  if (fields.some(([, value]) => typeof value !== "string")) {
    throw invalidRequest("Parameters must be texts.");
  }
  return Object.fromEntries(fields) as Record<string, string>;
}

/** The standard encodes both parts of HTTP Basic as parts of a form. */
function decoded(part: string): string {
  return new URLSearchParams(`part=${part}`).get("part") ?? "";
}
