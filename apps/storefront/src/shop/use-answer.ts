import { useCallback, useEffect, useState } from "preact/hooks";
import { hasEnded } from "../ui/errors";
import type { KnownAnswer } from "./answers";
import { useShop } from "./shop";

export interface Answer<Value> {
  /** The last answer, also while a new one is pending; undefined before the first. */
  value: Value | undefined;
  error: Error | undefined;
  /** Repeats the request. */
  again(): void;
}

/**
 * Calls the API, and again when one of `on` changes. An outdated request is aborted. `name` and `on` tell the server's
 * answers apart, so each of `on` is a text, a number or undefined.
 */
export function useAnswer<Value>(
  name: string,
  ask: (signal: AbortSignal) => Promise<Value>,
  on: readonly unknown[],
): Answer<Value> {
  const { souk, user, answers } = useShop();
  const key = JSON.stringify([name, ...on]);
  const [state, setState] = useState<KnownAnswer>(() =>
    answers.find(key, () => ask(new AbortController().signal)),
  );
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (answers.use(key)) return;
    const ending = new AbortController();
    ask(ending.signal).then(
      (value) => !ending.signal.aborted && setState({ value }),
      (error: Error) => {
        if (ending.signal.aborted) return;
        // The session ends, and useSession continues without one, which repeats the request.
        if (hasEnded(error)) void souk.supabase.auth.signOut({ scope: "local" });
        else setState({ error });
      },
    );
    return () => ending.abort();
  }, [...on, user.id, times]);
  const again = useCallback(() => setTimes((last) => last + 1), []);
  return { value: state.value as Value | undefined, error: state.error, again };
}
