import { useEffect, useState } from "preact/hooks";
import { wordsFor } from "../../ui/errors";
import { showNotice } from "../../ui/notice";
import { useStore } from "../../ui/store";
import { useShop } from "../shop";
import { checkCart } from "./check";

/** The cart, checked when the page opens, and the remarks about its changes. */
export function useCheckedCart() {
  const { souk, cart, user } = useShop();
  const [remarks, setRemarks] = useState<string[]>([]);
  const [isChecked, setChecked] = useState(false);

  async function check(signal?: AbortSignal) {
    const found = await checkCart(souk, cart, signal);
    if (signal?.aborted) return;
    setRemarks((before) => [...new Set([...before, ...found])]);
    setChecked(true);
  }

  useEffect(() => {
    const ending = new AbortController();
    check(ending.signal).catch((error) => {
      // The cart is kept and shown unchanged.
      if (!ending.signal.aborted) showNotice(wordsFor(error));
    });
    return () => ending.abort();
    // A visitor who becomes a guest is the same person. An account may be shown other products.
  }, [user.email]);

  return { cart: useStore(cart), remarks, isChecked, check };
}

/** What was changed in the cart, and why. */
export function Remarks({ remarks }: { remarks: readonly string[] }) {
  return (
    <div role="status">
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
