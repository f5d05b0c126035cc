import { issueCode, PKCE } from "./pkce.js";
import { Refusal } from "./refusals.js";
import { openSession } from "./sessions.js";
import type { Auth } from "./surroundings.js";
import { ONE_OF_TWO, verify } from "./verify.js";
import type { Visit } from "./visit.js";

const OAUTH_ERRORS: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized_client",
  403: "access_denied",
  500: "server_error",
  503: "temporarily_unavailable",
};

/**
 * Follows a letter's link: the address to send the browser to, with the session, or why there is
 * none, in its fragment; in a PKCE flow with a code in its query.
 */
export async function followLink(
  auth: Auth,
  { token = "", type = "" }: Record<string, string>,
  visit: Visit,
): Promise<string> {
  const bad = (message: string) => new Refusal(400, "validation_failed", message);
  if (type === "") throw bad("Verify requires a verification type");
  if (token === "") throw bad("Verify requires a token or a token hash");
  const proof = { type, hash: token, email: null };
  const inFlow = token.startsWith(PKCE);
  const landing = (said: Record<string, string>, inQuery: boolean) => {
    const address = new URL(visit.redirectTo);
    if (inQuery)
      for (const [key, value] of Object.entries(said)) address.searchParams.set(key, value);
    return address;
  };
  const withFragment = (said: Record<string, string>) => {
    const address = landing(said, inFlow);
    address.hash = new URLSearchParams({ ...said, sb: "" }).toString();
    return address.href;
  };
  try {
    if (inFlow) {
      const code = await verify(auth, proof, (tx, user) => issueCode(tx, user.id, type));
      return code ? landing({ code }, true).href : withFragment({ message: ONE_OF_TWO });
    }
    const session = await verify(auth, proof, (tx, user) =>
      openSession(auth, tx, user.id, "otp", visit),
    );
    if (!session) return withFragment({ message: ONE_OF_TWO });
    return withFragment({
      access_token: session.access_token,
      expires_at: String(session.expires_at),
      expires_in: String(session.expires_in),
      refresh_token: session.refresh_token,
      token_type: session.token_type,
      type,
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const name = OAUTH_ERRORS[error.status];
    return withFragment({
      ...(name && { error: name }),
      error_code: error.code ?? "",
      error_description: error.message,
    });
  }
}
