import type { PageType, TemplateContent } from "../template.ts";
import { category } from "./category.ts";
import { checkout } from "./checkout.ts";
import { homepage } from "./homepage.ts";
import { product } from "./product.ts";
import { profile } from "./profile.ts";
import { searchResults } from "./search_results.ts";

/** The built-in template of each page type, which is used if there is no other. They are ordinary templates, which can be copied. */
export const builtIn: Record<PageType, { name: string; content: TemplateContent }> = {
  homepage: { name: "Home", content: homepage },
  category: { name: "Category", content: category },
  product: { name: "Product", content: product },
  checkout: { name: "Checkout", content: checkout },
  profile: { name: "Account", content: profile },
  search_results: { name: "Search results", content: searchResults },
};
