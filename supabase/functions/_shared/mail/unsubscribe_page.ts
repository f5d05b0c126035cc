import type { Context } from "hono";
import { html } from "hono/html";
import { directionOf } from "../values/languages.ts";

/** The address and mail of a token. */
export interface Unsubscription {
  email: string;
  /** The key of the mail. */
  template: string;
  unsubscribed: boolean;
  /** The name of the marketplace; null if the tenant has none. */
  sender: string | null;
  /** Languages of the page in the order of preference. */
  languages: string[];
}

interface Words {
  title: string;
  ask(sender: string): string;
  done(sender: string): string;
  button: string;
}

const WORDS: Record<string, Words> = {
  en: {
    title: "E-mails",
    ask: (sender) => `Do you want to stop e-mails of this kind from ${sender}?`,
    done: (sender) => `You will get no more e-mails of this kind from ${sender}.`,
    button: "Unsubscribe",
  },
  de: {
    title: "E-Mails",
    ask: (sender) => `Möchten Sie keine E-Mails dieser Art mehr von ${sender}?`,
    done: (sender) => `Sie bekommen keine E-Mails dieser Art mehr von ${sender}.`,
    button: "Abbestellen",
  },
  ar: {
    title: "الرسائل",
    ask: (sender) => `هل ترغب في عدم تلقي رسائل من هذا النوع من ${sender}؟`,
    done: (sender) => `لن تصلك رسائل أخرى من هذا النوع من ${sender}.`,
    button: "إلغاء الاشتراك",
  },
};

/** The page behind a mail's link: a button to unsubscribe, or a confirmation. */
export function unsubscribePage(
  c: Context,
  { email, sender, languages, unsubscribed }: Unsubscription,
) {
  const language =
    languages.map((tag) => tag.split("-")[0] as string).find((base) => base in WORDS) ?? "en";
  const words = WORDS[language] as Words;
  const by = sender ?? "Souk";
  // XHTML, because the hosted platform delivers HTML as plain text.
  const page = html`<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" lang="${language}" dir="${directionOf(language)}">
<head>
<title>${words.title}</title>
<meta name="viewport" content="width=device-width" />
<meta name="robots" content="noindex" />
<style>body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}
button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#1d4ed8;color:#fff;cursor:pointer}</style>
</head>
<body>
<main>
<h1>${words.title}</h1>
<p>${email}</p>
<p>${unsubscribed ? words.done(by) : words.ask(by)}</p>
${unsubscribed ? "" : html`<form method="post"><button type="submit">${words.button}</button></form>`}
</main>
</body>
</html>`;
  return c.body(String(page), 200, {
    "Content-Type": "application/xhtml+xml; charset=utf-8",
    "Content-Security-Policy":
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    // The address contains the token.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  });
}
