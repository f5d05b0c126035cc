import { ApiError, type SoukClient } from "@souk/client";
import { useEffect, useState } from "preact/hooks";
import { notice, say } from "../ui/notice";
import { t } from "../ui/texts";

/** The session of supabase-js. */
export type Session = NonNullable<
  Awaited<ReturnType<SoukClient["supabase"]["auth"]["getSession"]>>["data"]["session"]
>;

export interface User {
  id: string;
  /** The email; null for a guest. */
  email: string | null;
  name: string;
  isGuest: boolean;
}

export function userOf({ user }: Session): User {
  const { id, email, user_metadata } = user;
  const isGuest = user.is_anonymous ?? false;
  return { id, email: isGuest ? null : (email ?? null), name: user_metadata.name ?? "", isGuest };
}

/** Continues the session of the last visit, or creates a guest of the shop. */
export async function enter(souk: SoukClient, domain: string): Promise<void> {
  const { data } = await souk.supabase.auth.getSession();
  if (!data.session) await souk.auth.guest(domain);
}

/** The current session. When it ends, the visitor continues as a new guest, with the same cart. */
export function useSession(souk: SoukClient, domain: string, first: Session): Session {
  const [session, setSession] = useState(first);
  useEffect(() => {
    const { data } = souk.supabase.auth.onAuthStateChange((event, next) => {
      if (next) setSession(next);
      if (event !== "SIGNED_OUT") return;
      if (notice.get() !== t("account.signedOut")) say(t("error.SESSION_ENDED"));
      // Calls of supabase-js inside its own callback would wait for each other.
      setTimeout(() => enter(souk, domain).catch(() => say(t("error.OFFLINE"))));
    });
    return () => data.subscription.unsubscribe();
  }, [souk, domain]);
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
