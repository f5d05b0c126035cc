import type { Binding, TemplateContent, Variable } from "../template.ts";
import { cards, categories, empty, footer, header, ofMarketplace, pages, styles } from "./parts.ts";

/** The filters of a list of products. A shop passes them on from the query of its address. */
export const narrowing: Variable[] = [
  { name: "page", type: "number", default_value: 1, validation: { min: 1, max: 1_000_000 } },
  {
    name: "sort",
    type: "string",
    validation: { options: ["newest", "price_asc", "price_desc", "name"] },
  },
  { name: "brand", type: "string", validation: { min_length: 1, max_length: 200 } },
  { name: "price_min", type: "number", validation: { min: 0 } },
  { name: "price_max", type: "number", validation: { min: 0 } },
];

/** The list of products of a category or a search, with these filters. */
export const productsBy = (what: string): Binding => ({
  variable: "products",
  source: {
    type: "api",
    endpoint: `/api/products?limit=24&page={{ page }}${what}${ofMarketplace}\
{% if brand %}&brand={{ brand }}{% endif %}{% if price_min %}&price_min={{ price_min }}{% endif %}\
{% if price_max %}&price_max={{ price_max }}{% endif %}{% if sort == 'newest' %}&sort=created_at{% endif %}\
{% if sort == 'name' %}&sort=name&order=asc{% endif %}{% if sort == 'price_asc' %}&sort=price&order=asc{% endif %}\
{% if sort == 'price_desc' %}&sort=price&order=desc{% endif %}`,
  },
});

/** The filters in the addresses of other pages of the same list. */
const kept = `{% if query %}&query={{ query }}{% endif %}{% if sort %}&sort={{ sort }}{% endif %}{% if brand %}&brand={{ brand }}{% endif %}\
{% if price_min %}&price_min={{ price_min }}{% endif %}{% if price_max %}&price_max={{ price_max }}{% endif %}`;

const SORTS = ["newest", "price_asc", "price_desc", "name"] as const;

/** The products of `productsBy` with links to other pages; without products, a link to `href` with the text `way`. */
export const results = (href: string, way: string) =>
  `{% if products.products.size > 0 %}<h2 class="shop-hidden">{{ 'shop.products' | t }}</h2>
${cards("products.products", 2)}
${pages("products", kept)}
{% else %}${empty("shop.nothing_found", "shop.nothing_found_text", href, way)}{% endif %}`;

/** The form that filters and sorts a list. */
export const filters = `<form class="shop-filters" method="get" aria-label="{{ 'shop.filters' | t }}">
{% if query %}<input type="hidden" name="query" value="{{ query }}">{% endif %}
<div><label for="shop-sort">{{ 'shop.sort' | t }}</label><select id="shop-sort" name="sort">
<option value="">{{ 'shop.sort_best' | t }}</option>
${SORTS.map((name) => `<option value="${name}"{% if sort == '${name}' %} selected{% endif %}>{{ 'shop.sort_${name}' | t }}</option>`).join("\n")}
</select></div>
{% if products.filters.brands.size > 0 %}<div><label for="shop-brand">{{ 'shop.brand' | t }}</label><select id="shop-brand" name="brand">
<option value="">{{ 'shop.all' | t }}</option>
{% for entry in products.filters.brands limit: 50 %}<option value="{{ entry.name }}"{% if brand == entry.name %} selected{% endif %}>{{ entry.name }} ({{ entry.count | number }})</option>
{% endfor %}</select></div>{% endif %}
<div><label for="shop-price-min">{{ 'shop.price_min' | t }}</label><input id="shop-price-min" name="price_min" type="number" min="0" inputmode="decimal" value="{{ price_min }}"></div>
<div><label for="shop-price-max">{{ 'shop.price_max' | t }}</label><input id="shop-price-max" name="price_max" type="number" min="0" inputmode="decimal" value="{{ price_max }}"></div>
<button type="submit">{{ 'shop.apply' | t }}</button>
</form>`;

/** The page of a category: the categories below it, and its products. */
export const category: TemplateContent = {
  layout: "default",
  variables: narrowing,
  bindings: [categories, productsBy("{% if category %}&category={{ category.id }}{% endif %}")],
  sections: [
    header,
    {
      id: "title",
      name: "Title",
      order: 10,
      blocks: [
        {
          id: "category-title",
          name: "Title",
          type: "dynamic_content",
          content: `<nav class="shop-crumbs" aria-label="{{ 'shop.you_are_here' | t }}"><ol><li><a href="/">{{ 'shop.home' | t }}</a></li>{% if category %}<li aria-current="page">{{ category.name }}</li>{% endif %}</ol></nav>
<div class="shop-title"><h1>{% if category %}{{ category.name }}{% else %}{{ 'shop.all_products' | t }}{% endif %}</h1>
<p class="shop-muted">{{ 'shop.products_found' | t: count: products.total }}</p></div>
{% if category.children.size > 0 %}<nav class="shop-categories shop-within" aria-label="{{ 'shop.subcategories' | t }}"><ul>{% for entry in category.children limit: 20 %}<li><a href="/categories/{{ entry.id }}">{{ entry.name }}</a></li>{% endfor %}</ul></nav>{% endif %}`,
        },
      ],
    },
    {
      id: "filters",
      name: "Filters",
      order: 15,
      blocks: [
        { id: "product-filters", name: "Filters", type: "dynamic_content", content: filters },
      ],
    },
    {
      id: "products",
      name: "Products",
      order: 20,
      blocks: [
        {
          id: "category-products",
          name: "Products",
          type: "dynamic_content",
          content: results("/", "shop.home"),
        },
      ],
    },
    footer,
  ],
  styles,
};
