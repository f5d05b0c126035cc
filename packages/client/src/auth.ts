import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.generated.js";
import { ApiError } from "./errors.js";
import { bodyOf, type CallOptions, type Http } from "./http.js";
import type { Login, Me, Registration, Session } from "./openapi.generated.js";

/**
 * Accounts and sessions. The client keeps the session it gets in supabase-js, which refreshes it
 * and signs every call with it; with an `accessToken` of its own it keeps none.
 */
export interface Auth {
  /**
   * Opens a tenant or joins one, and signs in. The tokens are null where the e-mail address has to
   * be confirmed first. Errors: CONFLICT, when the e-mail is taken; NOT_FOUND, for an unknown tenant.
   */
  register(registration: Registration, options?: CallOptions): Promise<Session>;
  /** Signs in. Errors: INVALID_CREDENTIALS (401). */
  login(credentials: Login, options?: CallOptions): Promise<Session>;
  /**
   * Trades a refresh token in, the current session's unless another is given. Needed rarely: an
   * expired access token is refreshed by itself. Errors: INVALID_CREDENTIALS (401).
   */
  refresh(refreshToken?: string, options?: CallOptions): Promise<Session>;
  /** Ends the session, here and on the server. */
  logout(options?: CallOptions): Promise<void>;
  /** Who the caller is, in which tenant, in which role. Errors: UNAUTHORIZED, FORBIDDEN. */
  me(options?: CallOptions): Promise<Me>;
}

/** `supabase` is what keeps the session; null where nothing does. */
export function authOf(http: Http, supabase: SupabaseClient<Database> | null): Auth {
  async function keep(session: Session): Promise<Session> {
    const { access_token, refresh_token } = session;
    if (supabase && access_token !== null && refresh_token !== null) {
      const { error } = await supabase.auth.setSession({ access_token, refresh_token });
      if (error) throw error;
    }
    return session;
  }

  async function currentRefreshToken(): Promise<string> {
    const { data } = supabase ? await supabase.auth.getSession() : { data: { session: null } };
    if (!data.session) throw new Error("nobody is signed in: there is no session to refresh");
    return data.session.refresh_token;
  }

  async function trade(refresh_token: string, options?: CallOptions): Promise<Session> {
    return keep(await bodyOf(http.POST("/auth/refresh", { body: { refresh_token }, ...options })));
  }

  let refreshing: Promise<Session> | undefined;

  return {
    register: async (body, options) =>
      keep(await bodyOf(http.POST("/auth/register", { body, ...options }))),
    login: async (body, options) =>
      keep(await bodyOf(http.POST("/auth/login", { body, ...options }))),
    refresh(refreshToken, options) {
      if (refreshToken !== undefined) return trade(refreshToken, options);
      // A refresh token works once: who asks meanwhile shares the answer, or the session would end.
      refreshing ??= currentRefreshToken()
        .then((token) => trade(token, options))
        .finally(() => {
          refreshing = undefined;
        });
      return refreshing;
    },
    async logout(options) {
      try {
        await http.POST("/auth/logout", { ...options });
      } catch (error) {
        // A session that the server does not know (any more) is over already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
      if (!supabase) return;
      const { error } = await supabase.auth.signOut({ scope: "local" });
      if (error) throw error;
    },
    me: (options) => bodyOf(http.GET("/auth/me", { ...options })),
  };
}
