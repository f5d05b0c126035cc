import type { Stripe, StripeElements } from "@stripe/stripe-js";
import { useEffect, useRef, useState } from "preact/hooks";
import { ActionForm } from "../../shop/action";
import { type Language, t } from "../../ui/texts";

/** Stripe's script, and its form for one payment. */
export interface OpenedStripe {
  stripe: Stripe;
  elements: StripeElements;
}

/** Loads Stripe's script from Stripe, which it requires, and opens a payment. */
export async function openStripe(
  session: { publishable_key?: string; client_secret?: string },
  locale: Language,
): Promise<OpenedStripe> {
  const { loadStripe } = await import("@stripe/stripe-js/pure");
  const stripe = await loadStripe(session.publishable_key ?? "", { locale });
  if (!stripe) throw new Error("Stripe.js needs a browser");
  return { stripe, elements: stripe.elements({ clientSecret: session.client_secret }) };
}

/** The frame in which the customer pays. The shop sees no card. */
export function StripeForm({
  opened: { stripe, elements },
  submit,
  return_url,
  onSent,
}: {
  opened: OpenedStripe;
  submit: string;
  /** The page that some ways to pay come back to. */
  return_url: string;
  onSent(): void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    const element = elements.create("payment");
    // The button that had the focus is gone.
    element.on("ready", () => element.focus());
    if (place.current) element.mount(place.current);
    return () => element.destroy();
  }, [elements]);

  async function pay() {
    setRefusal(undefined);
    const { error } = await stripe.confirmPayment({
      elements,
      confirmParams: { return_url },
      redirect: "if_required",
    });
    // Stripe's messages are in the language of its form.
    if (error) setRefusal(error.message ?? t("pay.failed"));
    else onSent();
  }

  return (
    <ActionForm title={t("pay.title")} submit={submit} onSubmit={pay}>
      <div ref={place} />
      {refusal && (
        <p class="bad" role="alert">
          {refusal}
        </p>
      )}
    </ActionForm>
  );
}
