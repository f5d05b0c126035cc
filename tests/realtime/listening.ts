import type { RealtimePostgresChangesPayload, SupabaseClient } from "@supabase/supabase-js";
import { onTestFinished } from "vitest";
import { type Person, supabaseAs } from "../souk.js";

// Ears for the changes of tables, as several tests need them.

export type Change = RealtimePostgresChangesPayload<{ id: string; status: string; name: string }>;

/** Subscribes somebody to a tenant's rows of a table; resolves when changes are really followed. */
export async function hear(
  as: Person | undefined,
  table: string,
  tenantId: string,
): Promise<Change[]> {
  const client = supabaseAs(as);
  onTestFinished(() => leave(client));
  // Who joins before the token is set joins as nobody.
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
      // SUBSCRIBED comes earlier, and does not mean that anything is heard yet.
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
