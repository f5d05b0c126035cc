import type {
  RealtimePostgresChangesPayload,
  RealtimePostgresDeletePayload,
  RealtimePostgresInsertPayload,
  RealtimePostgresUpdatePayload,
  SupabaseClient,
} from "@supabase/supabase-js";
import type { Database } from "./database.generated.js";

/** The tables whose changes are published. */
export type RealtimeTable = Extract<
  keyof Database["public"]["Tables"],
  "marketplaces" | "products" | "inventory" | "orders" | "webhook_deliveries"
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

export interface ListenOptions<Table extends RealtimeTable, Event extends RealtimeEvent> {
  /** Which changes; all of them unless said. */
  event?: Event;
  /** Which rows: `status=eq.pending`; several conditions, all of which have to hold, by commas. */
  filter?: `${keyof Row<Table> & string}=${string}`;
  /** Milliseconds until it gives up joining. Default 15,000. */
  timeoutMs?: number;
  /** Told when a subscription that stood was interrupted; it is taken up again by itself. */
  onError?(error: Error): void;
  /** Told when it stands again. What changed in between was not heard: read it anew. */
  onReconnect?(): void;
  /** Told when the server ended it for good, as it does when the token has expired. */
  onClose?(): void;
}

export interface Subscription {
  /** Ends it; nothing is heard any more. */
  unsubscribe(): Promise<void>;
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
}

export function realtimeOf(
  supabase: SupabaseClient<Database>,
  accessToken: () => Promise<string | null>,
): Realtime {
  let opened = 0;

  return {
    async on(table, options, callback) {
      const { event = "*", filter, timeoutMs = 15_000, onError, onReconnect, onClose } = options;
      // Who joins as nobody hears nothing, and is told of no error; so does whoever joins too early.
      if ((await accessToken()) === null) throw new Error("nobody is signed in to hear anything");
      await supabase.realtime.setAuth();
      opened += 1;
      const channel = supabase.channel(`souk:${table}:${opened}`);
      const unsubscribe = async () => {
        await supabase.removeChannel(channel);
      };

      let state: "joining" | "ready" | "interrupted" | "over" = "joining";
      const joined = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => failed(new Error(`realtime did not answer within ${timeoutMs} ms`)),
          timeoutMs,
        );
        function ready() {
          if (state === "interrupted") onReconnect?.();
          if (state === "over") return;
          state = "ready";
          clearTimeout(timer);
          resolve();
        }
        function failed(error: Error) {
          if (state === "joining") {
            state = "over";
            clearTimeout(timer);
            reject(error);
          } else if (state === "ready") {
            state = "interrupted";
            onError?.(error);
          }
        }
        function closed() {
          if (state === "joining") failed(new Error("realtime closed the subscription"));
          if (state === "over") return;
          state = "over";
          onClose?.();
        }
        channel
          .on(
            "postgres_changes",
            // The overloads know each event by itself, not one that is still to be said.
            { event: event as "*", schema: "public", table, filter },
            (change) => callback(change as Parameters<typeof callback>[0]),
          )
          // SUBSCRIBED comes before the server follows the changes; this message comes after.
          .on("system", {}, ({ extension, status, message }) => {
            if (extension !== "postgres_changes") return;
            if (status === "ok") ready();
            else failed(new Error(`realtime refused: ${message}`));
          })
          .subscribe((status, error) => {
            if (status === "CHANNEL_ERROR") failed(error ?? new Error("realtime failed"));
            if (status === "TIMED_OUT") failed(new Error("realtime did not answer in time"));
            if (status === "CLOSED") closed();
          });
      });

      try {
        await joined;
      } catch (error) {
        await unsubscribe();
        throw error;
      }
      return {
        async unsubscribe() {
          state = "over";
          await unsubscribe();
        },
      };
    },
  };
}
