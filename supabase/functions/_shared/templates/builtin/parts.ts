import type { Binding, Section } from "../template.ts";
import { styles } from "./styles.ts";

export { styles };

/** The categories in the header of each page. They change seldom. */
export const categories: Binding = {
  variable: "categories",
  source: { type: "api", endpoint: "/api/categories" },
  caching: { duration: 60 },
};

/** Limits products to the marketplace of the page, if the tenant has several. */
export const ofMarketplace = "{% if marketplace %}&marketplace_id={{ marketplace.id }}{% endif %}";

/** The header of each page: name, search, links to account and basket, and categories. */
export const header: Section = {
  id: "header",
  name: "Header",
  order: 0,
  blocks: [
    {
      id: "top",
      name: "Header",
      type: "dynamic_content",
      settings: { element: "header", class: "shop-header" },
      content: `<a class="shop-skip" href="#souk-main">{{ 'shop.skip' | t }}</a>
<div class="shop-bar">
<a class="shop-brand" href="/">{% if marketplace.branding.logo_url %}<img src="{{ marketplace.branding.logo_url }}" alt="" width="32" height="32">{% endif %}<span>{{ marketplace.name | default: 'Shop' }}</span></a>
<form class="shop-search" role="search" action="/search" method="get">
<label class="shop-hidden" for="shop-query">{{ 'shop.search' | t }}</label>
<input id="shop-query" type="search" name="query" value="{{ query }}" placeholder="{{ 'shop.search_hint' | t }}">
<button type="submit">{{ 'shop.search' | t }}</button>
</form>
<nav class="shop-menu" aria-label="{{ 'shop.menu' | t }}"><ul>
<li><a href="/profile">{{ 'shop.account' | t }}</a></li>
<li><a href="/checkout">{{ 'shop.basket' | t }}</a></li>
</ul></nav>
</div>
{% if categories.total > 0 %}<nav class="shop-categories" aria-label="{{ 'shop.categories' | t }}"><ul>
{% for entry in categories.categories limit: 8 %}<li><a href="/categories/{{ entry.id }}">{{ entry.name }}</a></li>{% endfor %}
</ul></nav>{% endif %}`,
    },
  ],
};

/** The footer of each page. */
export const footer: Section = {
  id: "footer",
  name: "Footer",
  order: 1000,
  blocks: [
    {
      id: "end",
      name: "Footer",
      type: "dynamic_content",
      settings: { element: "footer", class: "shop-footer" },
      content: `<div class="shop-footer-inner">
<p>{{ marketplace.name }}</p>
<nav aria-label="{{ 'shop.more' | t }}"><ul>
<li><a href="/">{{ 'shop.home' | t }}</a></li>
<li><a href="/search">{{ 'shop.all_products' | t }}</a></li>
<li><a href="/profile">{{ 'shop.account' | t }}</a></li>
</ul></nav>
</div>`,
    },
  ],
};

/** What the price of a product is compared with, struck through, and the lowest price of the 30 days before a reduction. */
export const compared = (product: string) =>
  `{% if ${product}.compare_at_price %}<span class="shop-muted">{{ 'shop.instead_of' | t }} <s>{{ ${product}.compare_at_price | money: ${product}.currency }}</s></span>{% endif %}{% if ${product}.lowest_price_30d %}<span class="shop-muted">{{ 'shop.lowest_price' | t }} {{ ${product}.lowest_price_30d | money: ${product}.currency }}</span>{% endif %}`;

/**
 * Cards of the products of a list, for use below an h2. The images of the first two load at once, the others lazily. Texts of
 * tenants are isolated by `bdi`, because their direction may differ from the page's. A promoted product has its campaign
 * and its token in `data-campaign` and `data-promotion`, with which the shop reports that it was seen or clicked.
 */
export const cards = (list: string, eager = 0) => `<ul class="shop-grid">
{% for item in ${list} %}<li class="shop-card"{% if item.promotion %} data-campaign="{{ item.promotion.campaign_id }}" data-promotion="{{ item.promotion.token }}"{% endif %}><a href="/products/{{ item.slug }}">
<span class="shop-thumb">{% assign image = item.images | first %}{% if image %}<img src="{{ image.url }}"{% if image.srcset %} srcset="{{ image.srcset }}" sizes="(min-width: 1280px) 290px, (min-width: 768px) 31vw, 46vw"{% endif %} width="{{ image.width | default: 600 }}" height="{{ image.height | default: 600 }}" alt="{{ image.alt }}"${eager > 0 ? `{% if forloop.index > ${eager} %} loading="lazy"{% endif %}` : ' loading="lazy"'} decoding="async">{% else %}<span class="shop-letter" aria-hidden="true">{{ item.name | slice: 0, 1 }}</span>{% endif %}</span>
<h3><bdi>{{ item.name }}</bdi></h3>
{% if item.brand %}<span class="shop-muted">{{ item.brand }}</span>{% endif %}
<span class="shop-price">{{ item.price | money: item.currency }}</span>${compared("item")}
{% for label in item.promotion.labels %}<span class="shop-label">{{ label }}</span>{% endfor %}
{% if item.status == 'out_of_stock' %}<span class="shop-state shop-state-bad">{{ 'shop.sold_out' | t }}</span>{% endif %}
</a></li>{% endfor %}
</ul>`;

/** The text for an empty list: what is missing, what to do, and a link. */
export const empty = (title: string, text: string, href: string, way: string) =>
  `<div class="shop-empty"><h2>{{ '${title}' | t }}</h2><p>{{ '${text}' | t }}</p><a class="shop-button" href="${href}">{{ '${way}' | t }}</a></div>`;

/** Links to the previous and the next page; `keep` is the rest of their query. */
export const pages = (list: string, keep: string) =>
  `{% assign seen = ${list}.page | times: ${list}.limit %}{% if ${list}.page > 1 or ${list}.total > seen %}<nav class="shop-pages" aria-label="{{ 'shop.pages' | t }}">
{% if ${list}.page > 1 %}<a class="shop-button shop-quiet" rel="prev" href="?page={{ ${list}.page | minus: 1 }}${keep}">{{ 'shop.previous' | t }}</a>{% else %}<span></span>{% endif %}
{% if ${list}.total > seen %}<a class="shop-button shop-quiet" rel="next" href="?page={{ ${list}.page | plus: 1 }}${keep}">{{ 'shop.next' | t }}</a>{% endif %}
</nav>{% endif %}`;
