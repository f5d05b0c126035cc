import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";

export interface JoinOptions {
  /** Milliseconds until joining fails. Default 15,000. */
  timeoutMs?: number;
  /** Called when a subscription was interrupted. It resumes automatically. */
  onError?(error: Error): void;
  /** Called when it has resumed. Changes in between were not received: read the data again. */
  onReconnect?(): void;
  /**
   * Called when it has ended permanently: the session is over, or the server no longer allows it.
   */
  onClose?(): void;
}

export interface Subscription {
  /** Ends the subscription. No callback is called afterwards. */
  unsubscribe(): Promise<void>;
}

/** The channel to join, and how to open it again. */
export interface Joining {
  /**
   * Creates the channel with its listeners. Called again when the server has closed the previous
   * one.
   */
  open(): RealtimeChannel;
  /** The extension of the system message that confirms the subscription. */
  readyExtension: "postgres_changes" | "system";
  /**
   * The current token, refreshed if it has expired; null when nobody is signed in. Rejects when
   * offline.
   */
  accessToken(): Promise<string | null>;
}

/**
 * Interval in ms in which an interrupted channel gets a new token and connects again. realtime-js
 * alone waits up to 10 s before it connects, and joins with its old token, even if that has
 * expired.
 */
const REVIVE_MS = 4000;

/**
 * Joins a channel, and resolves when a system message of the extension confirms the subscription.
 * Rejects, and closes the channel, if the server refuses or does not answer.
 */
export async function joinChannel(
  // biome-ignore lint/suspicious/noExplicitAny: typed with any database.
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

    /** Renews the token, and retries what failed with the old one. */
    async function revive() {
      if (!realtime.isConnected() && !realtime.isConnecting()) tryIn(realtime.reconnectTimer);
      const before = realtime.accessTokenValue;
      let token: string | null;
      try {
        token = await accessToken();
      } catch {
        return; // Offline: the next attempt may succeed.
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
        // SUBSCRIBED arrives before the server follows committed changes; this message arrives
        // afterwards.
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

/** Restarts the series of waits of a realtime-js timer, which begins with a second. */
function tryIn(timer: RealtimeChannel["rejoinTimer"]): void {
  timer.reset();
  timer.scheduleTimeout();
}
