import type { TemplateContent } from "../template.ts";
import { filters, kept, narrowing, productsBy } from "./category.ts";
import { cards, categories, empty, footer, header, pages, styles } from "./parts.ts";

/** The results of a search. */
export const searchResults: TemplateContent = {
  layout: "default",
  variables: [
    {
      name: "query",
      type: "string",
      description: "The search query.",
      validation: { max_length: 200 },
    },
    ...narrowing,
  ],
  bindings: [categories, productsBy("{% if query %}&search={{ query }}{% endif %}")],
  sections: [
    header,
    {
      id: "title",
      name: "Title",
      order: 10,
      blocks: [
        {
          id: "search-title",
          name: "Title",
          type: "dynamic_content",
          content: `<div class="shop-title"><h1>{% if query %}{{ 'shop.results_for' | t }} <q>{{ query }}</q>{% else %}{{ 'shop.all_products' | t }}{% endif %}</h1>
<p class="shop-muted" role="status">{{ 'shop.products_found' | t: count: products.total }}</p></div>`,
        },
      ],
    },
    {
      id: "filters",
      name: "Filters",
      order: 15,
      blocks: [
        { id: "search-filters", name: "Filters", type: "dynamic_content", content: filters },
      ],
    },
    {
      id: "results",
      name: "Results",
      order: 20,
      blocks: [
        {
          id: "search-results",
          name: "Results",
          type: "dynamic_content",
          content: `{% if products.products.size > 0 %}<h2 class="shop-hidden">{{ 'shop.products' | t }}</h2>
${cards("products.products", 2)}
${pages("products", kept)}
{% else %}${empty("shop.nothing_found", "shop.nothing_found_text", "/search", "shop.all_products")}{% endif %}`,
        },
      ],
    },
    footer,
  ],
  styles,
};
