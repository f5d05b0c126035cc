import type { Storefront } from "@souk/client";
import type { Config } from "../shop/config";
import type { Language } from "../ui/texts";

/** What the server sends with the content of a page, so that the browser can continue with it. */
export interface SentPage {
  config: Config;
  marketplace: Storefront;
  language: Language;
  answers: Record<string, unknown>;
}

/** The id of the element with the data of the page, as JSON. */
export const SENT_PAGE = "souk-page";

/** The data of a page that the server has sent; null on a static page. */
export function readSentPage(): SentPage | null {
  const text = document.getElementById(SENT_PAGE)?.textContent;
  return text ? JSON.parse(text) : null;
}
