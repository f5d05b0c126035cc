import { createClient, LANGUAGE_NAMES } from "@souk/client";
import { renderToString } from "preact-render-to-string";
import { Router } from "wouter-preact";
import { App } from "../app/app";
import type { SentPage } from "../app/sent-page";
import { collectAnswers } from "../shop/answers";
import { noCart } from "../shop/cart/cart";
import type { Config } from "../shop/config";
import type { PageHead } from "../shop/platform";
import { isMissing } from "../ui/errors";
import { type Language, languageOf, loadTexts, setTexts } from "../ui/texts";
import { cacheAnswers } from "./cache-answers";
import { parseHtml } from "./parse-html";

/** A page as the server sends it. */
export interface RenderedPage {
  html: string;
  head: PageHead;
  /** 200, 404 if there is no such page, or 503 if the API did not answer. */
  status: 200 | 404 | 503;
  sent: SentPage;
}

/** How often a page is shown until all answers are there: what it asks for may depend on earlier answers. */
const PASSES = 5;
/** Longest wait for the API, in ms. After it the browser continues, whose requests come from another address. */
const WAIT_MS = 5000;

const fetchKept = cacheAnswers();

await Promise.all((Object.keys(LANGUAGE_NAMES) as Language[]).map(loadTexts));

/** Renders a page for a visitor. Throws an ApiError with NOT_FOUND if the marketplace is not open. */
export async function renderPage(request: Request, config: Config): Promise<RenderedPage> {
  const { pathname, search, searchParams } = new URL(request.url);
  const souk = createClient(config.url, config.publishable_key, {
    marketplace: config.domain,
    auth: { persistSession: false, autoRefreshToken: false },
    fetch: fetchKept,
    retry: { maxWaitMs: WAIT_MS },
  });
  const marketplace = await souk.marketplaces.storefront({ domain: config.domain });
  const language = languageOf({
    search: searchParams,
    cookies: request.headers.get("cookie") ?? "",
    accepted: acceptedIn(request.headers.get("accept-language") ?? ""),
    ofShop: marketplace.language,
  });

  const collected = collectAnswers();
  let head: PageHead = { title: marketplace.name };
  const platform = {
    cart: noCart(),
    answers: collected.answers,
    parseHtml,
    isPaymentPage: false,
    showHead: (shown: PageHead) => {
      head = shown;
    },
  };
  const app = (
    <Router ssrPath={pathname} ssrSearch={search}>
      <App {...{ souk, marketplace, session: null, language, platform }} />
    </Router>
  );
  // Texts are global, and other pages are rendered while this one waits.
  const show = () => {
    setTexts(language);
    return renderToString(app);
  };
  let html = show();
  for (let pass = 1; pass < PASSES && (await collected.arrive()); pass += 1) html = show();

  if (head.headOf) {
    const { type, ...context } = head.headOf;
    const page = { ...context, marketplace_id: marketplace.id, language };
    head = { ...head, head: (await souk.templates.page(type, page)).head };
  }
  const failures = collected.errors().filter((error) => !isMissing(error));
  for (const error of failures) console.error(error);
  return {
    html,
    head,
    status: failures.length > 0 ? 503 : (head.status ?? 200),
    sent: { config, marketplace, language, answers: collected.values() },
  };
}

/** The language tags of an `Accept-Language` header. Browsers send the preferred ones first. */
const acceptedIn = (header: string): string[] =>
  header.split(",").map((part) => part.split(";")[0]?.trim() ?? "");
