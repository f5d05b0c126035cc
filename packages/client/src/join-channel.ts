import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";

export interface JoinOptions {
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

/**
 * Joins a channel, resolving when the server says by a system message of that extension that what
 * happens is heard. Rejects, and leaves nothing open, when it refuses or does not answer.
 */
export async function joinChannel(
  // biome-ignore lint/suspicious/noExplicitAny: of whatever database.
  supabase: SupabaseClient<any>,
  channel: RealtimeChannel,
  readyExtension: "postgres_changes" | "system",
  { timeoutMs = 15_000, onError, onReconnect, onClose }: JoinOptions,
): Promise<Subscription> {
  const leave = async () => {
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
      // SUBSCRIBED comes before the server follows what is committed; this message comes after.
      .on("system", {}, ({ extension, status, message }) => {
        if (extension !== readyExtension) return;
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
    await leave();
    throw error;
  }
  return {
    async unsubscribe() {
      state = "over";
      await leave();
    },
  };
}
