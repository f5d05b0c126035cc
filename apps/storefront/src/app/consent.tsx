import { useState } from "preact/hooks";
import { useShop } from "../shop/shop";
import { t } from "../ui/texts";

const KEY = "souk.consent";

/** Whether the visitor consents to tracking; null before they are asked. */
function consentGiven(): boolean | null {
  const kept = localStorage.getItem(KEY);
  return kept === null ? null : kept === "yes";
}

export const hasAgreed = (): boolean => consentGiven() === true;

/** Asks once for consent to tracking. Nothing is tracked before. */
export function Consent() {
  const { souk, marketplace } = useShop();
  const [given, setGiven] = useState(consentGiven);
  if (given !== null) return null;
  function decide(agrees: boolean) {
    localStorage.setItem(KEY, agrees ? "yes" : "no");
    souk.analytics.consent(agrees);
    souk.analytics.track({ type: "visit", marketplace_id: marketplace.id });
    setGiven(agrees);
  }
  return (
    <section class="consent" aria-label={t("consent.title")}>
      <p>{t("consent.text")}</p>
      <div class="row">
        <button type="button" onClick={() => decide(true)}>
          {t("consent.yes")}
        </button>
        <button type="button" class="quiet" onClick={() => decide(false)}>
          {t("consent.no")}
        </button>
      </div>
    </section>
  );
}
