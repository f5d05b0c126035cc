import type { SoukClient } from "@souk/client";
import { useEffect, useState } from "preact/hooks";
import { notice, say } from "../lib/notice";
import { enter, type Session } from "../lib/session";
import { t } from "../lib/texts";

/** The current session. When it ends, the visitor continues as a new guest with the same cart. */
export function useSession(souk: SoukClient, domain: string, first: Session): Session {
  const [session, setSession] = useState(first);
  useEffect(() => {
    const { data } = souk.supabase.auth.onAuthStateChange((event, next) => {
      if (next) setSession(next);
      if (event !== "SIGNED_OUT") return;
      if (notice.get() !== t("account.signedOut")) say(t("error.SESSION_ENDED"));
      // Calls of supabase-js inside its own callback would deadlock.
      setTimeout(() => enter(souk, domain).catch(() => say(t("error.OFFLINE"))));
    });
    return () => data.subscription.unsubscribe();
  }, [souk, domain]);
  return session;
}
