import { useState } from "preact/hooks";
import { consentGiven, keepConsent } from "../lib/consent";
import { useShop } from "../lib/shop";
import { t } from "../lib/texts";

/** Asks once for consent to tracking. Nothing is tracked before. */
export function Consent() {
  const { souk, marketplace } = useShop();
  const [given, setGiven] = useState(consentGiven);
  if (given !== null) return null;
  function decide(agrees: boolean) {
    keepConsent(agrees);
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
