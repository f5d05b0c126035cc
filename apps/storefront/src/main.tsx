import { ApiError, createClient } from "@souk/client";
import { render } from "preact";
import { App } from "./app/app";
import { showBranding } from "./app/branding";
import { hasAgreed } from "./app/consent";
import { readConfig } from "./shop/config";
import { CannotOpen } from "./shop/messages";
import { enter } from "./shop/session";
import { startTexts } from "./ui/texts";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shop.css";

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
try {
  const { url, publishable_key, domain } = await readConfig();
  const souk = createClient(url, publishable_key, {
    // Each shop has a separate session.
    auth: { storageKey: `souk.shop.${domain}` },
    tracking: { consent: hasAgreed() },
  });
  // The session and the shop are loaded in parallel.
  const [marketplace] = await Promise.all([
    souk.marketplaces.storefront({ domain }),
    enter(souk, domain),
  ]);
  const language = await startTexts(marketplace.language);
  showBranding(marketplace);
  souk.analytics.track({ type: "visit", marketplace_id: marketplace.id });
  const { data } = await souk.supabase.auth.getSession();
  if (!data.session) throw new Error("the session could not be stored");
  render(
    <App souk={souk} marketplace={marketplace} session={data.session} language={language} />,
    root,
  );
} catch (error) {
  await startTexts("en");
  const isClosed = error instanceof ApiError && error.code === "NOT_FOUND";
  render(<CannotOpen error={error} isClosed={isClosed} />, root);
}
