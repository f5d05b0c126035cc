const KEY = "souk.consent";

/** Whether the visitor has consented to tracking; null before the answer. */
export function consentGiven(): boolean | null {
  const kept = localStorage.getItem(KEY);
  return kept === null ? null : kept === "yes";
}

export const hasAgreed = (): boolean => consentGiven() === true;

export const keepConsent = (agrees: boolean): void =>
  localStorage.setItem(KEY, agrees ? "yes" : "no");
