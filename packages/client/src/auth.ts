import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.js";
import { ApiError } from "./errors.js";
import type { CallOptions } from "./http.js";
import { authMethods } from "./methods.generated.js";
import type { Login, Registration, Session } from "./openapi.generated.js";
import type { Operations } from "./operations.js";

/** `supabase` stores the session; null if nothing does. */
export function authOf(operations: Operations, supabase: SupabaseClient<Database> | null) {
  const { switchTenant, ...post } = authMethods(operations);

  async function storeSession(session: Session): Promise<Session> {
    const { access_token, refresh_token } = session;
    if (supabase && access_token !== null && refresh_token !== null) {
      const { error } = await supabase.auth.setSession({ access_token, refresh_token });
      if (error) throw error;
    }
    return session;
  }

  async function currentRefreshToken(): Promise<string | undefined> {
    const { data } = supabase ? await supabase.auth.getSession() : { data: { session: null } };
    return data.session?.refresh_token;
  }

  async function refreshCurrent(options?: CallOptions): Promise<Session> {
    const token = await currentRefreshToken();
    if (token) return trade(token, options);
    throw new Error("no user is signed in: there is no session to refresh");
  }

  const trade = async (refresh_token: string, options?: CallOptions) =>
    storeSession(await post.refresh({ refresh_token }, options));

  let refreshing: Promise<Session> | undefined;

  return {
    ...post,
    /**
     * Creates or joins a tenant, and signs in. A guest stays the same user, with the same orders, and sends neither a
     * tenant nor a role. The tokens are null if the e-mail address must be confirmed first; a guest's session continues
     * until then. Errors: CONFLICT if the e-mail is taken; NOT_FOUND for an unknown tenant.
     */
    async register(registration: Registration, options?: CallOptions): Promise<Session> {
      return storeSession(await post.register(registration, options));
    },
    /**
     * Signs in without an account, as a guest of a marketplace, given by its domain or id. Errors: NOT_FOUND if no
     * active marketplace matches; RATE_LIMITED after 30 guests per address and hour.
     */
    async guest(marketplace: string, options?: CallOptions): Promise<Session> {
      return storeSession(await post.guest({ marketplace }, options));
    },
    /** Signs in. Errors: INVALID_CREDENTIALS (401). */
    async login(credentials: Login, options?: CallOptions): Promise<Session> {
      return storeSession(await post.login(credentials, options));
    },
    /**
     * Exchanges a refresh token for a new session; by default that of the current session. Rarely needed, because an
     * expired access token is refreshed automatically. Errors: INVALID_CREDENTIALS (401).
     */
    refresh(refreshToken?: string, options?: CallOptions): Promise<Session> {
      if (refreshToken !== undefined) return trade(refreshToken, options);
      // A refresh token is valid once: concurrent callers share one request, or the session would
      // end.
      refreshing ??= refreshCurrent(options).finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    /** Ends the session, here and on the server. */
    async logout(options?: CallOptions): Promise<void> {
      if (supabase) {
        // It ends the session on the server too. After POST /auth/logout it would do so again, with a token that is refused.
        const { error } = await supabase.auth.signOut({ scope: "local" });
        if (error) throw error;
        return;
      }
      try {
        await post.logout(options);
      } catch (error) {
        // The session does not exist on the server, so it is over already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
    },
    /**
     * Switches to another tenant: the stored session becomes one of that tenant. A client with its own `accessToken`
     * returns no tokens; the caller's next refresh gives a token of the tenant. Errors: NOT_FOUND unless the caller is
     * an active member there.
     */
    async switchTenant(tenantId: string, options?: CallOptions): Promise<Session> {
      // A refresh token is valid once, so a running refresh must finish first. Its caller handles
      // its error.
      await refreshing?.catch(() => undefined);
      const refresh_token = await currentRefreshToken();
      return storeSession(await switchTenant({ tenant_id: tenantId, refresh_token }, options));
    },
  };
}

/**
 * Accounts and sessions. The client stores its session in supabase-js, which refreshes it; every
 * call is sent with its token. A client with an `accessToken` option stores no session.
 */
export interface Auth extends ReturnType<typeof authOf> {}
