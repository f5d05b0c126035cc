import { ApiError, type Order } from "@souk/client";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { Remarks, useCheckedCart } from "../../shop/cart/checked-cart";
import { ErrorNote, SignInPage, ToAllProducts, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { becomeGuest } from "../../shop/session";
import { useShop } from "../../shop/shop";
import { useAction } from "../../shop/use-action";
import { useAnswer } from "../../shop/use-answer";
import { refusedFields } from "../../ui/errors";
import { t, time } from "../../ui/texts";
import { type Destination, methodsFor } from "./delivery";
import {
  ADDRESS,
  AddressFields,
  type AddressOf,
  BillingFields,
  ContactFields,
  DeliveryChoice,
  PaymentChoice,
  PREFIX,
} from "./fields";
import { dropTakenSlots, isAboutReplaced, placeOrder } from "./place";
import { Summary } from "./summary";

/** Contact, address, delivery, payment and the order on one page. */
export function CheckoutPage() {
  const { souk, marketplace, cart: store, user, language } = useShop();
  const [, navigate] = useLocation();
  const { cart, remarks, check } = useCheckedCart();
  const [taken, setTaken] = useState<string[]>([]);
  const [method, setMethod] = useState<string>();
  const [typed, setTyped] = useState<Destination>();
  const isPhysical = cart.items.some(({ kind }) => kind === "physical");
  const known = useAnswer(
    "checkout",
    async (signal) => {
      const here = { marketplace_id: marketplace.id };
      const [{ delivery_methods }, { payment_methods }, { countries }, { orders }] =
        await Promise.all([
          souk.marketplaces.deliveryMethods(here, { signal }),
          souk.marketplaces.paymentMethods(here, { signal }),
          souk.countries.list({ language }, { signal }),
          // A visitor has no orders, and may not list them.
          user.id === null ? { orders: [] } : souk.orders.list({ limit: 5 }, { signal }),
        ]);
      // The last order may be one of digital goods, without an address.
      const address = orders.find((one) => one.shipping_address)?.shipping_address ?? undefined;
      return { delivery_methods, payment_methods, countries, last: orders[0], address };
    },
    [language],
  );
  useEffect(() => {
    souk.analytics.track({ type: "checkout", marketplace_id: marketplace.id });
  }, [souk, marketplace.id]);

  const order = useAction(async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const address = (of: AddressOf) =>
      Object.fromEntries(Object.keys(ADDRESS).map((name) => [name, text(PREFIX[of] + name)]));
    try {
      const details = {
        marketplace_id: marketplace.id,
        language,
        ...(!user.hasAccount && {
          contact: { email: text("email"), name: text("name") || undefined },
        }),
        ...(isPhysical && { shipping_address: address("shipping_address") }),
        ...(form.has("other_address") && { billing_address: address("billing_address") }),
        ...(text("tax_id") && { tax_id: text("tax_id") }),
        ...(chosen && isPhysical && { delivery_method: chosen.key }),
        ...(form.has("payment") && { payment_method: text("payment") }),
      };
      await becomeGuest(souk, marketplace.domain);
      const placed: Order = await placeOrder(souk, store, details);
      navigate(`/orders/${placed.id}`);
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
      if (error instanceof ApiError && isAboutReplaced(error) && cart.replaces) {
        setTaken([t("checkout.cannotReplace", { number: cart.replaces.number })]);
      }
      // A product is sold out or has another price. The remarks explain the change.
      if (error instanceof ApiError && error.status === 422) await check();
      throw error;
    }
  });

  if (!known.value) return <Waiting {...known} />;
  const { delivery_methods, payment_methods, countries, last, address } = known.value;
  const { country = marketplace.country ?? "", region = "" } = typed ?? address ?? {};
  const methods = isPhysical ? methodsFor(cart.items, delivery_methods, { country, region }) : [];
  const chosen = methods.find(({ key }) => key === method) ?? methods[0];
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
        onChange={({ currentTarget }) => {
          const form = new FormData(currentTarget);
          const text = (name: string) => String(form.get(name) ?? "");
          setTyped({ country: text("country"), region: text("region") });
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void order.run(new FormData(event.currentTarget));
        }}
      >
        {!user.hasAccount && <ContactFields last={last?.contact ?? undefined} {...fields} />}
        {isPhysical && <AddressFields of="shipping_address" last={address} {...fields} />}
        <BillingFields last={last} {...fields} />
        <DeliveryChoice methods={methods} chosen={chosen} items={cart.items} onChoose={setMethod} />
        <PaymentChoice methods={payment_methods} />
        <Summary cart={cart} method={chosen} />
        <ErrorNote error={order.error} />
        <button type="submit" class="wide" disabled={order.busy}>
          {order.busy ? t("checkout.placing") : t("checkout.place")}
        </button>
      </form>
    </Page>
  );
}
