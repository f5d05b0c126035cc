import type { Product } from "@souk/client";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { ToAllProducts, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { useHead } from "../../shop/use-head";
import { isMissing } from "../../ui/errors";
import { t } from "../../ui/texts";
import { Purchase } from "./purchase";
import { TemplatePage } from "./template-page";

/** A product's template, with the shop's own purchase form. The address is its slug; an id or a former slug leads there. */
export function ProductPage({ address }: { address: string }) {
  const { souk, marketplace } = useShop();
  const [, navigate] = useLocation();
  const answer = useAnswer(
    "product",
    (signal) => souk.products.get(address, { marketplace_id: marketplace.id }, { signal }),
    [address],
  );
  const { error, again } = answer;
  const product = useRef<Product>();
  product.current = answer.value ?? product.current;
  const { id, name = "", slug = address } = product.current ?? {};
  const movedTo = slug === address ? undefined : `/products/${slug}`;
  useHead(movedTo ? { title: name, movedTo } : undefined);
  useEffect(() => {
    if (movedTo) navigate(movedTo + location.search + location.hash, { replace: true });
    else if (id) souk.analytics.track({ type: "product_view", product_id: id });
  }, [souk, navigate, id, movedTo]);
  // It may sell out while the page is behind others.
  useEffect(() => {
    const onShown = () => document.visibilityState === "visible" && again();
    document.addEventListener("visibilitychange", onShown);
    return () => document.removeEventListener("visibilitychange", onShown);
  }, [again]);

  // To a customer the API answers products that can be bought, and does not tell what became of others.
  if (isMissing(error)) return <Gone product={product.current} />;
  if (!id || movedTo) return <Waiting {...answer} />;
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
