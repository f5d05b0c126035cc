import {
  amountOf,
  bySeller,
  type CartItem,
  lineAmount,
  lineOf,
  typedQuantity,
} from "../../shop/cart/cart";
import { Remarks, useCheckedCart } from "../../shop/cart/checked-cart";
import { ToAllProducts } from "../../shop/messages";
import { Page } from "../../shop/page";
import { SoldBy } from "../../shop/seller";
import { useShop } from "../../shop/shop";
import { Picture } from "../../ui/picture";
import { money, t, time } from "../../ui/texts";

export function CartPage() {
  const { marketplace } = useShop();
  const { cart, remarks, isChecked } = useCheckedCart();
  return (
    <Page title={t("cart.title")}>
      <Remarks remarks={remarks} />
      {cart.items.length === 0 ? (
        <>
          <p>{t("cart.empty")}</p>
          <ToAllProducts />
        </>
      ) : (
        <>
          {bySeller(cart.items).map(([supplier, items]) => (
            <section key={supplier}>
              <SoldBy supplier={supplier} />
              <ul class="lines" aria-busy={!isChecked}>
                {items.map((item) => (
                  <Line key={lineOf(item)} item={item} />
                ))}
              </ul>
            </section>
          ))}
          <p class="row between total">
            <span>{t("cart.subtotal")}</span>
            <strong>
              {money(amountOf(cart.items, marketplace.currency), marketplace.currency)}
            </strong>
          </p>
          <a class="button wide" href="/checkout">
            {t("cart.checkOut")}
          </a>
        </>
      )}
    </Page>
  );
}

function Line({ item }: { item: CartItem }) {
  const { cart } = useShop();
  const { name, kind, quantity, price, currency, image, product_id, starts_at } = item;
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
      {kind !== "service" && (
        <input
          type="number"
          min={1}
          aria-label={t("cart.quantityOf", { name })}
          value={quantity}
          onChange={(event) => cart.setQuantity(item, typedQuantity(event.currentTarget))}
        />
      )}
      <strong>{money(lineAmount(item), currency)}</strong>
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
