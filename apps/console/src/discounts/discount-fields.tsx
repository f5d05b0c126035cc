import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PickField, SelectField, TextField } from "../components/field";
import { Filters } from "../components/filters";
import { SearchField } from "../components/search-field";
import { useMarketplaces, useSuppliers } from "../lib/names";
import { useNamesOf } from "../lib/record-names";
import { useSouk } from "../lib/souk";
import { useCategoryOptions } from "../products/category-options";
import type { Values } from "./discount-values";

const KINDS = ["percentage", "amount", "free_delivery"] as const;
const BEARERS = ["operator", "supplier"] as const;

/** The number of products among which one is chosen. */
const FOUND_PRODUCTS = 20;

interface FieldsProps {
  /** Whether it is the operator's, and not a supplier's. */
  isOperators: boolean;
  values: Values;
  set(fields: Partial<Values>): void;
}

export function DiscountFields({ isOperators, values, set }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="code"
        label={t("discounts.code")}
        hint={t("discounts.codeHint")}
        autoComplete="off"
        value={values.code}
        onChange={(code) => set({ code })}
      />
      <AmountFields isOperators={isOperators} values={values} set={set} />
      <ScopeFields isOperators={isOperators} values={values} set={set} />
      <div className="field-row">
        <TextField
          name="starts_at"
          label={t("discounts.startsAt")}
          type="datetime-local"
          value={values.starts_at}
          onChange={(starts_at) => set({ starts_at })}
        />
        <TextField
          name="ends_at"
          label={t("discounts.endsAt")}
          type="datetime-local"
          value={values.ends_at}
          onChange={(ends_at) => set({ ends_at })}
        />
      </div>
      <div className="field-row">
        <TextField
          name="uses_total"
          label={t("discounts.usesTotal")}
          hint={t("discounts.usesHint")}
          inputMode="numeric"
          value={values.uses_total}
          onChange={(uses_total) => set({ uses_total })}
        />
        <TextField
          name="uses_per_customer"
          label={t("discounts.usesPerCustomer")}
          hint={t("discounts.usesHint")}
          inputMode="numeric"
          value={values.uses_per_customer}
          onChange={(uses_per_customer) => set({ uses_per_customer })}
        />
      </div>
      {isOperators && (
        <SelectField
          name="borne_by"
          label={t("discounts.bearer")}
          options={BEARERS.map((value) => ({ value, label: t(`discounts.bearers.${value}`) }))}
          value={values.borne_by}
          onChange={(borne_by) => set({ borne_by })}
        />
      )}
    </>
  );
}

/** What is taken off, and from which amount on. The currency is asked for where an amount is. */
function AmountFields({ isOperators, values, set }: FieldsProps) {
  const { t } = useTranslation();
  const marketplaces = useMarketplaces().data ?? [];
  const { kind, value, currency, minimum_subtotal } = values;
  const used = marketplaces.map((marketplace) => marketplace.currency);
  const currencies = [...new Set(currency ? [currency, ...used] : used)];
  const needsCurrency = (next: Values) => next.kind === "amount" || next.minimum_subtotal !== "";
  const setAmounts = (fields: Partial<Values>) => {
    const next = { ...values, ...fields };
    set({ ...fields, currency: needsCurrency(next) ? currency || (currencies[0] ?? "") : "" });
  };
  return (
    <>
      <div className="field-row">
        <SelectField
          name="kind"
          label={t("discounts.kind")}
          options={KINDS.filter((one) => isOperators || one !== "free_delivery").map((one) => ({
            value: one,
            label: t(`discounts.kinds.${one}`),
          }))}
          value={kind}
          onChange={(kind) => setAmounts({ kind, ...(kind === "free_delivery" && { value: "" }) })}
        />
        {kind !== "free_delivery" && (
          <TextField
            name="value"
            label={t(kind === "amount" ? "discounts.amount" : "discounts.percent")}
            inputMode="decimal"
            required
            value={value}
            onChange={(value) => set({ value })}
          />
        )}
      </div>
      <div className="field-row">
        <TextField
          name="minimum_subtotal"
          label={t("discounts.minimum")}
          hint={t("discounts.minimumHint")}
          inputMode="decimal"
          value={minimum_subtotal}
          onChange={(minimum_subtotal) => setAmounts({ minimum_subtotal })}
        />
        {needsCurrency(values) && (
          <SelectField
            name="currency"
            label={t("fields.currency")}
            options={[
              { value: "", label: t("common.choose") },
              ...currencies.map((one) => ({ value: one, label: one })),
            ]}
            value={currency}
            onChange={(currency) => set({ currency })}
          />
        )}
      </div>
    </>
  );
}

/** What a discount is for. */
function ScopeFields({ isOperators, values, set }: FieldsProps) {
  const { t } = useTranslation();
  const marketplaces = useMarketplaces().data ?? [];
  const suppliers = useSuppliers().data ?? [];
  const categories = useCategoryOptions();
  const optionOf = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });
  return (
    <>
      <SelectField
        name="marketplace_id"
        label={t("fields.marketplace")}
        options={[{ value: "", label: t("common.allMarketplaces") }, ...marketplaces.map(optionOf)]}
        value={values.marketplace_id}
        onChange={(marketplace_id) => set({ marketplace_id })}
      />
      <PickField
        name="category_ids"
        label={t("discounts.categories")}
        none={t("discounts.allCategories")}
        options={categories}
        chosen={values.category_ids}
        onChange={(category_ids) => set({ category_ids })}
      />
      {isOperators && (
        <PickField
          name="supplier_ids"
          label={t("discounts.suppliers")}
          none={t("discounts.allSuppliers")}
          options={suppliers.map(optionOf)}
          chosen={values.supplier_ids}
          onChange={(supplier_ids) => set({ supplier_ids })}
        />
      )}
      <ProductsField chosen={values.product_ids} onChange={(product_ids) => set({ product_ids })} />
    </>
  );
}

/** Chooses products, which are found by their names. */
function ProductsField({
  chosen,
  onChange,
}: {
  chosen: string[];
  onChange(chosen: string[]): void;
}) {
  const { t } = useTranslation();
  const souk = useSouk();
  const [search, setSearch] = useState("");
  const found = useQuery({
    queryKey: ["products", "found", search],
    queryFn: ({ signal }) =>
      souk.products.list({ search: search || undefined, limit: FOUND_PRODUCTS }, { signal }),
  });
  const names = useNamesOf("products", [chosen]);
  return (
    <>
      <PickField
        name="product_ids"
        label={t("discounts.products")}
        none={t("discounts.allProducts")}
        options={[
          ...chosen.map((id) => ({ value: id, label: names.get(id) ?? "…" })),
          ...(found.data?.products ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        chosen={chosen}
        onChange={onChange}
      />
      <Filters>
        <SearchField label={t("discounts.findProducts")} value={search} onChange={setSearch} />
      </Filters>
    </>
  );
}
