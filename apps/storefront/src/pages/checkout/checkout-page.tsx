import { ApiError } from "@souk/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { Remarks, useCheckedCart } from "../../shop/cart/checked-cart";
import { ErrorNote, SignInPage, ToAllProducts, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { useAction } from "../../shop/use-action";
import { useAnswer } from "../../shop/use-answer";
import { refusedFields } from "../../ui/errors";
import { t, time } from "../../ui/texts";
import {
  ADDRESS,
  AddressFields,
  type AddressOf,
  BillingFields,
  ContactFields,
  DeliveryChoice,
  DiscountCode,
  PaymentChoice,
  PREFIX,
} from "./fields";
import { type Details, dropTakenSlots } from "./place";
import { Summary } from "./summary";
import { useCheckout } from "./use-checkout";

/** Contact, address, delivery, payment and the order on one page. */
export function CheckoutPage() {
  const { souk, marketplace, cart: store, user, language } = useShop();
  const [, navigate] = useLocation();
  const { cart, remarks, check } = useCheckedCart();
  const [taken, setTaken] = useState<string[]>([]);
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

  function detailsIn(filled: HTMLFormElement): Details {
    const fields = new FormData(filled);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const address = (of: AddressOf) =>
      Object.fromEntries(Object.keys(ADDRESS).map((name) => [name, text(PREFIX[of] + name)]));
    return {
      marketplace_id: marketplace.id,
      language,
      ...(!user.hasAccount && {
        contact: { email: text("email"), name: text("name") || undefined },
      }),
      ...(isPhysical && { shipping_address: address("shipping_address") }),
      ...(fields.has("other_address") && { billing_address: address("billing_address") }),
      ...(text("tax_id") && { tax_id: text("tax_id") }),
      ...(fields.has("delivery") && { delivery_method: text("delivery") }),
      ...(fields.has("payment") && { payment_method: text("payment") }),
      ...(text("discount_code") && { discount_codes: [text("discount_code")] }),
    };
  }

  const checkout = useCheckout(typed);
  const { quote, error: unpriced } = checkout;
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
    setTaken([t("checkout.cannotReplace", { number: cart.replaces.number })]);
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
        setTaken(
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

  if (cart.items.length === 0) {
    return (
      <Page title={t("checkout.title")}>
        <Remarks remarks={[...remarks, ...taken]} />
        <p>{t("cart.empty")}</p>
        <ToAllProducts />
      </Page>
    );
  }
  if (!user.hasAccount && !marketplace.guest_checkout) {
    return <SignInPage title={t("checkout.title")} text={t("checkout.needsAccount")} />;
  }
  return (
    <Page title={t("checkout.title")}>
      <Remarks remarks={[...remarks, ...taken]} />
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
        <ErrorNote error={order.error ?? unpriced} />
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
    </Page>
  );
}
