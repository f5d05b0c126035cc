import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../components/button";
import { Empty } from "../components/empty";
import { Page } from "../components/page";
import { useMarketplaces } from "../lib/names";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useUnsaved } from "../lib/unsaved";
import { useMay } from "../session/session";
import { type Draft, emptyDraft, newProductOf } from "./draft";
import { ProductForm } from "./product-form";

export function NewProductPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const may = useMay();
  const marketplaces = useMarketplaces();
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  useUnsaved(draft !== emptyDraft);
  const create = useMutation({
    mutationFn: () => souk.products.create(newProductOf(draft)),
    onSuccess: async (product) => {
      await queries.invalidateQueries({ queryKey: ["products"] });
      toastDone(t("products.added", { name: product.name }));
      await navigate({
        to: "/products/$productId",
        params: { productId: product.id },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <Page title={t("products.new")} back={{ to: "/products", label: t("products.title") }}>
      {marketplaces.data?.length === 0 ? (
        <Empty
          icon="marketplaces"
          title={t("products.needsMarketplace")}
          action={
            may("marketplaces.write") && (
              <ButtonLink to="/marketplaces" variant="primary">
                {t("marketplaces.open")}
              </ButtonLink>
            )
          }
        />
      ) : (
        <ProductForm
          draft={draft}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          form={{ action: create, onSubmit: () => create.mutate() }}
        />
      )}
    </Page>
  );
}
