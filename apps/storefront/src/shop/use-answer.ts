import { useCallback, useEffect, useState } from "preact/hooks";
import { hasEnded } from "../ui/errors";
import { useShop } from "./shop";

export interface Answer<Value> {
  /** The last answer, also while a new one is pending; undefined before the first. */
  value: Value | undefined;
  error: Error | undefined;
  /** Repeats the request. */
  again(): void;
}

/** Calls the API, and again when one of `on` changes. An outdated request is aborted. */
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
        // The session ends, and useSession continues as a guest, whose session repeats the request.
        if (hasEnded(error)) void souk.supabase.auth.signOut({ scope: "local" });
        else setState({ error });
      },
    );
    return () => ending.abort();
  }, [...on, user.id, times]);
  const again = useCallback(() => setTimes((last) => last + 1), []);
  return { value: state.value, error: state.error, again };
}
