import type { RealtimePostgresChangesPayload, SupabaseClient } from "@supabase/supabase-js";
import { onTestFinished } from "vitest";
import { type Person, supabaseAs } from "../souk.js";

// Subscriptions to changes of tables, for several test files.

export type Change = RealtimePostgresChangesPayload<{ id: string; status: string; name: string }>;

/** Subscribes a person to a tenant's rows of a table. Resolves when changes are really sent. */
export async function listenToTable(
  as: Person | undefined,
  table: string,
  tenantId: string,
): Promise<Change[]> {
  const client = supabaseAs(as);
  onTestFinished(() => leave(client));
  // A client that joins before the token is set joins without a user.
  await client.realtime.setAuth();
  const heard: Change[] = [];
  await new Promise<void>((ready, failed) => {
    client
      .channel(`${table}-${tenantId}`)
      .on(
        "postgres_changes",
        { event: "*", schema: "public", table, filter: `tenant_id=eq.${tenantId}` },
        (change) => heard.push(change as Change),
      )
      // SUBSCRIBED arrives earlier, before changes are sent.
      .on("system", {}, ({ status, message }) =>
        status === "ok" ? ready() : failed(new Error(message)),
      )
      .subscribe((status, error) => {
        if (status === "CHANNEL_ERROR" || status === "TIMED_OUT")
          failed(error ?? new Error(status));
      });
  });
  return heard;
}

async function leave(client: SupabaseClient): Promise<void> {
  await client.removeAllChannels();
  await client.realtime.disconnect();
}
