import type { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { briefProduct } from "./schema.ts";

type Product = z.infer<typeof briefProduct>;

function listed(status: Product["status"]): { product: Product } {
  const sold = status === "out_of_stock" ? 12 : 0;
  return {
    product: {
      id: sample.product_id,
      tenant_id: sample.tenant_id,
      marketplace_id: sample.marketplace_id,
      supplier_id: sample.supplier_id,
      supplier: { id: sample.supplier_id, name: "Atlas Crafts", slug: "atlas-crafts" },
      category_id: null,
      external_id: null,
      kind: "physical",
      track_inventory: true,
      name: "Brass coffee pot",
      slug: "brass-coffee-pot",
      description: "Hand-beaten, for four cups.",
      price: 49,
      compare_at_price: null,
      lowest_price_30d: null,
      currency: "EUR",
      images: [{ url: "https://images.example.com/pot.jpg", alt: "The pot, from its side" }],
      attributes: [],
      brand: null,
      physical: null,
      template_id: null,
      variants: [],
      inventory: { quantity: 12, reserved: sold },
      status,
      created_at: sample.PLACED,
      updated_at: sold ? sample.MOVED : sample.PLACED,
    },
  };
}

/** The events about products. */
export const productEvents = {
  ...defineEvent("product.created", {
    description: "A product was listed.",
    carried: { product: briefProduct },
    sample: listed("active"),
  }),
  ...defineEvent("product.updated", {
    description: "A product changed.",
    carried: { product: briefProduct },
    sample: listed("active"),
  }),
  ...defineEvent("product.out_of_stock", {
    description: "The last available piece of a product was reserved.",
    carried: { product: briefProduct },
    sample: listed("out_of_stock"),
  }),
};
