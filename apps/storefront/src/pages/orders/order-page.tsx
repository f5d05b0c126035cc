import type { Order } from "@souk/client";
import { useLocation } from "wouter-preact";
import { ActionButton } from "../../shop/action";
import { earlierOrder } from "../../shop/cart/cart";
import { checkItems } from "../../shop/cart/check";
import { NotFound, SignInPage, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { Amounts, type Row } from "../../ui/amounts";
import { isMissing } from "../../ui/errors";
import { showNotice } from "../../ui/notice";
import { percent, statusName, t } from "../../ui/texts";
import { SignUp } from "../account/sign-up";
import { Downloads } from "./downloads";
import { Part } from "./part";
import { Payment } from "./payment";
import { useOrder } from "./use-order";

/** An order with its parts, one per supplier. A visitor has none: the link may be that of an order with an account. */
export function OrderPage({ id }: { id: string }) {
  const { user } = useShop();
  return user.id === null ? <SignInPage title={t("order.signIn")} /> : <OwnOrder id={id} />;
}

function OwnOrder({ id }: { id: string }) {
  const { user } = useShop();
  const { value: whole, error, again } = useOrder(id);
  if (isMissing(error)) return <NotFound />;
  if (!whole) return <Waiting error={error} again={again} />;
  const { order } = whole;
  return (
    <Page title={t("order.title", { number: order.number })}>
      <p role="status">
        {t("order.thanks")} <strong>{statusName(order.status)}</strong>,{" "}
        {t(`payment.${order.payment_status}`)}
      </p>
      {order.status === "pending" && ["pending", "failed"].includes(order.payment_status) && (
        <ChangeOrder order={order} />
      )}
      {order.payment_due_at && order.owed_amount > 0 && (
        // At another price, the payment begins anew.
        <Payment key={order.owed_amount} order={order} />
      )}
      <Downloads {...whole} />
      {order.parts.map((part) => (
        <Part key={part.supplier_id} part={part} whole={whole} onChange={again} />
      ))}
      <section class="summary" aria-label={t("checkout.summary")}>
        <Amounts currency={order.currency} rows={totalsOf(order)} />
      </section>
      {!user.hasAccount && <SignUp email={order.contact?.email} title={t("account.keepOrders")} />}
    </Page>
  );
}

/** What an order costs, and what is paid back. */
function totalsOf(order: Order): Row[] {
  const tax = order.tax_included ? "order.taxIncluded" : "order.tax";
  const discount: Row = [t("total.discount"), -order.discount_amount];
  const refund: Row = [t("order.refundDue"), order.refund_due];
  return [
    [t("total.delivery"), order.delivery_amount],
    ...(order.discount_amount > 0 ? [discount] : []),
    ...order.tax_lines.map(({ name, rate, tax_amount, note }): Row => {
      const values = { name: name ?? "", rate: percent(rate) };
      return [note ? t("order.reverseCharge") : t(tax, values), tax_amount];
    }),
    [t("total.total"), order.total_amount, true],
    ...(order.refund_due > 0 ? [refund] : []),
  ];
}

/** Puts an order that is not paid back into the cart. It stays as it is until another one takes its place. */
function ChangeOrder({ order }: { order: Order }) {
  const { souk, cart } = useShop();
  const [, navigate] = useLocation();
  async function change() {
    const replaces = earlierOrder(order);
    const lines = await checkItems(souk, { items: replaces.items, replaces });
    const items = lines.flatMap(({ now }) => now ?? []);
    cart.reopen(replaces, items);
    showNotice(lines.flatMap(({ remarks }) => remarks).join(" "));
    navigate("/checkout");
    scrollTo(0, 0);
  }
  return <ActionButton act={change}>{t("order.change")}</ActionButton>;
}
