import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../components/button";
import { Empty, NothingFound } from "../components/empty";
import { FilterChip, FilterSelect, Filters } from "../components/filters";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { SearchField } from "../components/search-field";
import { useLive } from "../lib/live";
import { nameIn, useSuppliers } from "../lib/names";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { useCategoryOptions } from "./category-options";
import { useProductColumns } from "./product-columns";
import { productsIn } from "./queries";
import { PRODUCT_STATUSES, type ProductSearch } from "./search";

export function ProductsPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const search = useSearch({ from: "/products" });
  const navigate = useNavigate({ from: "/products" });
  const list = usePagedList(productsIn(souk, search));
  const columns = useProductColumns();
  const categories = useCategoryOptions();
  const suppliers = useSuppliers();
  useLive("products", ["products"]);
  const choose = (change: Partial<ProductSearch>) =>
    navigate({ search: { ...search, ...change }, replace: true });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const add = (
    <ButtonLink to="/products/new" variant="primary" data-shortcut="n">
      <Icon name="plus" />
      {t("products.add")}
    </ButtonLink>
  );
  return (
    <Page
      title={t("products.title")}
      actions={
        <>
          <ButtonLink to="/products/import">
            <Icon name="imports" />
            {t("imports.title")}
          </ButtonLink>
          {add}
        </>
      }
    >
      <Filters>
        <SearchField
          label={t("products.search")}
          value={search.search ?? ""}
          onChange={(text) => choose({ search: text || undefined })}
        />
        <FilterSelect
          label={t("orders.status")}
          all={t("orders.anyStatus")}
          options={PRODUCT_STATUSES.map((value) => ({ value, label: t(`productStatus.${value}`) }))}
          value={search.status}
          onChange={(status) => choose({ status })}
        />
        <FilterSelect
          label={t("fields.category")}
          all={t("products.anyCategory")}
          options={categories}
          value={search.category}
          onChange={(category) => choose({ category })}
        />
        <FilterSelect
          label={t("products.sort")}
          all={t("products.sorts.best")}
          options={(["name", "price", "updated_at"] as const).map((value) => ({
            value,
            label: t(`products.sorts.${value}`),
          }))}
          value={search.sort}
          onChange={(sort) => choose({ sort })}
        />
        {search.supplier && (
          <FilterChip
            label={t("fields.supplier")}
            value={nameIn(suppliers.data, search.supplier) ?? undefined}
            onClear={() => choose({ supplier: undefined })}
          />
        )}
      </Filters>
      <PagedTable
        label={t("products.title")}
        list={list}
        rowId={(product) => product.id}
        columns={columns}
        empty={
          isFiltered ? (
            <NothingFound list="/products" />
          ) : (
            <Empty icon="products" title={t("products.none")} action={add}>
              {t("products.noneHint")}
            </Empty>
          )
        }
      />
    </Page>
  );
}
