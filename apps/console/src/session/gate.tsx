import { ApiError } from "@souk/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { createAppRouter } from "../app/router";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { isConsoleRole } from "../lib/permissions";
import { shownTenant } from "../lib/shown-tenant";
import { useSouk } from "../lib/souk";
import { AcceptInvitation } from "./accept-invitation";
import type { Arrival } from "./arrival";
import { Entrance } from "./entrance";
import { NewPassword } from "./new-password";
import { NoAccess } from "./no-access";
import { usePictureHosts } from "./picture-hosts";
import { type Session, SessionProvider, useUserId } from "./session";

/** Shows the console to people who are signed in with one of its roles. */
export function Gate({ url, arrival }: { url: string; arrival: Arrival }) {
  const souk = useSouk();
  const queries = useQueryClient();
  const userId = useUserId();
  const [invitation, setInvitation] = useState(arrival.invitation);
  const [choosesPassword, setChoosesPassword] = useState(arrival.recovery === "chosen");
  const me = useQuery({
    queryKey: ["me", userId],
    queryFn: async ({ signal }) => {
      const me = await souk.auth.me({ signal });
      shownTenant.id = me.tenant.id;
      return me;
    },
    enabled: Boolean(userId),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const pictures = usePictureHosts(url, userId);

  // The data of one person must not be shown to the next.
  useEffect(() => {
    if (userId !== null) return;
    queries.clear();
    shownTenant.id = null;
    setChoosesPassword(false);
  }, [userId, queries]);

  if (userId === undefined) return <Loading />;
  if (userId === null) return <Entrance arrival={arrival} onJoin={() => setInvitation("")} />;
  if (choosesPassword) return <NewPassword onDone={() => setChoosesPassword(false)} />;
  if (me.error instanceof ApiError && me.error.status === 403) return <NoAccess />;
  if (me.error) return <ErrorNote error={me.error} onRetry={() => me.refetch()} />;
  if (pictures.error)
    return <ErrorNote error={pictures.error} onRetry={() => pictures.refetch()} />;
  if (!me.data || pictures.isPending) return <Loading />;
  const { role } = me.data;
  if (!isConsoleRole(role)) return <NoAccess />;
  return (
    <Inside
      key={`${me.data.tenant.id} ${role}`}
      session={{ ...me.data, role }}
      invitation={invitation}
      onInvited={() => setInvitation("")}
    />
  );
}

/** The pages. They are created again for another tenant or role. */
function Inside({
  session,
  invitation,
  onInvited,
}: {
  session: Session;
  invitation: string;
  onInvited(): void;
}) {
  const [router] = useState(createAppRouter);
  return (
    <SessionProvider session={session}>
      <RouterProvider router={router} />
      {invitation && <AcceptInvitation code={invitation} onClose={onInvited} />}
    </SessionProvider>
  );
}
