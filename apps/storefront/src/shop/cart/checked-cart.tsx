import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { wordsFor } from "../../ui/errors";
import { showNotice } from "../../ui/notice";
import { useStore } from "../../ui/store";
import { t } from "../../ui/texts";
import { ToAllProducts } from "../messages";
import { Page } from "../page";
import { useShop } from "../shop";
import { checkCart } from "./check";

/** The cart, checked when the page opens, and the remarks about its changes. */
export function useCheckedCart() {
  const { souk, cart, user } = useShop();
  const [remarks, setRemarks] = useState<string[]>([]);
  const [isChecked, setChecked] = useState(false);

  const remark = (found: string[]) => setRemarks((before) => [...new Set([...before, ...found])]);

  async function check(signal?: AbortSignal) {
    const found = await checkCart(souk, cart, signal);
    if (signal?.aborted) return;
    remark(found);
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

  return { cart: useStore(cart), remarks, remark, isChecked, check };
}

interface Props {
  title: string;
  /** What was changed in the cart, and why. */
  remarks: readonly string[];
  children: ComponentChildren;
}

/** A page about the cart. It shows its content unless the cart is empty. */
export function CartFrame({ title, remarks, children }: Props) {
  const { items } = useStore(useShop().cart);
  return (
    <Page title={title}>
      <div role="status">
        {remarks.length > 0 && (
          <ul class="remarks">
            {remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        )}
      </div>
      {items.length > 0 ? (
        children
      ) : (
        <>
          <p>{t("cart.empty")}</p>
          <ToAllProducts />
        </>
      )}
    </Page>
  );
}
