import { useRef, useState } from "preact/hooks";
import { hasEnded } from "../ui/errors";
import { useShop } from "./shop";

/** An action of the person. It runs once at a time, and its error is returned. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<void>) {
  const { souk } = useShop();
  const running = useRef(false);
  const [state, setState] = useState<{ busy: boolean; error?: Error }>({ busy: false });
  async function run(...args: Args): Promise<void> {
    if (running.current) return;
    running.current = true;
    setState({ busy: true });
    try {
      await act(...args);
      setState({ busy: false });
    } catch (error) {
      setState({ busy: false, error: error as Error });
      if (hasEnded(error)) void souk.supabase.auth.signOut({ scope: "local" });
    } finally {
      running.current = false;
    }
  }
  return { ...state, run };
}
