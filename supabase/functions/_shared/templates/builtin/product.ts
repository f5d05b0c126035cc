import type { TemplateContent } from "../template.ts";
import { cards, categories, compared, empty, footer, header, styles } from "./parts.ts";

const image = (position: string, sizes: string, lazy: boolean) =>
  `<img src="{{ ${position}.url }}"{% if ${position}.srcset %} srcset="{{ ${position}.srcset }}" sizes="${sizes}"{% endif %} width="{{ ${position}.width | default: 800 }}" height="{{ ${position}.height | default: 800 }}" alt="{{ ${position}.alt }}"${lazy ? ' loading="lazy" decoding="async"' : ' fetchpriority="high"'}>`;

/** The page of a product: pictures, price, availability, purchase, description and attributes. */
export const product: TemplateContent = {
  layout: "default",
  bindings: [
    categories,
    {
      variable: "left",
      source: {
        type: "computed",
        formula: "product.inventory.quantity | minus: product.inventory.reserved",
      },
    },
    {
      variable: "similar",
      source: {
        type: "api",
        endpoint: "/api/products/{{ product.id }}/similar?limit=4",
      },
      caching: { duration: 60 },
    },
  ],
  sections: [
    header,
    {
      id: "product",
      name: "Product",
      order: 10,
      blocks: [
        {
          id: "crumbs",
          name: "Where this is",
          type: "dynamic_content",
          content: `<nav class="shop-crumbs" aria-label="{{ 'shop.you_are_here' | t }}"><ol><li><a href="/">{{ 'shop.home' | t }}</a></li>{% if category %}<li><a href="/categories/{{ category.id }}">{{ category.name }}</a></li>{% endif %}<li aria-current="page">{{ product.name }}</li></ol></nav>`,
        },
        {
          id: "product-details",
          name: "Pictures, price and purchase",
          type: "conditional",
          settings: { class: "shop-product" },
          content: {
            expression: { variable: "product", operator: "exists" },
            // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
            then: [
              {
                id: "product-images",
                name: "Pictures",
                type: "dynamic_content",
                settings: { class: "shop-images" },
                content: `{% assign first = product.images | first %}{% if first %}${image("first", "(min-width: 768px) 50vw, 92vw", false)}{% else %}<span class="shop-thumb"><span class="shop-letter" aria-hidden="true">{{ product.name | slice: 0, 1 }}</span></span>{% endif %}
{% if product.images.size > 1 %}<ul class="shop-more">{% for picture in product.images offset: 1 limit: 4 %}<li>${image("picture", "(min-width: 768px) 12vw, 22vw", true)}</li>{% endfor %}</ul>{% endif %}`,
              },
              {
                id: "product-purchase",
                name: "Price and purchase",
                type: "dynamic_content",
                settings: { class: "shop-about" },
                content: `{% if product.brand %}<p class="shop-muted">{{ product.brand }}</p>{% endif %}
<h1><bdi>{{ product.name }}</bdi></h1>
<p class="shop-price">{{ product.price | money: product.currency }}</p>${compared("product")}
{% if product.status == 'out_of_stock' %}<p class="shop-state shop-state-bad">{{ 'shop.sold_out' | t }}</p>
{% elsif product.track_inventory and left < 6 %}<p class="shop-state shop-state-bad">{{ 'shop.pieces_left' | t: count: left }}</p>
{% else %}<p class="shop-state shop-state-good">{{ 'shop.in_stock' | t }}</p>{% endif %}
{% if product.status != 'out_of_stock' %}<form class="shop-buy" action="/checkout" method="post">
<input type="hidden" name="product_id" value="{{ product.id }}">
{% if product.variants.size > 0 %}<div><label for="shop-variant">{{ 'shop.variant' | t }}</label><select id="shop-variant" name="variant_id">
{% for variant in product.variants %}<option value="{{ variant.id }}">{{ variant.name }}, {{ variant.price | money: product.currency }}</option>
{% endfor %}</select></div>{% endif %}
<div><label for="shop-quantity">{{ 'shop.quantity' | t }}</label><input id="shop-quantity" name="quantity" type="number" min="1" value="1" inputmode="numeric"></div>
<button class="shop-wide" type="submit">{{ 'shop.add_to_basket' | t }}</button>
</form>{% endif %}`,
              },
            ],
            else: [
              {
                id: "product-missing",
                name: "No product",
                type: "dynamic_content",
                content: `<h1>{{ 'shop.no_product' | t }}</h1>
${empty("shop.nothing_found", "shop.no_product_text", "/search", "shop.all_products")}`,
              },
            ],
          },
        },
      ],
    },
    {
      id: "description",
      name: "Description",
      order: 20,
      conditions: [
        {
          expression: {
            operator: "OR",
            conditions: [
              { variable: "product.description", operator: "not_equals", value: "" },
              // Pictures alone have no text.
              { variable: "product.description_html", operator: "exists" },
            ],
          },
          action: "show",
        },
        { expression: { variable: "product", operator: "exists" }, action: "show" },
      ],
      blocks: [
        {
          id: "product-description",
          name: "Description",
          type: "dynamic_content",
          settings: { class: "shop-part" },
          content: `<h2>{{ 'shop.description' | t }}</h2>
{% if product.description_html %}<div class="shop-rich" dir="auto">{{ product.description_html }}</div>
{% else %}<p class="shop-text"><bdi>{{ product.description }}</bdi></p>{% endif %}`,
        },
      ],
    },
    {
      id: "facts",
      name: "Facts",
      order: 30,
      conditions: [
        { expression: { variable: "product.attributes.0", operator: "exists" }, action: "show" },
      ],
      blocks: [
        {
          id: "product-facts",
          name: "Facts",
          type: "dynamic_content",
          settings: { class: "shop-part" },
          content: `<h2>{{ 'shop.facts' | t }}</h2>
<table class="shop-facts"><tbody>{% for fact in product.attributes limit: 60 %}<tr><th scope="row">{{ fact.name | replace: "_", " " }}</th><td><bdi>{{ fact.value }}</bdi></td></tr>{% endfor %}</tbody></table>`,
        },
      ],
    },
    {
      id: "similar",
      name: "Similar products",
      order: 40,
      conditions: [
        { expression: { variable: "similar.products.0", operator: "exists" }, action: "show" },
      ],
      blocks: [
        {
          id: "similar-products",
          name: "Similar products",
          type: "dynamic_content",
          settings: { class: "shop-part" },
          content: `<h2>{{ 'shop.similar' | t }}</h2>
${cards("similar.products")}`,
        },
      ],
    },
    footer,
  ],
  styles,
};
