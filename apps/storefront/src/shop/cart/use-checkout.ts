import { ApiError, type Checkout } from "@souk/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { hasEnded } from "../../ui/errors";
import { useStore } from "../../ui/store";
import { useShop } from "../shop";
import { type Details, orderCart, orderLines, quoteCart } from "./place";

/** What the cart costs with what is typed so far, asked for with each change; and how to order it at that total. */
export function useCheckout(typed: Details | null | undefined) {
  const shop = useShop();
  const { items, replaces, checkout } = useStore(shop.cart);
  const isOrdering = useRef(false);
  const [times, setTimes] = useState(0);
  const [last, setLast] = useState<{ key?: string; quote?: Checkout; error?: Error }>({});
  const details = typed ?? checkout?.sent;
  const asked = [details, shop.user.id, items.flatMap(orderLines), replaces?.id, times];
  const key = typed !== undefined && items.length > 0 ? JSON.stringify(asked) : undefined;

  useEffect(() => {
    // An order asks, too, and again after an error.
    if (typed === undefined || !key || isOrdering.current) return;
    const ending = new AbortController();
    quoteCart(shop, typed, ending.signal).then(
      (quote) => !ending.signal.aborted && setLast({ key, quote }),
      (error: Error) => {
        if (ending.signal.aborted) return;
        // What was typed is still there, for a visitor.
        if (hasEnded(error)) void shop.souk.supabase.auth.signOut({ scope: "local" });
        setLast(({ quote }) => ({ key, quote, error }));
      },
    );
    return () => ending.abort();
  }, [key]);

  const again = () => setTimes((before) => before + 1);

  async function order(ordered: Details): Promise<string | undefined> {
    isOrdering.current = true;
    try {
      return await orderCart(shop, ordered, last.quote);
    } catch (error) {
      if (error instanceof ApiError && error.quote) {
        setLast({ quote: { ...last.quote, ...error.quote } as Checkout });
      }
      // Asks again, also for what was typed meanwhile.
      again();
      throw error;
    } finally {
      isOrdering.current = false;
    }
  }

  const isPending = !key || last.key !== key;
  return { quote: last.quote, error: last.error, isPending, again, order };
}
