import type { Change, RealtimeTable } from "@souk/client";
import { useEffect, useEffectEvent } from "react";
import { useSession } from "../session/session";
import { useRefresh } from "./refresh";
import { useSouk } from "./souk";

/**
 * Invalidates the queries that begin with `key` whenever a row of the table changes, and calls `onChange` for each
 * change. After an interruption of the connection they are invalidated too.
 */
export function useLive<Table extends RealtimeTable>(
  table: Table,
  key: readonly string[],
  onChange?: (change: Change<Table>) => void,
): void {
  const souk = useSouk();
  const { tenant } = useSession();
  const refresh = useRefresh(key);
  const report = useEffectEvent((change: Change<Table>) => onChange?.(change));

  useEffect(() => {
    // Without the filter, deletes of every tenant would arrive.
    const filter = `tenant_id=eq.${tenant.id}` as const;
    const listening = souk.realtime.on(table, { filter, onReconnect: refresh }, (change) => {
      refresh();
      report(change);
    });
    // A page without live changes still works.
    listening.catch(() => {});
    return () => {
      listening.then((subscription) => subscription.unsubscribe()).catch(() => {});
    };
  }, [souk, table, tenant.id, refresh]);
}
