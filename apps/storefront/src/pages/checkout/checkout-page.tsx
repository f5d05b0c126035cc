import { ApiError } from "@souk/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { CartFrame, useCheckedCart } from "../../shop/cart/checked-cart";
import { type Details, dropTakenSlots } from "../../shop/cart/place";
import { useCheckout } from "../../shop/cart/use-checkout";
import { ErrorNote, SignInPage, Waiting } from "../../shop/messages";
import { useShop } from "../../shop/shop";
import { useAction } from "../../shop/use-action";
import { useAnswer } from "../../shop/use-answer";
import { refusedFields } from "../../ui/errors";
import { t, time } from "../../ui/texts";
import {
  AddressFields,
  BillingFields,
  ContactFields,
  DeliveryChoice,
  DiscountCode,
  PaymentChoice,
} from "./fields";
import { Summary } from "./summary";

/** Contact, address, delivery, payment and the order on one page. */
export function CheckoutPage() {
  const { souk, marketplace, cart: store, user, language } = useShop();
  const [, navigate] = useLocation();
  const { cart, remarks, remark, check } = useCheckedCart();
  const [typed, setTyped] = useState<Details>();
  const form = useRef<HTMLFormElement>(null);
  const isPhysical = cart.items.some(({ kind }) => kind === "physical");
  const known = useAnswer(
    "checkout",
    async (signal) => {
      const here = { marketplace_id: marketplace.id };
      const [{ payment_methods }, { countries }, { orders }] = await Promise.all([
        souk.marketplaces.paymentMethods(here, { signal }),
        souk.countries.list({ language }, { signal }),
        // A visitor has no orders, and may not list them.
        user.id === null ? { orders: [] } : souk.orders.list({ limit: 5 }, { signal }),
      ]);
      // The last order may be one of digital goods, without an address.
      const address = orders.find((one) => one.shipping_address)?.shipping_address ?? undefined;
      return { payment_methods, countries, last: orders[0], address };
    },
    [language],
  );
  useEffect(() => {
    souk.analytics.track({ type: "checkout", marketplace_id: marketplace.id });
  }, [souk, marketplace.id]);

  /** What is typed. The names of the fields are their paths in the request. */
  function detailsIn(filled: HTMLFormElement): Details {
    const fields: Record<string, unknown> = {};
    for (const [path, value] of new FormData(filled)) {
      const [name = "", part] = path.split(".");
      const text = String(value).trim();
      if (text) fields[name] = part ? { ...(fields[name] as object), [part]: text } : text;
    }
    const { other_address, billing_address, discount_codes, ...others } = fields;
    return {
      ...{ marketplace_id: marketplace.id, language, ...others },
      ...(other_address !== undefined && { billing_address }),
      ...(discount_codes !== undefined && { discount_codes: [discount_codes] }),
    } as Details;
  }

  const checkout = useCheckout(typed);
  const { quote } = checkout;
  const options = quote?.delivery_options[0]?.options ?? [];
  const chosen = options.find(({ key }) => key === typed?.delivery_method) ?? options[0];
  const isChosen = chosen?.key === typed?.delivery_method;
  // The form begins with what the last order had, and with the first way to deliver.
  useEffect(() => {
    if (form.current) setTyped(detailsIn(form.current));
  }, [known.value, isPhysical, cart.items.length === 0, isChosen]);
  const isRefused = (field: string) =>
    quote?.messages.some(({ type, path }) => type === "error" && path?.startsWith(field)) ?? false;
  useEffect(() => {
    if (!isRefused("replaces") || !cart.replaces) return;
    remark([t("checkout.cannotReplace", { number: cart.replaces.number })]);
    store.renew(undefined);
  }, [quote]);

  const order = useAction(async (details: Details) => {
    try {
      const placed = await checkout.order(details);
      if (!placed) return;
      navigate(`/orders/${placed}`);
      scrollTo(0, 0);
    } catch (error) {
      if (error instanceof ApiError && error.code === "SLOT_NOT_AVAILABLE") {
        const gone = dropTakenSlots(store, error);
        remark(
          gone.map((item) =>
            t("cart.slotTaken", { name: item.name, time: time(item.starts_at ?? "") }),
          ),
        );
      }
      // A product is sold out or has another price. The remarks explain the change.
      if (error instanceof ApiError && [409, 422].includes(error.status)) await check();
      throw error;
    }
  });

  if (!known.value) return <Waiting {...known} />;
  const { payment_methods, countries, last, address } = known.value;
  const fields = { refused: refusedFields(order.error), countries };

  if (cart.items.length > 0 && !user.hasAccount && !marketplace.guest_checkout) {
    return <SignInPage title={t("checkout.title")} text={t("checkout.needsAccount")} />;
  }
  return (
    <CartFrame title={t("checkout.title")} remarks={remarks}>
      {cart.replaces && <p>{t("checkout.replaces", { number: cart.replaces.number })}</p>}
      <form
        ref={form}
        onChange={({ currentTarget }) => setTyped(detailsIn(currentTarget))}
        onSubmit={(event) => {
          event.preventDefault();
          void order.run(detailsIn(event.currentTarget));
        }}
      >
        {!user.hasAccount && <ContactFields last={last?.contact ?? undefined} {...fields} />}
        {isPhysical && <AddressFields of="shipping_address" last={address} {...fields} />}
        <BillingFields last={last} {...fields} />
        {quote && <DeliveryChoice quote={quote} chosen={chosen} />}
        {!chosen && isRefused("delivery_method") && <p class="bad">{t("checkout.notDelivered")}</p>}
        <PaymentChoice methods={payment_methods} />
        <DiscountCode isRefused={isRefused("discount_codes")} />
        {quote && <Summary quote={quote} />}
        <ErrorNote error={order.error ?? (checkout.isPending ? undefined : checkout.error)} />
        <button
          type="submit"
          class="wide"
          disabled={order.busy}
          // Still takes Enter, or a click that ends the typing. It orders if the pending total is the shown one.
          aria-disabled={checkout.isPending || !isChosen}
        >
          {order.busy ? t("checkout.placing") : t("checkout.place")}
        </button>
      </form>
    </CartFrame>
  );
}
