const KEY = "souk.consent";

/** Whether the visitor has agreed that their visit is counted; null before they were asked. */
export function consentGiven(): boolean | null {
  const kept = localStorage.getItem(KEY);
  return kept === null ? null : kept === "yes";
}

export const hasAgreed = (): boolean => consentGiven() === true;

export const keepConsent = (agrees: boolean): void =>
  localStorage.setItem(KEY, agrees ? "yes" : "no");
