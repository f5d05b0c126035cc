import { ApiError } from "@souk/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { createAppRouter } from "../app/router";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { isConsoleRole } from "../lib/permissions";
import { useSouk } from "../lib/souk";
import { Entrance } from "./entrance";
import { NoAccess } from "./no-access";
import { type Session, SessionProvider, useUserId } from "./session";

/** Lets in who is signed in, in a role that uses the console. */
export function Gate() {
  const souk = useSouk();
  const queries = useQueryClient();
  const userId = useUserId();
  const me = useQuery({
    queryKey: ["me", userId],
    queryFn: ({ signal }) => souk.auth.me({ signal }),
    enabled: Boolean(userId),
    staleTime: Number.POSITIVE_INFINITY,
  });

  // What one person read must not be shown to the next.
  useEffect(() => {
    if (userId === null) queries.clear();
  }, [userId, queries]);

  if (userId === undefined) return <Loading />;
  if (userId === null) return <Entrance />;
  if (me.error instanceof ApiError && me.error.status === 403) return <NoAccess />;
  if (me.error) return <ErrorNote error={me.error} onRetry={() => me.refetch()} />;
  if (!me.data) return <Loading />;
  const { role } = me.data;
  if (!isConsoleRole(role)) return <NoAccess />;
  return <Inside key={`${me.data.tenant.id} ${role}`} session={{ ...me.data, role }} />;
}

/** The pages. They begin anew in another tenant or role. */
function Inside({ session }: { session: Session }) {
  const [router] = useState(createAppRouter);
  return (
    <SessionProvider session={session}>
      <RouterProvider router={router} />
    </SessionProvider>
  );
}
