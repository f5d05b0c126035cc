import { invalid } from "./bodies.js";
import type { Auth } from "./context.js";
import { issueCode, PKCE } from "./pkce.js";
import { Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { openSession } from "./sessions.js";
import { ONE_OF_TWO, verify } from "./verify.js";

const OAUTH_ERRORS: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized_client",
  403: "access_denied",
  500: "server_error",
  503: "temporarily_unavailable",
};

/**
 * Follows the link of a mail. Returns the address to send the browser to: with the session or the
 * error in its fragment, or, in a PKCE flow, with a code in its query.
 */
export async function followLink(
  auth: Auth,
  { token = "", type = "" }: Record<string, string>,
  request: AuthRequest,
): Promise<string> {
  if (type === "") throw invalid("Verify requires a verification type");
  if (token === "") throw invalid("Verify requires a token or a token hash");
  const proof = { type, hash: token, email: null };
  const inFlow = token.startsWith(PKCE);
  const [site = ""] = request.redirectTo.split("#");
  const query = (params: Record<string, string>) =>
    `${site}${site.includes("?") ? "&" : "?"}${new URLSearchParams(params)}`;
  const fragment = (params: Record<string, string>) =>
    String(new URLSearchParams({ ...params, sb: "" }));
  // Like hosted Auth, encodes messages in the fragment twice.
  const withMessage = (params: Record<string, string>) =>
    `${inFlow ? query(params) : site}#${fragment(params).replaceAll("%", "%25")}`;
  try {
    if (inFlow) {
      const code = await verify(auth, proof, (w, user) => issueCode(w, user.id, type));
      return code ? query({ code }) : withMessage({ message: ONE_OF_TWO });
    }
    const session = await verify(auth, proof, (w, user) => openSession(w, user.id, "otp", request));
    if (!session) return withMessage({ message: ONE_OF_TWO });
    const { user: _, ...params } = session;
    const entries = Object.entries({ ...params, type }).map(([key, value]) => [key, String(value)]);
    return `${site}#${fragment(Object.fromEntries(entries))}`;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status >= 500) auth.log.error(`GET /verify: ${error.message}`, error.more.cause);
    const name = OAUTH_ERRORS[error.status];
    return withMessage({
      ...(name && { error: name }),
      error_code: error.code ?? "",
      error_description: error.message,
    });
  }
}
