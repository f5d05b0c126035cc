import type {
  RealtimePostgresChangesPayload,
  RealtimePostgresDeletePayload,
  RealtimePostgresInsertPayload,
  RealtimePostgresUpdatePayload,
  SupabaseClient,
} from "@supabase/supabase-js";
import type { Database } from "./database.generated.js";
import { type JoinOptions, joinChannel, type Subscription } from "./join-channel.js";
import { type OrderListener, type OrderSubscription, orderChannelsOf } from "./order-channels.js";

/** The tables whose changes are published. */
export type RealtimeTable = Extract<
  keyof Database["public"]["Tables"],
  | "marketplaces"
  | "products"
  | "inventory"
  | "orders"
  | "shipments"
  | "webhook_deliveries"
  | "campaigns"
  | "exports"
  | "content"
  | "published_content"
>;

/** A row as its table has it; what the HTTP API answers may have more. */
export type Row<Table extends RealtimeTable> = Database["public"]["Tables"][Table]["Row"];

export type RealtimeEvent = "*" | "INSERT" | "UPDATE" | "DELETE";

/** A change as supabase-js tells it: `eventType`, the row as `new`, what it was as `old`. */
export type Change<Table extends RealtimeTable, Event extends RealtimeEvent = "*"> = {
  "*": RealtimePostgresChangesPayload<Row<Table>>;
  INSERT: RealtimePostgresInsertPayload<Row<Table>>;
  UPDATE: RealtimePostgresUpdatePayload<Row<Table>>;
  DELETE: RealtimePostgresDeletePayload<Row<Table>>;
}[Event];

export interface ListenOptions<Table extends RealtimeTable, Event extends RealtimeEvent>
  extends JoinOptions {
  /** Which changes; all of them unless said. */
  event?: Event;
  /** Which rows: `status=eq.pending`; several conditions, all of which have to hold, by commas. */
  filter?: `${keyof Row<Table> & string}=${string}`;
}

export interface Realtime {
  /**
   * Hears the changes of a table that the caller may see. Resolves when changes really are heard:
   * whatever is committed from then on arrives. Rejects when nobody is signed in, and when the
   * server refuses or does not answer.
   */
  on<Table extends RealtimeTable, Event extends RealtimeEvent = "*">(
    table: Table,
    options: ListenOptions<Table, Event>,
    callback: (change: Change<Table, Event>) => void,
  ): Promise<Subscription>;
  /**
   * Hears an order's moves on its private channel, and who else is there. Resolves when they really are
   * heard: whatever is committed from then on arrives. Rejects when nobody is signed in, when the caller
   * does not see the order, and when the server does not answer.
   */
  order(id: string, options: OrderListener): Promise<OrderSubscription>;
}

export function realtimeOf(
  supabase: SupabaseClient<Database>,
  accessToken: () => Promise<string | null>,
): Realtime {
  let opened = 0;
  const enterOrder = orderChannelsOf(supabase, accessToken);

  // Who joins as nobody hears nothing, and is told of no error; so does whoever joins too early.
  async function signIn() {
    if ((await accessToken()) === null) throw new Error("nobody is signed in to hear anything");
    await supabase.realtime.setAuth();
  }

  return {
    async on(table, { event = "*", filter, ...options }, callback) {
      await signIn();
      opened += 1;
      const name = `souk:${table}:${opened}`;
      const open = () =>
        supabase.channel(name).on(
          "postgres_changes",
          // The overloads know each event by itself, not one that is still to be said.
          { event: event as "*", schema: "public", table, filter },
          (change) => callback(change as Parameters<typeof callback>[0]),
        );
      const joining = { open, readyExtension: "postgres_changes", accessToken } as const;
      return joinChannel(supabase, joining, options);
    },
    async order(id, options) {
      await signIn();
      return enterOrder(id, options);
    },
  };
}
