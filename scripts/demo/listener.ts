import { createClient } from "@supabase/supabase-js";
import ws from "ws";
import { type Answer, DemoStopped, type Project } from "./project.js";

/** A change of a row, in Realtime's format. */
export interface Change {
  eventType: "INSERT" | "UPDATE" | "DELETE";
  new: Answer;
}

export interface Listener {
  /** Resolves with the next change. */
  next(): Promise<Change>;
}

/**
 * Listens to a tenant's orders with supabase-js, as a dashboard would; resolves when changes are
 * received.
 */
export async function listenToOrders(
  project: Project,
  token: string,
  tenantId: string,
): Promise<Listener> {
  const supabase = createClient(project.url, project.publishableKey, {
    accessToken: async () => token,
    // Node 20 has no WebSocket of its own.
    realtime: { transport: ws as never },
  });
  const arrived: Change[] = [];
  const waiting: ((change: Change) => void)[] = [];
  // A channel that joins before this has no user.
  await supabase.realtime.setAuth();
  await new Promise<void>((resolve, reject) => {
    supabase
      .channel("orders of the tenant")
      .on(
        "postgres_changes",
        { event: "*", schema: "public", table: "orders", filter: `tenant_id=eq.${tenantId}` },
        (change) => {
          const hear = waiting.shift();
          if (hear) hear(change as Change);
          else arrived.push(change as Change);
        },
      )
      // The channel is joined before changes are captured; this message says that they are.
      .on("system", {}, ({ extension, status, message }) => {
        if (extension !== "postgres_changes") return;
        if (status === "ok") resolve();
        else reject(new DemoStopped(`Realtime refused the subscription to orders: ${message}`));
      })
      .subscribe((status, error) => {
        if (error) reject(new DemoStopped(`Realtime answered ${status}: ${error.message}`));
      });
  });
  return {
    next: () =>
      new Promise((resolve) => {
        const change = arrived.shift();
        if (change) resolve(change);
        else waiting.push(resolve);
      }),
  };
}
