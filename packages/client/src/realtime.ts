import type {
  RealtimePostgresChangesPayload,
  RealtimePostgresDeletePayload,
  RealtimePostgresInsertPayload,
  RealtimePostgresUpdatePayload,
  SupabaseClient,
} from "@supabase/supabase-js";
import type { Database } from "./database.js";
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

/** A row of the table; a response of the HTTP API may have more fields. */
export type Row<Table extends RealtimeTable> = Database["public"]["Tables"][Table]["Row"];

export type RealtimeEvent = "*" | "INSERT" | "UPDATE" | "DELETE";

/**
 * A change in the format of supabase-js: `eventType`, the row as `new`, the previous one as `old`.
 */
export type Change<Table extends RealtimeTable, Event extends RealtimeEvent = "*"> = {
  "*": RealtimePostgresChangesPayload<Row<Table>>;
  INSERT: RealtimePostgresInsertPayload<Row<Table>>;
  UPDATE: RealtimePostgresUpdatePayload<Row<Table>>;
  DELETE: RealtimePostgresDeletePayload<Row<Table>>;
}[Event];

export interface ListenOptions<Table extends RealtimeTable, Event extends RealtimeEvent>
  extends JoinOptions {
  /** The type of change; default: all. */
  event?: Event;
  /**
   * The rows: `status=eq.pending`; several conditions, separated by commas, must all be met. Every table has a
   * `tenant_id`, which is named so that code for any table can filter by it.
   */
  filter?: `${(keyof Row<Table> & string) | "tenant_id"}=${string}`;
}

export interface Realtime {
  /**
   * Listens to the changes of a table that the caller may see. Resolves when every change committed from then on is
   * received. Rejects if no user is signed in, and if the server refuses or does not answer.
   */
  on<Table extends RealtimeTable, Event extends RealtimeEvent = "*">(
    table: Table,
    options: ListenOptions<Table, Event>,
    callback: (change: Change<Table, Event>) => void,
  ): Promise<Subscription>;
  /**
   * Listens to the status changes of an order on its private channel, and to the users that are present. Resolves when
   * everything committed from then on is received. Rejects if no user is signed in, if the caller may not see the
   * order, and if the server does not answer.
   */
  order(id: string, options: OrderListener): Promise<OrderSubscription>;
}

export function realtimeOf(
  supabase: SupabaseClient<Database>,
  accessToken: () => Promise<string | null>,
): Realtime {
  let opened = 0;
  const enterOrder = orderChannelsOf(supabase, accessToken);

  // A channel that is joined without a token, or before it is set, receives nothing and reports no error.
  async function signIn() {
    if ((await accessToken()) === null)
      throw new Error("no user is signed in: realtime needs a session");
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
          // The overloads accept each event separately, not a variable one.
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
