import type { Change, RealtimeTable } from "@souk/client";
import { useEffect, useEffectEvent } from "react";
import { useSession } from "../session/session";
import { useRefresh } from "./refresh";
import { useSouk } from "./souk";

/**
 * Reads the queries that begin with `key` anew whenever a row of the table changes, and tells of each change.
 * Where the connection was interrupted, they are read anew as well.
 */
export function useLive<Table extends RealtimeTable>(
  table: Table,
  key: readonly string[],
  onChange?: (change: Change<Table>) => void,
): void {
  const souk = useSouk();
  const { tenant } = useSession();
  const refresh = useRefresh(key);
  const tell = useEffectEvent((change: Change<Table>) => onChange?.(change));

  useEffect(() => {
    // Without the filter, deletes of every tenant would be heard.
    const filter = `tenant_id=eq.${tenant.id}` as const;
    const listening = souk.realtime.on(table, { filter, onReconnect: refresh }, (change) => {
      refresh();
      tell(change);
    });
    // A page without live changes still works.
    listening.catch(() => {});
    return () => {
      listening.then((subscription) => subscription.unsubscribe()).catch(() => {});
    };
  }, [souk, table, tenant.id, refresh]);
}
