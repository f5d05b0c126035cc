import type { Product } from "@souk/client";
import { useState } from "preact/hooks";
import { ActionForm } from "../../shop/action";
import { itemOf, typedQuantity } from "../../shop/cart/cart";
import { checkItems, piecesLeft } from "../../shop/cart/check";
import { ComparedPrice } from "../../shop/compared-price";
import { SoldBy } from "../../shop/seller";
import { useShop } from "../../shop/shop";
import { showNotice } from "../../ui/notice";
import { money, t } from "../../ui/texts";
import { Safety } from "./safety";
import { SlotChoice, useSlots } from "./slots";

/**
 * Chooses a variant, a slot and a quantity, and adds them to the cart as available at that moment. `onGone` is called if they
 * are not available.
 */
export function Purchase({ product, onGone }: { product: Product; onGone(): void }) {
  const { souk, cart } = useShop();
  const [variantId, setVariantId] = useState(product.variants[0]?.id);
  const [slot, setSlot] = useState<string>();
  const [quantity, setQuantity] = useState(1);
  const variant = product.variants.find(({ id }) => id === variantId);
  const left = piecesLeft(product, variant);
  const isService = product.kind === "service";
  const slots = useSlots(product);

  async function add() {
    const [line] = await checkItems(souk, {
      items: [itemOf(product, quantity, variant, slot)],
    });
    if (!line?.now) return onGone();
    cart.add(line.now);
    souk.analytics.track({ type: "add_to_cart", product_id: product.id });
    showNotice([...line.remarks, t("cart.added", { name: product.name })].join(" "));
  }

  return (
    <ActionForm
      class="purchase"
      title={product.name}
      submit={left === 0 ? undefined : t(isService ? "product.book" : "product.add")}
      disabled={slots !== null && slot === undefined}
      onSubmit={add}
    >
      {product.variants.length > 0 && (
        <label>
          {t("product.variant")}
          <select value={variantId} onChange={(event) => setVariantId(event.currentTarget.value)}>
            {product.variants.map(({ id, name, price }) => (
              <option key={id} value={id}>
                {`${name}, ${money(price, product.currency)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      {variant && <ComparedPrice offer={variant} currency={product.currency} />}
      {slots && <SlotChoice slots={slots} chosen={slot} onChoose={setSlot} />}
      {left === 0 && <p class="bad">{t("product.soldOut")}</p>}
      {left > 0 && !isService && (
        <label>
          {t("product.quantity")}
          <input
            type="number"
            min={1}
            max={Number.isFinite(left) ? left : undefined}
            value={quantity}
            onInput={(event) => setQuantity(typedQuantity(event.currentTarget))}
          />
        </label>
      )}
      <SoldBy supplier={product.supplier_id} />
      <Safety safety={product.safety} />
    </ActionForm>
  );
}
