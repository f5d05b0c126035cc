import { useShop } from "../shop/shop";
import { createStore, useStore } from "../ui/store";
import { t } from "../ui/texts";

const CONSENT = "souk.consent";
const VISITOR = "souk.visitor";

/** Whether the visitor consents to promotions and statistics; null before they are asked. The server asks nobody. */
const consent = createStore(import.meta.env.SSR ? false : storedConsent());

function storedConsent(): boolean | null {
  const kept = localStorage.getItem(CONSENT);
  return kept === null ? null : kept === "yes";
}

export const hasAgreed = (): boolean => consent.get() === true;

/** The random id of a visitor who has consented; null for others, for whom none is made. */
export function visitorId(): string | null {
  if (!hasAgreed()) return null;
  const id = localStorage.getItem(VISITOR) ?? crypto.randomUUID();
  localStorage.setItem(VISITOR, id);
  return id;
}

/** Asks once for consent. Before it, nothing is reported or promoted. */
export function Consent() {
  const { souk, marketplace } = useShop();
  const given = useStore(consent);
  if (given !== null) return null;
  function decide(agrees: boolean) {
    localStorage.setItem(CONSENT, agrees ? "yes" : "no");
    if (!agrees) localStorage.removeItem(VISITOR);
    consent.set(agrees);
    souk.analytics.consent(agrees);
    souk.analytics.track({ type: "visit", marketplace_id: marketplace.id });
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

/** Asks again, so that consent can be withdrawn. */
export const ConsentButton = () => (
  <button type="button" class="link" onClick={() => consent.set(null)}>
    {t("consent.title")}
  </button>
);
