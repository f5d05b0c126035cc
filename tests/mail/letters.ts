import {
  type Letter,
  type LetterInput,
  type LetterTexts,
  makeLetter,
} from "../../supabase/functions/_shared/mail/letter.ts";

// Letters of one shop, for tests of rendering.

export const marketplace = {
  id: "0b9f7c1e-3d0a-4b51-8e55-2f6a6f1f0a01",
  name: "Amber & Oak",
  domain: "amber.example",
  currency: "EUR",
  language: "en",
  settings: { branding: { logo_url: null, colors: { primary: "#7c3aed" } } },
} satisfies LetterInput["marketplace"];

export function letterOf(overrides: Partial<LetterInput> = {}): Promise<Letter> {
  return makeLetter({
    key: "order_placed",
    own: null,
    languages: ["en"],
    timeZone: "Europe/Berlin",
    marketplace,
    tenant: { name: "Amber" },
    variables: {},
    unsubscribeUrl: null,
    ...overrides,
  });
}

/** A tenant's own letter. */
export function ownLetter(
  html_content: LetterTexts["html_content"],
  overrides: Partial<LetterInput> = {},
): Promise<Letter> {
  return letterOf({ key: "thanks", own: { subject: "Thanks", html_content }, ...overrides });
}
