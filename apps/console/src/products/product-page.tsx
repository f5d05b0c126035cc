import type { Product } from "@souk/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PromoteProduct } from "../campaigns/promote-product";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { nameIn, useSuppliers } from "../lib/names";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { ProductStock } from "../stock/product-stock";
import { changesOf, type Draft, draftOf } from "./draft";
import { ProductBadge } from "./product-badge";
import { ProductForm } from "./product-form";
import { productQuery } from "./queries";

export function ProductPage() {
  const { productId } = useParams({ from: "/products/$productId" });
  const souk = useSouk();
  const product = useQuery(productQuery(souk, productId));
  if (product.error) return <ErrorNote error={product.error} onRetry={() => product.refetch()} />;
  if (!product.data) return <Loading />;
  return <ProductEditor key={productId} product={product.data} />;
}

function ProductEditor({ product }: { product: Product }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const suppliers = useSuppliers();
  const [isRemoving, setRemoving] = useState(false);
  const [isPromoting, setPromoting] = useState(false);
  const store = (read: Product) => {
    queries.setQueryData(productQuery(souk, read.id).queryKey, read);
    return read;
  };
  const { read, values, set, form } = useRecordForm<Product, Draft>({
    record: product,
    valuesOf: draftOf,
    save: async (changed, read) => {
      const saved = store(await souk.products.update(product.id, changesOf(changed, read)));
      await queries.invalidateQueries({ queryKey: ["products"] });
      return saved;
    },
    reread: async () => store(await souk.products.get(product.id)),
  });
  return (
    <Page
      title={product.name}
      aside={<ProductBadge status={product.status} />}
      lead={nameIn(suppliers.data, product.supplier_id)}
      back={{ to: "/products", label: t("products.title") }}
      actions={
        <>
          {read.status === "active" && read.category_id && (
            <Button onClick={() => setPromoting(true)}>{t("campaigns.promote")}</Button>
          )}
          <Button onClick={() => setRemoving(true)}>{t("products.remove")}</Button>
        </>
      }
    >
      <ReviewNote product={read} />
      <ProductForm draft={values} onChange={set} form={form} product={product} />
      {product.track_inventory && <ProductStock product={product} />}
      {isPromoting && <PromoteProduct product={read} onClose={() => setPromoting(false)} />}
      {isRemoving && <RemoveProduct product={product} onClose={() => setRemoving(false)} />}
    </Page>
  );
}

/** What the seller should know about the review of a product. */
function ReviewNote({ product }: { product: Product }) {
  const { t } = useTranslation();
  const { review_status, review_reason, pending_changes } = product;
  if (!review_status || (review_status === "approved" && !review_reason)) return null;
  const state =
    review_status === "pending" ? (pending_changes ? "changeWaits" : "waits") : review_status;
  return (
    <p className="note" role="status">
      {state !== "approved" && t(`reviews.${state}`)}{" "}
      {review_reason && t("reviews.reasonIs", { reason: review_reason })}
    </p>
  );
}

function RemoveProduct({ product, onClose }: { product: Product; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => souk.products.remove(product.id),
    onSuccess: async () => {
      await navigate({ to: "/products", ignoreBlocker: true });
      toastDone(t("products.removed", { name: product.name }));
      queries.removeQueries({ queryKey: ["products", "one", product.id] });
      await queries.invalidateQueries({ queryKey: ["products"] });
    },
  });
  return (
    <Confirm
      title={t("products.remove")}
      submit={t("products.remove")}
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t("products.removeHint", { name: product.name })}
    </Confirm>
  );
}
