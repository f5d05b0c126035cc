import { useCallback, useEffect, useState } from "preact/hooks";
import { hasEnded } from "./errors";
import { useShop } from "./shop";

export interface Answer<Value> {
  /** The last answer, also while a new one is awaited; undefined before the first. */
  value: Value | undefined;
  error: Error | undefined;
  /** Asks anew. */
  again(): void;
}

/** Asks the API, and again when one of `on` changes. A question that nobody waits for any more is cancelled. */
export function useAnswer<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  on: readonly unknown[],
): Answer<Value> {
  const { souk, user } = useShop();
  const [state, setState] = useState<{ value?: Value; error?: Error }>({});
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    ask(ending.signal).then(
      (value) => !ending.signal.aborted && setState({ value }),
      (error: Error) => {
        if (ending.signal.aborted) return;
        // The shop goes on with a guest, who asks again: see the session of the app.
        if (hasEnded(error)) void souk.supabase.auth.signOut({ scope: "local" });
        else setState({ error });
      },
    );
    return () => ending.abort();
  }, [...on, user.id, times]);
  const again = useCallback(() => setTimes((last) => last + 1), []);
  return { value: state.value, error: state.error, again };
}
