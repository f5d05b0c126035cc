import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.js";
import { type Joining, type JoinOptions, joinChannel, type Subscription } from "./join-channel.js";

type Order = Database["public"]["Tables"]["orders"]["Row"];

/** The current and previous status of an order. A status that did not change has equal values. */
export interface OrderMove extends Pick<Order, "id" | "number" | "status" | "payment_status"> {
  old_status: Order["status"];
  old_payment_status: Order["payment_status"];
  updated_at: string;
}

/** The events about an order's pieces. */
const PIECES = [
  "shipment.created",
  "shipment.delivered",
  "shipment.lost",
  "shipment.void",
  "order.items_cancelled",
  "return.requested",
  "return.approved",
  "return.rejected",
  "return.received",
  "return.cancelled",
] as const;

export type OrderPiecesEvent = (typeof PIECES)[number];

/** Data that a user shows about themselves. It is not verified and proves nothing. */
export type Presence = Record<string, unknown>;

export interface OrderListener extends JoinOptions {
  /** Called when the status changes. */
  onStatus?(move: OrderMove): void;
  /** Called when the payment status changes. */
  onPayment?(move: OrderMove): void;
  /** Called when pieces were shipped, cancelled or returned. The message has no details: read the order. */
  onPieces?(event: OrderPiecesEvent): void;
  /** Called when the users that are present change: one entry for each that tracks. */
  onPresence?(present: Presence[]): void;
}

export interface OrderSubscription extends Subscription {
  /**
   * Shows the caller's presence to others, and replaces what was shown before. Listening alone
   * shows nothing.
   */
  track(presence: Presence): Promise<void>;
}

/** Presences in the server's format, each with a unique reference. */
type Presences = Record<string, { metas: { phx_ref: string; phx_ref_prev?: string }[] }>;

function entriesOf(presences: Presences = {}): [ref: string, Presence][] {
  return Object.values(presences).flatMap(({ metas }) =>
    metas.map(({ phx_ref, phx_ref_prev, ...presence }): [string, Presence] => [phx_ref, presence]),
  );
}

/** An open channel, shared by all its listeners of this client. */
interface OrderChannel {
  listeners: Set<{ listener: OrderListener }>;
  joined: Promise<Subscription>;
  present(): Presence[];
  track(presence: Presence): Promise<void>;
  /** Set while the channel is being left. */
  left?: Promise<void>;
}

/** Opens the channels of orders. Several listeners to one order share its channel. */
export function orderChannelsOf(
  supabase: SupabaseClient<Database>,
  accessToken: Joining["accessToken"],
) {
  const channels = new Map<string, OrderChannel>();

  function openChannel(id: string, timeoutMs: number | undefined): OrderChannel {
    const listeners: OrderChannel["listeners"] = new Set();
    const notify = (word: (listener: OrderListener) => void) => {
      for (const { listener } of [...listeners]) word(listener);
    };
    let channel: RealtimeChannel;
    // The server's presence messages are applied here, because the channel's own presenceState()
    // keeps members who left after they had changed their presence.
    const there = new Map<string, Presence>();
    const present = () => [...there.values()];
    let shown: Presence | undefined;
    async function track(presence: Presence) {
      shown = presence;
      const answer = await channel.track(presence);
      if (answer !== "ok") throw new Error(`realtime does not show your presence: ${answer}`);
    }

    function open(): RealtimeChannel {
      channel = supabase.channel(`order:${id}`, {
        config: {
          private: true,
          broadcast: { replication_ready: true },
          presence: { enabled: true },
        },
      });
      for (const event of PIECES) {
        channel.on("broadcast", { event }, () => notify((listener) => listener.onPieces?.(event)));
      }
      return channel
        .on("broadcast", { event: "order.status_changed" }, ({ payload }) =>
          notify((listener) => listener.onStatus?.(payload as OrderMove)),
        )
        .on("broadcast", { event: "order.payment_status_changed" }, ({ payload }) =>
          notify((listener) => listener.onPayment?.(payload as OrderMove)),
        )
        .on("presence_state" as "system", {}, (state: Presences) => {
          there.clear();
          for (const [ref, presence] of entriesOf(state)) there.set(ref, presence);
          notify((listener) => listener.onPresence?.(present()));
        })
        .on("presence_diff" as "system", {}, ({ joins, leaves }: Record<string, Presences>) => {
          for (const [ref] of entriesOf(leaves)) there.delete(ref);
          for (const [ref, presence] of entriesOf(joins)) there.set(ref, presence);
          notify((listener) => listener.onPresence?.(present()));
        });
    }

    const notifyError = (error: Error) => notify((listener) => listener.onError?.(error));
    const joined = joinChannel(
      supabase,
      { open, readyExtension: "system", accessToken },
      {
        timeoutMs,
        onError: notifyError,
        onReconnect() {
          // The server has forgotten the presence after an interruption.
          if (shown) track(shown).catch(notifyError);
          notify((listener) => listener.onReconnect?.());
        },
        onClose() {
          channels.delete(id);
          notify((listener) => listener.onClose?.());
        },
      },
    );
    joined.catch(() => channels.delete(id));
    return { listeners, joined, present, track };
  }

  return async function enter(id: string, listener: OrderListener): Promise<OrderSubscription> {
    // The name of a channel that is being left cannot be used until the server has closed it.
    while (channels.get(id)?.left) await channels.get(id)?.left;
    const known = channels.get(id);
    const channel = known ?? openChannel(id, listener.timeoutMs);
    channels.set(id, channel);
    const own = { listener };
    channel.listeners.add(own);
    const subscription = await channel.joined;
    if (known) listener.onPresence?.(channel.present());
    return {
      track: channel.track,
      async unsubscribe() {
        channel.listeners.delete(own);
        if (channel.listeners.size > 0 || channels.get(id) !== channel) return;
        channel.left ??= subscription.unsubscribe().finally(() => channels.delete(id));
        await channel.left;
      },
    };
  };
}
