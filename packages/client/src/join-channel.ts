import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";

export interface JoinOptions {
  /** Milliseconds until it gives up joining. Default 15,000. */
  timeoutMs?: number;
  /** Told when a subscription that stood was interrupted; it is taken up again by itself. */
  onError?(error: Error): void;
  /** Told when it stands again. What changed in between was not heard: read it anew. */
  onReconnect?(): void;
  /** Told when it has ended for good: the session is over, or the server no longer permits it. */
  onClose?(): void;
}

export interface Subscription {
  /** Ends it; nothing is heard any more. */
  unsubscribe(): Promise<void>;
}

/** How a channel is joined, and joined again. */
export interface Joining {
  /** Makes the channel with its listeners. Called again when the server has closed the one before. */
  open(): RealtimeChannel;
  /** The system message of this extension says that what happens is heard. */
  readyExtension: "postgres_changes" | "system";
  /** The token of the moment, refreshed if it has expired; null when nobody is signed in. Rejects when offline. */
  accessToken(): Promise<string | null>;
}

/**
 * How often an interrupted channel asks for a new token and for a new connection. realtime-js alone waits up to 10 s
 * before it connects again, and joins with the token that it has, expired or not.
 */
const REVIVE_MS = 4000;

/**
 * Joins a channel, resolving when the server says by a system message of that extension that what
 * happens is heard. Rejects, and leaves nothing open, when it refuses or does not answer.
 */
export async function joinChannel(
  // biome-ignore lint/suspicious/noExplicitAny: of whatever database.
  supabase: SupabaseClient<any>,
  { open, readyExtension, accessToken }: Joining,
  { timeoutMs = 15_000, onError, onReconnect, onClose }: JoinOptions,
): Promise<Subscription> {
  const { realtime } = supabase;
  let channel: RealtimeChannel;
  let state: "joining" | "ready" | "interrupted" | "over" = "joining";
  let reviving: ReturnType<typeof setInterval> | undefined;
  /** The token of the channel that the server closed. */
  let closedToken: string | null | undefined;

  const leave = async () => {
    await supabase.removeChannel(channel);
  };
  function finish() {
    state = "over";
    clearInterval(reviving);
  }

  const joined = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => failed(new Error(`realtime did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    function ready() {
      if (state === "over") return;
      clearInterval(reviving);
      if (state === "interrupted") onReconnect?.();
      state = "ready";
      clearTimeout(timer);
      resolve();
    }
    function failed(error: Error) {
      if (state === "joining") {
        finish();
        clearTimeout(timer);
        reject(error);
      } else if (state === "ready") {
        state = "interrupted";
        reviving = setInterval(revive, REVIVE_MS);
        onError?.(error);
      }
    }
    function closed() {
      const error = new Error("realtime closed the subscription");
      if (state === "over") return;
      failed(error);
      if (state !== "interrupted") return;
      closedToken = realtime.accessTokenValue;
      void revive();
    }

    /** Renews the token, and what failed by the old one. */
    async function revive() {
      if (!realtime.isConnected() && !realtime.isConnecting()) tryIn(realtime.reconnectTimer);
      const before = realtime.accessTokenValue;
      let token: string | null;
      try {
        token = await accessToken();
      } catch {
        return; // Offline: the next one may succeed.
      }
      if (state !== "interrupted") return;
      if (closedToken !== undefined && (token === null || token === closedToken)) {
        finish();
        onClose?.();
        return;
      }
      await realtime.setAuth();
      if (state !== "interrupted") return;
      if (closedToken !== undefined) enter();
      else if (token !== before && realtime.isConnected() && channel.state === "errored") {
        tryIn(channel.rejoinTimer);
      }
    }

    function enter() {
      closedToken = undefined;
      channel = open();
      const entered = channel;
      channel
        // SUBSCRIBED comes before the server follows what is committed; this message comes after.
        .on("system", {}, ({ extension, status, message }) => {
          if (extension === readyExtension && status === "ok") ready();
          else if (extension === readyExtension) failed(new Error(`realtime refused: ${message}`));
        })
        .subscribe((status, error) => {
          if (status === "CHANNEL_ERROR") failed(error ?? new Error("realtime failed"));
          if (status === "TIMED_OUT") failed(new Error("realtime did not answer in time"));
          if (status === "CLOSED" && channel === entered) closed();
        });
    }
    enter();
  });

  try {
    await joined;
  } catch (error) {
    await leave();
    throw error;
  }
  return {
    async unsubscribe() {
      finish();
      await leave();
    },
  };
}

/** Has a timer of realtime-js begin its series of waits again, which is a second at first. */
function tryIn(timer: RealtimeChannel["rejoinTimer"]): void {
  timer.reset();
  timer.scheduleTimeout();
}
