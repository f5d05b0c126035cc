import type { ListedProduct } from "@souk/client";
import { useRef } from "preact/hooks";
import { ComparedPrice } from "../../shop/compared-price";
import { useImpressions } from "../../shop/promotion";
import { Picture } from "../../ui/picture";
import { money, t } from "../../ui/texts";

const SIZES = "(min-width: 1280px) 290px, (min-width: 768px) 31vw, 46vw";

/** Cards of products. Promoted products are marked. */
export function ProductGrid({ products }: { products: readonly ListedProduct[] }) {
  const list = useRef<HTMLUListElement>(null);
  useImpressions(list, [products]);
  return (
    <ul class="grid" ref={list}>
      {products.map((product, i) => (
        <li
          key={product.id}
          class="card"
          data-campaign={product.promotion?.campaign_id}
          data-promotion={product.promotion?.token}
        >
          <a href={`/products/${product.slug}`}>
            <Picture image={product.images[0]} sizes={SIZES} lazy={i > 3} />
            <h2>
              <bdi>{product.name}</bdi>
            </h2>
            {product.brand && <span class="muted">{product.brand}</span>}
            <span class="price">{money(product.price, product.currency)}</span>
            <ComparedPrice offer={product} currency={product.currency} />
            {product.promotion && (
              <span class="label">{product.promotion.labels[0] ?? t("product.promoted")}</span>
            )}
            {product.status === "out_of_stock" && <span class="bad">{t("product.soldOut")}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
