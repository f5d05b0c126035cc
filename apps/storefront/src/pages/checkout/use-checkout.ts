import { ApiError, type Checkout } from "@souk/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useShop } from "../../shop/shop";
import { hasEnded } from "../../ui/errors";
import { useStore } from "../../ui/store";
import { type Details, orderCart, orderLines, quoteCart } from "./place";

/** What the cart costs with what is typed so far, asked for with each change; and how to order it at that total. */
export function useCheckout(details: Details | undefined) {
  const shop = useShop();
  const { items, replaces } = useStore(shop.cart);
  const isOrdering = useRef(false);
  const [times, setTimes] = useState(0);
  const [last, setLast] = useState<{ key?: string; quote?: Checkout; error?: Error }>({});
  const asked = [details, items.flatMap(orderLines), replaces?.id, times];
  const key = details && items.length > 0 ? JSON.stringify(asked) : undefined;

  useEffect(() => {
    // An order asks, too. A request beside it could arrive after it.
    if (!details || !key || isOrdering.current) return;
    const ending = new AbortController();
    quoteCart(shop, details, ending.signal).then(
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

  async function order(typed: Details): Promise<string | undefined> {
    isOrdering.current = true;
    try {
      return await orderCart(shop, typed, last.quote);
    } catch (error) {
      if (error instanceof ApiError && error.quote) {
        setLast({ quote: { ...last.quote, ...error.quote } as Checkout });
      }
      // Asks again, also for what was typed meanwhile.
      setTimes((before) => before + 1);
      throw error;
    } finally {
      isOrdering.current = false;
    }
  }

  const isPending = !key || last.key !== key;
  return { quote: last.quote, error: last.error, isPending, order };
}
