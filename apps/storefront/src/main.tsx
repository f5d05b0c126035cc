import { ApiError, createClient } from "@souk/client";
import { hydrate, render } from "preact";
import { App } from "./app/app";
import { showBranding } from "./app/branding";
import { hasAgreed, visitorId } from "./app/consent";
import { narrowPolicy } from "./app/policy";
import { readSentPage } from "./app/sent-page";
import { sentAnswers } from "./shop/answers";
import { openCart } from "./shop/cart/cart";
import { readConfig } from "./shop/config";
import { CannotOpen } from "./shop/messages";
import type { Platform } from "./shop/platform";
import { readSession } from "./shop/session";
import { parseHtml } from "./ui/parse-html";
import { languageOf, showLanguage, storeLanguage } from "./ui/texts";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shop.css";

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
try {
  // A page from the server contains its content. Otherwise everything is read here.
  const sent = readSentPage();
  const config = sent?.config ?? (await readConfig());
  const { url, publishable_key, domain } = config;
  const souk = createClient(url, publishable_key, {
    marketplace: domain,
    visitor: visitorId,
    // Each shop has a separate session.
    auth: { storageKey: `souk.shop.${domain}` },
    tracking: { consent: hasAgreed() },
  });
  // The session and the shop are loaded in parallel.
  const [marketplace, session] = await Promise.all([
    sent?.marketplace ?? souk.marketplaces.storefront({ domain }),
    readSession(souk),
  ]);
  const search = new URLSearchParams(location.search);
  const isPaymentPage = location.pathname.startsWith("/orders/");
  const language =
    sent?.language ??
    languageOf({
      search,
      cookies: document.cookie,
      accepted: navigator.languages,
      ofShop: marketplace.language,
    });
  await showLanguage(language);
  // The links of the page do not name the language.
  if (search.has("language")) storeLanguage(language);
  if (!sent) {
    narrowPolicy(marketplace, url, isPaymentPage);
    showBranding(marketplace);
  }
  souk.analytics.track({ type: "visit", marketplace_id: marketplace.id });
  const platform: Platform = {
    cart: openCart(domain),
    answers: sentAnswers(sent?.answers),
    parseHtml,
    isPaymentPage,
    showHead: ({ title }) => {
      document.title = title;
    },
  };
  const app = <App {...{ souk, marketplace, session, language, platform }} />;
  if (sent) hydrate(app, root);
  else render(app, root);
} catch (error) {
  await showLanguage("en");
  const isClosed = error instanceof ApiError && error.code === "NOT_FOUND";
  render(<CannotOpen error={error} isClosed={isClosed} />, root);
}
