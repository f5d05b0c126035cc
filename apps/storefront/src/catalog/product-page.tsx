import { ApiError } from "@souk/client";
import { useEffect } from "preact/hooks";
import { NotFound } from "../app/not-found";
import { useShop } from "../lib/shop";
import { useAnswer } from "../lib/use-answer";
import { Purchase } from "./purchase";
import { TemplatePage } from "./template-page";

/** A product's template, with the shop's own purchase form. */
export function ProductPage({ id }: { id: string }) {
  const { souk } = useShop();
  const product = useAnswer((signal) => souk.products.get(id, { signal }), [id]);
  useEffect(() => souk.analytics.track({ type: "product_view", product_id: id }), [souk, id]);

  if (product.error instanceof ApiError && product.error.status < 500) return <NotFound />;
  const { value } = product;
  return (
    <TemplatePage type="product" product={id} purchase={value && <Purchase product={value} />} />
  );
}
