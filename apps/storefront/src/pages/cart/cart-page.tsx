import { addMoney, type Checkout } from "@souk/client";
import { bySeller, type CartItem, cartCount, lineOf, typedQuantity } from "../../shop/cart/cart";
import { CartFrame, useCheckedCart } from "../../shop/cart/checked-cart";
import { Totals } from "../../shop/cart/totals";
import { useCheckout } from "../../shop/cart/use-checkout";
import { Waiting } from "../../shop/messages";
import { SoldBy } from "../../shop/seller";
import { useShop } from "../../shop/shop";
import { Picture } from "../../ui/picture";
import { money, t, time } from "../../ui/texts";

export function CartPage() {
  const { cart, remarks, isChecked } = useCheckedCart();
  const { quote, error, isPending, again } = useCheckout(null);
  const lacksDelivery = quote?.messages.some(({ path }) => path === "delivery_method");
  return (
    <CartFrame title={t("cart.title")} remarks={remarks}>
      {bySeller(cart.items).map(([supplier, items]) => (
        <section key={supplier}>
          <SoldBy supplier={supplier} />
          <ul class="lines" aria-busy={!isChecked}>
            {items.map((item) => (
              <Line key={lineOf(item)} item={item} quote={quote} />
            ))}
          </ul>
        </section>
      ))}
      <section class="totals" aria-label={t("checkout.summary")} aria-busy={isPending}>
        {(error || !quote) && <Waiting error={error} again={again} />}
        <div aria-live="polite">
          {quote && !error && <Totals quote={quote} />}
          <p class="muted">{lacksDelivery && t("cart.withoutDelivery")}</p>
        </div>
      </section>
      <a class="button wide" href="/checkout">
        {t("cart.checkOut")}
      </a>
    </CartFrame>
  );
}

/** What the checkout says about a line, unless it has another quantity. Each place of a service is a separate item of it. */
function pricedBy(quote: Checkout | undefined, item: CartItem) {
  const items = quote?.items.filter((one) => lineOf(one) === lineOf(item)) ?? [];
  const price = items[0]?.price ?? undefined;
  if (!quote || price === undefined || cartCount({ items }) !== item.quantity) return undefined;
  const { currency } = quote;
  const amounts = items.flatMap(({ amount }) => amount ?? []);
  return { price, currency, amount: addMoney(currency, amounts) };
}

function Line({ item, quote }: { item: CartItem; quote: Checkout | undefined }) {
  const { cart } = useShop();
  const { name, kind, quantity, image, product_id, starts_at } = item;
  const { price, currency, amount } = pricedBy(quote, item) ?? { ...item, amount: undefined };
  return (
    <li class="line">
      <Picture image={image} sizes="80px" />
      <div>
        <a href={`/products/${product_id}`}>
          <bdi>{name}</bdi>
        </a>
        {starts_at && <span class="muted">{time(starts_at)}</span>}
        <span class="muted">{money(price, currency)}</span>
      </div>
      {kind === "service" ? (
        <span>{t("order.pieces", { count: quantity })}</span>
      ) : (
        <input
          type="number"
          min={1}
          aria-label={t("cart.quantityOf", { name })}
          value={quantity}
          onChange={(event) => cart.setQuantity(item, typedQuantity(event.currentTarget))}
        />
      )}
      <strong>{amount !== undefined && money(amount, currency)}</strong>
      <button
        type="button"
        class="quiet"
        aria-label={t("cart.removeOf", { name })}
        onClick={() => cart.setQuantity(item, 0)}
      >
        <span aria-hidden="true">×</span>
      </button>
    </li>
  );
}
