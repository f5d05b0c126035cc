import type { Product } from "@souk/client";
import { useEffect, useRef } from "preact/hooks";
import { ToAllProducts, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { isMissing } from "../../ui/errors";
import { t } from "../../ui/texts";
import { Purchase } from "./purchase";
import { TemplatePage } from "./template-page";

/** A product's template, with the shop's own purchase form. */
export function ProductPage({ id }: { id: string }) {
  const { souk } = useShop();
  const answer = useAnswer("product", (signal) => souk.products.get(id, { signal }), [id]);
  const { error, again } = answer;
  const product = useRef<Product>();
  product.current = answer.value ?? product.current;
  useEffect(() => souk.analytics.track({ type: "product_view", product_id: id }), [souk, id]);
  // It may sell out while the page is behind others.
  useEffect(() => {
    const onShown = () => document.visibilityState === "visible" && again();
    document.addEventListener("visibilitychange", onShown);
    return () => document.removeEventListener("visibilitychange", onShown);
  }, [again]);

  // To a customer the API answers products that can be bought, and does not tell what became of others.
  if (isMissing(error)) return <Gone product={product.current} />;
  if (error && !product.current) return <Waiting {...answer} />;
  return (
    <TemplatePage
      type="product"
      product={id}
      purchase={product.current && <Purchase product={product.current} onGone={again} />}
    />
  );
}

/** What stands in place of a product that was sold before. It is known if it was here to be bought a moment ago. */
function Gone({ product }: { product: Product | undefined }) {
  const category = product?.category_id;
  return (
    <Page title={product?.name ?? t("product.gone")} status={404}>
      <p role="alert">{t("product.goneText")}</p>
      {category ? (
        <a class="button" href={`/categories/${category}`}>
          {t("product.similar")}
        </a>
      ) : (
        <ToAllProducts />
      )}
    </Page>
  );
}
