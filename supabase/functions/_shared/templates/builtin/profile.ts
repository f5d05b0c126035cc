import type { TemplateContent } from "../template.ts";
import { categories, empty, footer, header, styles } from "./parts.ts";

/** The account of a customer, with its orders. */
export const profile: TemplateContent = {
  layout: "default",
  bindings: [
    categories,
    { variable: "me", source: { type: "api", endpoint: "/auth/me" } },
    {
      variable: "orders",
      source: {
        type: "api",
        endpoint:
          "/api/orders?limit=20{% if marketplace %}&marketplace_id={{ marketplace.id }}{% endif %}",
      },
    },
  ],
  sections: [
    header,
    {
      id: "title",
      name: "Title",
      order: 10,
      blocks: [
        {
          id: "profile-title",
          name: "Title",
          type: "dynamic_content",
          settings: { class: "shop-title" },
          content: `<h1>{{ 'shop.account' | t }}</h1>
{% assign user = me.user %}{% if user.name or user.email %}<p class="shop-muted">{{ user.name | default: user.email }}{% if user.name and user.email %} · {{ user.email }}{% endif %}</p>{% endif %}`,
        },
      ],
    },
    {
      id: "orders",
      name: "Orders",
      order: 20,
      blocks: [
        {
          id: "profile-orders",
          name: "Orders",
          type: "dynamic_content",
          content: `{% if orders.orders.size > 0 %}<h2 class="shop-hidden">{{ 'shop.orders' | t }}</h2>
<ul class="shop-orders">{% for order in orders.orders %}<li class="shop-order">
<div class="shop-order-top"><h3>{{ 'shop.order' | t }} {{ order.number }}</h3><span class="shop-state{% if order.status == 'delivered' or order.status == 'shipped' %} shop-state-good{% elsif order.status == 'cancelled' or order.status == 'returned' %} shop-state-bad{% endif %}">{% assign state = 'shop.status_' | append: order.status %}{{ state | t }}</span></div>
<p class="shop-muted"><time datetime="{{ order.created_at }}">{{ order.created_at | date }}</time></p>
<ul>{% for item in order.items limit: 20 %}<li class="shop-line"><span>{{ item.quantity | number }} × <bdi>{{ item.name }}</bdi></span><span class="shop-price">{{ item.amount | money: order.currency }}</span></li>{% endfor %}</ul>
<p class="shop-line shop-sum"><span>{{ 'shop.total' | t }}</span><span class="shop-price">{{ order.total_amount | money: order.currency }}</span></p>
</li>{% endfor %}</ul>
{% else %}${empty("shop.no_orders", "shop.no_orders_text", "/search", "shop.all_products")}{% endif %}`,
        },
      ],
    },
    footer,
  ],
  styles,
};
