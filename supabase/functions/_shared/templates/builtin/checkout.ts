import type { Binding, TemplateContent } from "../template.ts";
import { categories, empty, footer, header, styles } from "./parts.ts";

const field = (
  name: string,
  autocomplete: string,
  { type = "text", isWide = false, isRequired = true } = {},
) =>
  `<div${isWide ? ' class="shop-span"' : ""}><label for="shop-${name}">{{ 'shop.${name}' | t }}</label><input id="shop-${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${isRequired ? " required" : ""}></div>`;

/** What an address must have depends on its country, so street is the only field that all have. The API checks the others. */
const countries: Binding = {
  variable: "countries",
  source: { type: "api", endpoint: "/api/countries?language={{ language }}" },
  caching: { duration: 3600 },
};

/** The checkout: contact, address, delivery and payment methods, and the total. */
export const checkout: TemplateContent = {
  layout: "default",
  variables: [
    {
      name: "items",
      type: "array",
      default_value: [],
      description: "The items of the basket: {product_id, name, price, quantity}.",
      validation: { max_length: 500 },
    },
    {
      name: "delivery_methods",
      type: "array",
      default_value: [],
      description: "The delivery methods: {key, name, price}.",
      validation: { max_length: 100 },
    },
    {
      name: "payment_methods",
      type: "array",
      default_value: [],
      description: "The names of the payment methods.",
      validation: { max_length: 100 },
    },
  ],
  bindings: [categories, countries],
  sections: [
    header,
    {
      id: "title",
      name: "Title",
      order: 10,
      blocks: [
        {
          id: "checkout-title",
          name: "Title",
          type: "dynamic_content",
          settings: { class: "shop-title" },
          content: "<h1>{{ 'shop.checkout' | t }}</h1>",
        },
      ],
    },
    {
      id: "order",
      name: "Order",
      order: 20,
      blocks: [
        {
          id: "checkout-order",
          name: "The order, or the empty basket",
          type: "conditional",
          content: {
            expression: { variable: "items.0", operator: "exists" },
            // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
            then: [
              {
                id: "checkout-form",
                name: "Form and sum",
                type: "dynamic_content",
                content: `<form class="shop-checkout" action="/checkout" method="post"><div class="shop-form">
<fieldset><legend>{{ 'shop.contact' | t }}</legend><div class="shop-fields">
${field("name", "name")}
${field("email", "email", { type: "email" })}
</div></fieldset>
<fieldset><legend>{{ 'shop.address' | t }}</legend><div class="shop-fields">
{% if countries.countries.size > 0 %}<div class="shop-span"><label for="shop-country">{{ 'shop.country' | t }}</label><select id="shop-country" name="country" autocomplete="country">
<option value=""></option>
{% for country in countries.countries %}<option value="{{ country.code }}">{{ country.name }}</option>
{% endfor %}</select></div>{% endif %}
${field("street", "street-address", { isWide: true })}
${field("postal_code", "postal-code", { isRequired: false })}
${field("city", "address-level2", { isRequired: false })}
${field("region", "address-level1", { isRequired: false })}
</div></fieldset>
{% if delivery_methods.size > 0 %}<fieldset><legend>{{ 'shop.delivery' | t }}</legend><div class="shop-orders">
{% for method in delivery_methods %}<label class="shop-choice"><input type="radio" name="delivery_method" value="{{ method.key }}" required{% if forloop.first %} checked{% endif %}><span>{{ method.name }}</span><span class="shop-price">{{ method.price | money }}</span></label>
{% endfor %}</div></fieldset>{% endif %}
{% if payment_methods.size > 0 %}<fieldset><legend>{{ 'shop.payment' | t }}</legend><div class="shop-orders">
{% for method in payment_methods %}<label class="shop-choice"><input type="radio" name="payment_method" value="{{ method }}" required{% if forloop.first %} checked{% endif %}><span>{{ method }}</span></label>
{% endfor %}</div></fieldset>{% endif %}
</div>
<section class="shop-summary" aria-labelledby="shop-summary">
<h2 id="shop-summary">{{ 'shop.your_order' | t }}</h2>
{% assign total = 0 %}<ul class="shop-fields">{% for item in items %}{% assign amount = item.price | times: item.quantity %}{% assign total = total | plus: amount %}<li class="shop-line shop-span"><span>{{ item.quantity | number }} × <bdi>{{ item.name }}</bdi></span><span class="shop-price">{{ amount | money }}</span></li>{% endfor %}</ul>
<p class="shop-line shop-sum"><span>{{ 'shop.subtotal' | t }}</span><span class="shop-price">{{ total | money }}</span></p>
<button class="shop-wide" type="submit">{{ 'shop.place_order' | t }}</button>
</section></form>`,
              },
            ],
            else: [
              {
                id: "checkout-empty",
                name: "Empty basket",
                type: "dynamic_content",
                content: empty("shop.basket_empty", "shop.basket_empty_text", "/", "shop.home"),
              },
            ],
          },
        },
      ],
    },
    footer,
  ],
  styles,
};
