import type { PageType, RenderAnswer } from "@souk/client";
import type { ParseHtml } from "../ui/html";
import type { Answers } from "./answers";
import type { CartStore } from "./cart/cart";

/** What the browser and the server do in different ways. */
export interface Platform {
  cart: CartStore;
  answers: Answers;
  parseHtml: ParseHtml;
  /** Whether the document was loaded at the page of an order, where its policy allows a payment service. */
  isPaymentPage: boolean;
  showHead(head: PageHead): void;
}

/** What a page says about itself outside of its content. */
export interface PageHead {
  title: string;
  /** The status of the server's response, if there is no such page. */
  status?: 404;
  /** The path of the page, if it was asked for by another one. */
  movedTo?: string;
  /** The metadata and the structured data that the API has made. */
  head?: RenderAnswer["head"];
  /** The styles of the template. */
  css?: string;
  /** The template whose head the server asks for, because the page shows its content without it. */
  headOf?: { type: PageType; category_id?: string };
}
