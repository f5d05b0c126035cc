import {
  type MadeMail,
  type MailInput,
  type MailTexts,
  renderMail,
} from "../../supabase/functions/_shared/mail/render_mail.ts";

// Mails of one shop, for tests of rendering.

export const marketplace = {
  id: "0b9f7c1e-3d0a-4b51-8e55-2f6a6f1f0a01",
  name: "Amber & Oak",
  domain: "amber.example",
  currency: "EUR",
  language: "en",
  settings: { branding: { logo_url: null, colors: { primary: "#7c3aed" } } },
} satisfies MailInput["marketplace"];

export function mailOf(overrides: Partial<MailInput> = {}): Promise<MadeMail> {
  return renderMail({
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

/** A tenant's own mail. */
export function ownMail(
  html_content: MailTexts["html_content"],
  overrides: Partial<MailInput> = {},
): Promise<MadeMail> {
  return mailOf({ key: "thanks", own: { subject: "Thanks", html_content }, ...overrides });
}
