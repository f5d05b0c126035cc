import type { Me } from "@souk/client";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { type ConsoleRole, may, type Needed } from "../lib/permissions";
import { useSouk } from "../lib/souk";

/** The signed-in person, with a tenant and a role for the console. */
export interface Session extends Me {
  role: ConsoleRole;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("nobody is signed in here");
  return session;
}

/** Returns a function that checks a permission: `const may = useMay(); may("shipments.write")`. */
export function useMay(): (needed: Needed) => boolean {
  const { role } = useSession();
  return (needed) => may(role, needed);
}

/** The id of the signed-in user; null without one, undefined until it is known. */
export function useUserId(): string | null | undefined {
  const { supabase } = useSouk();
  const [userId, setUserId] = useState<string | null>();
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, session) => {
      setUserId(session?.user.id ?? null);
    });
    return () => data.subscription.unsubscribe();
  }, [supabase]);
  return userId;
}
