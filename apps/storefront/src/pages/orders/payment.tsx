import type { Order } from "@souk/client";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { ErrorNote } from "../../shop/messages";
import { useShop } from "../../shop/shop";
import { useAction } from "../../shop/use-action";
import { useAnswer } from "../../shop/use-answer";
import { money, t, time } from "../../ui/texts";
import { type OpenedStripe, openStripe, StripeForm } from "./stripe-form";

/** Pays an order: by Stripe if the shop takes it, else as the shop's text says. */
export function Payment({ order }: { order: Order }) {
  const { souk, isPaymentPage, language } = useShop();
  const [, navigate] = useLocation();
  const search = useSearch();
  // The query is read once, because it is then removed from the address.
  const [came] = useState(() => new URLSearchParams(search));
  const result = came.get("redirect_status");
  const [isSent, setSent] = useState(result !== null && result !== "failed");
  const failures = order.payments.filter(({ status }) => status === "failed").length;
  const [earlier] = useState(failures);
  const hasFailed = result === "failed" || failures > earlier;
  const [stripe, setStripe] = useState<OpenedStripe>();
  const [instructions, setInstructions] = useState<string>();
  const { marketplace_id } = order;
  const methods = useAnswer(
    "providers",
    (signal) => souk.marketplaces.paymentMethods({ marketplace_id }, { signal }),
    [marketplace_id],
  );
  const provider = methods.value?.providers.some((one) => one.provider === "stripe")
    ? "stripe"
    : "manual";
  const path = `/orders/${order.id}`;
  const return_url = location.origin + path;
  const amount = money(order.owed_amount, order.currency);

  const begin = useAction(async () => {
    // Only a document that was loaded at this page may load Stripe's script.
    if (provider === "stripe" && !isPaymentPage) return location.assign(`${path}?pay`);
    const session = await souk.orders.beginPayment(order.id, { provider, return_url });
    if (session.status !== "open") setSent(true);
    else if (provider === "stripe") setStripe(await openStripe(session, language));
    else setInstructions(session.instructions ?? t("pay.none"));
  });
  useEffect(() => {
    if (came.has("pay") || result) navigate(path, { replace: true });
  }, []);
  // A form that is open shows itself why a payment failed, and takes the next one.
  useEffect(() => {
    if (failures === earlier || !isSent) return;
    setSent(false);
    setStripe(undefined);
  }, [failures]);
  useEffect(() => {
    if (came.has("pay") && methods.value) void begin.run();
  }, [methods.value !== undefined]);

  return (
    <section class="part" aria-label={t("pay.title")}>
      <h2>{t("pay.title")}</h2>
      <p>{t("pay.due", { amount, time: time(order.payment_due_at_local ?? "") })}</p>
      <div role="status">
        {isSent && <p>{t("pay.sent")}</p>}
        {instructions && (
          <>
            <p class="paragraphs">
              <bdi>{instructions}</bdi>
            </p>
            <p>{t("pay.reference", { number: String(order.number) })}</p>
          </>
        )}
      </div>
      {hasFailed && !isSent && !stripe && <p class="bad">{t("pay.failed")}</p>}
      <ErrorNote error={begin.error ?? methods.error} />
      {!isSent && stripe && (
        <StripeForm
          opened={stripe}
          submit={t("pay.confirm", { amount })}
          return_url={return_url}
          onSent={() => setSent(true)}
        />
      )}
      {!isSent && !stripe && methods.value && (
        <button type="button" disabled={begin.busy} onClick={() => begin.run()}>
          {provider === "stripe" ? t("pay.now") : t("pay.how")}
        </button>
      )}
    </section>
  );
}
