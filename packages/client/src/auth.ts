import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.js";
import { ApiError } from "./errors.js";
import type { CallOptions } from "./http.js";
import type { Login, Registration, Session } from "./openapi.generated.js";
import type { Operations } from "./operations.js";

/** `supabase` is what keeps the session; null where nothing does. */
export function authOf(
  { send, act, read, list, listAll, create }: Operations,
  supabase: SupabaseClient<Database> | null,
) {
  const post = {
    register: send("post", "/auth/register"),
    guest: send("post", "/auth/guest"),
    login: send("post", "/auth/login"),
    refresh: send("post", "/auth/refresh"),
    logout: act("post", "/auth/logout"),
    switch: send("post", "/auth/switch"),
  };

  async function keep(session: Session): Promise<Session> {
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
    throw new Error("nobody is signed in: there is no session to refresh");
  }

  const trade = async (refresh_token: string, options?: CallOptions) =>
    keep(await post.refresh({ refresh_token }, options));

  let refreshing: Promise<Session> | undefined;

  return {
    /**
     * Opens a tenant or joins one, and signs in. Whoever is a guest stays the same user, with the same orders, and
     * sends neither a tenant nor a role. The tokens are null where the e-mail address has to be confirmed first.
     * Errors: CONFLICT, when the e-mail is taken; NOT_FOUND, for an unknown tenant.
     */
    async register(registration: Registration, options?: CallOptions): Promise<Session> {
      return keep(await post.register(registration, options));
    },
    /**
     * Signs in without an account, as a guest of a marketplace, by its id or domain. Errors: NOT_FOUND, when no such
     * marketplace is open; RATE_LIMITED.
     */
    async guest(marketplace: string, options?: CallOptions): Promise<Session> {
      return keep(await post.guest({ marketplace }, options));
    },
    /** Signs in. Errors: INVALID_CREDENTIALS (401). */
    async login(credentials: Login, options?: CallOptions): Promise<Session> {
      return keep(await post.login(credentials, options));
    },
    /**
     * Trades a refresh token in, the current session's unless another is given. Needed rarely: an
     * expired access token is refreshed by itself. Errors: INVALID_CREDENTIALS (401).
     */
    refresh(refreshToken?: string, options?: CallOptions): Promise<Session> {
      if (refreshToken !== undefined) return trade(refreshToken, options);
      // A refresh token works once: who asks meanwhile shares the answer, or the session would end.
      refreshing ??= refreshCurrent(options).finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    /** Ends the session, here and on the server. */
    async logout(options?: CallOptions): Promise<void> {
      try {
        await post.logout(options);
      } catch (error) {
        // A session that the server does not know (any more) is over already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
      if (!supabase) return;
      const { error } = await supabase.auth.signOut({ scope: "local" });
      if (error) throw error;
    },
    /** Who the caller is, in which tenant, in which role. Errors: UNAUTHORIZED, FORBIDDEN. */
    me: read("/auth/me"),
    /** A page of the tenants the caller is a member of, whatever the current one. */
    tenants: list("/auth/tenants"),
    /** Every one of them, the oldest membership first unless asked otherwise. */
    tenantsAll: listAll("/auth/tenants", "tenants"),
    /** Opens or joins one more tenant, with the same account. Errors: CONFLICT, NOT_FOUND. */
    addTenant: create("/auth/tenants"),
    /**
     * Goes on in another tenant: the session that is kept becomes one of that tenant. Without a session
     * of its own the client answers none either; what the caller's next refresh gives is of the tenant.
     * Errors: NOT_FOUND, unless the caller is an active member there.
     */
    async switchTenant(tenantId: string, options?: CallOptions): Promise<Session> {
      // A refresh token works once: one that is being traded in is of no use here. If that fails, it is
      // told to whoever asked for it.
      await refreshing?.catch(() => undefined);
      const refresh_token = await currentRefreshToken();
      return keep(await post.switch({ tenant_id: tenantId, refresh_token }, options));
    },
  };
}

/**
 * Accounts and sessions. The client keeps the session it gets in supabase-js, which refreshes it
 * and signs every call with it; with an `accessToken` of its own it keeps none.
 */
export interface Auth extends ReturnType<typeof authOf> {}
