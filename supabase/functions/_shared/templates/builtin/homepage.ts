import type { TemplateContent } from "../template.ts";
import { cards, categories, empty, footer, header, ofMarketplace, styles } from "./parts.ts";

/** The home page: the shop, its categories, new products and bestsellers. */
export const homepage: TemplateContent = {
  layout: "default",
  variables: [
    { name: "headline", type: "string", description: "By default the name of the marketplace." },
    {
      name: "tagline",
      type: "string",
      description: "By default the description of the marketplace.",
    },
    { name: "hero_image", type: "image", description: "Beside the headline." },
  ],
  bindings: [
    categories,
    {
      variable: "products",
      source: { type: "api", endpoint: `/api/products?limit=8${ofMarketplace}` },
    },
    {
      variable: "best_sellers",
      source: { type: "api", endpoint: `/api/products/top-sales?limit=4${ofMarketplace}` },
    },
  ],
  sections: [
    header,
    {
      id: "welcome",
      name: "Welcome",
      order: 10,
      blocks: [
        {
          id: "hero",
          name: "Headline",
          type: "dynamic_content",
          content: `<div class="shop-hero{% if hero_image.url %} shop-hero-image{% endif %}"><div>
<h1>{{ headline | default: marketplace.name | default: 'Shop' }}</h1>
{% assign words = tagline | default: marketplace.description %}<p>{% if words %}<bdi>{{ words }}</bdi>{% else %}{{ 'shop.welcome' | t }}{% endif %}</p>
<a class="shop-button" href="/search">{{ 'shop.all_products' | t }}</a>
</div>{% if hero_image.url %}<img src="{{ hero_image.url }}"{% if hero_image.srcset %} srcset="{{ hero_image.srcset }}" sizes="(min-width: 768px) 40vw, 90vw"{% endif %} width="{{ hero_image.width | default: 800 }}" height="{{ hero_image.height | default: 600 }}" alt="{{ hero_image.alt }}">{% endif %}</div>`,
        },
      ],
    },
    {
      id: "categories",
      name: "Categories",
      order: 20,
      conditions: [
        {
          expression: { variable: "categories.total", operator: "greater_than", value: 0 },
          action: "show",
        },
      ],
      blocks: [
        {
          id: "category-tiles",
          name: "Categories",
          type: "dynamic_content",
          settings: { class: "shop-part" },
          content: `<h2>{{ 'shop.categories' | t }}</h2>
<ul class="shop-tiles">{% for entry in categories.categories limit: 8 %}<li><a href="/categories/{{ entry.id }}">{{ entry.name }}</a></li>{% endfor %}</ul>`,
        },
      ],
    },
    {
      id: "newest",
      name: "New products",
      order: 30,
      blocks: [
        {
          id: "newest-products",
          name: "New products",
          type: "dynamic_content",
          settings: { class: "shop-part" },
          content: `{% if products.products.size > 0 %}<h2>{{ 'shop.newest' | t }}</h2>
${cards("products.products", 2)}
{% else %}${empty("shop.nothing_yet", "shop.nothing_yet_text", "/search", "shop.search")}{% endif %}`,
        },
      ],
    },
    {
      id: "best-sellers",
      name: "Best sellers",
      order: 40,
      conditions: [
        { expression: { variable: "best_sellers.products.0", operator: "exists" }, action: "show" },
      ],
      blocks: [
        {
          id: "best-selling-products",
          name: "Best sellers",
          type: "dynamic_content",
          settings: { class: "shop-part" },
          content: `<h2>{{ 'shop.best_sellers' | t }}</h2>
${cards("best_sellers.products")}`,
        },
      ],
    },
    footer,
  ],
  styles,
};
