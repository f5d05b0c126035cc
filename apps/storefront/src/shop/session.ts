import { ApiError, type SoukClient } from "@souk/client";
import { useEffect, useState } from "preact/hooks";
import { notice, showNotice } from "../ui/notice";
import { t } from "../ui/texts";

/** The session of supabase-js. */
export type Session = NonNullable<
  Awaited<ReturnType<SoukClient["supabase"]["auth"]["getSession"]>>["data"]["session"]
>;

/** Who uses the shop: a visitor without a session, a guest who has ordered, or a customer with an account. */
export interface User {
  /** Null for a visitor. */
  id: string | null;
  /** The email of an account; null without one. */
  email: string | null;
  name: string;
  hasAccount: boolean;
}

export function userOf(session: Session | null): User {
  if (!session) return { id: null, email: null, name: "", hasAccount: false };
  const { id, email, is_anonymous, user_metadata } = session.user;
  const hasAccount = !is_anonymous;
  return { id, email: (hasAccount && email) || null, name: user_metadata.name ?? "", hasAccount };
}

/** The session of the last visit, which goes on; null for a visitor. */
export async function readSession(souk: SoukClient): Promise<Session | null> {
  const { data } = await souk.supabase.auth.getSession();
  return data.session;
}

/** Makes a visitor a guest of the shop, who can order. The caller holds the lock of the cart, so that tabs share one guest. */
export async function becomeGuest(souk: SoukClient, domain: string): Promise<void> {
  if (!(await readSession(souk))) await souk.auth.guest(domain);
}

/** The current session. When it ends, the customer continues as a visitor, with the same cart. */
export function useSession(souk: SoukClient, first: Session | null): Session | null {
  const [session, setSession] = useState(first);
  useEffect(() => {
    const { data } = souk.supabase.auth.onAuthStateChange((event, next) => {
      // The first session is known already.
      if (event === "INITIAL_SESSION") return;
      setSession(next);
      if (event === "SIGNED_OUT" && notice.get() !== t("account.signedOut")) {
        showNotice(t("error.SESSION_ENDED"));
      }
    });
    return () => data.subscription.unsubscribe();
  }, [souk]);
  return session;
}

/** Signs in. An account of another tenant in the project becomes a customer of this shop, too. */
export async function signIn(
  souk: SoukClient,
  tenant: string,
  credentials: { email: string; password: string },
): Promise<void> {
  const { user } = await souk.auth.login(credentials);
  if (user.tenant_id === tenant) return;
  try {
    await souk.auth.switchTenant(tenant);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "NOT_FOUND")) throw error;
    await souk.auth.addTenant({ tenant_id: tenant });
    await souk.auth.switchTenant(tenant);
  }
}
