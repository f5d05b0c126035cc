import type { TemplateContent } from "../template.ts";
import { filters, narrowing, productsBy, results } from "./category.ts";
import { categories, footer, header, styles } from "./parts.ts";

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
          content: results("/search", "shop.all_products"),
        },
      ],
    },
    footer,
  ],
  styles,
};
