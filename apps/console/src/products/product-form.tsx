import type { Product } from "@souk/client";
import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useMarketplaces, useSuppliers } from "../lib/names";
import { useMay } from "../session/session";
import { AttributeFields } from "./attribute-fields";
import { useCategoryOptions } from "./category-options";
import type { Draft } from "./draft";
import { Pictures } from "./pictures";
import { VariantFields } from "./variant-fields";

interface ProductFormProps {
  draft: Draft;
  onChange(change: Partial<Draft>): void;
  form: Pick<ComponentProps<typeof Form>, "action" | "onSubmit" | "onReadAgain">;
  /** The existing product; undefined for a new one. */
  product?: Product;
}

export function ProductForm({ draft, onChange, form, product }: ProductFormProps) {
  const { t } = useTranslation();
  const may = useMay();
  const categories = useCategoryOptions();
  const marketplaces = useMarketplaces();
  const suppliers = useSuppliers();
  const isNew = product === undefined;
  const statuses = isNew ? (["active", "draft"] as const) : statusesFrom(product);
  const set =
    <Name extends keyof Draft>(name: Name) =>
    (value: Draft[Name]) =>
      onChange({ [name]: value });
  return (
    <Form {...form} submit={isNew ? t("products.add") : t("common.save")}>
      <div className="columns">
        <div className="column-main">
          <Card>
            <TextField
              name="name"
              label={t("fields.name")}
              required
              value={draft.name}
              onChange={set("name")}
            />
            <TextField
              name="slug"
              label={t("fields.slug")}
              hint={t("products.slugHint")}
              value={draft.slug}
              onChange={set("slug")}
            />
            <TextField
              name="description"
              label={t("fields.description")}
              hint={t("products.descriptionHint")}
              multiline
              value={draft.description}
              onChange={set("description")}
            />
          </Card>
          <Card title={t("products.pictures")}>
            <Pictures pictures={draft.pictures} onChange={set("pictures")} />
          </Card>
          <Card title={t("products.variants")}>
            <VariantFields variants={draft.variants} onChange={set("variants")} />
          </Card>
        </div>
        <div className="column-side">
          <Card>
            <TextField
              name="price"
              label={
                product ? t("products.priceIn", { currency: product.currency }) : t("fields.price")
              }
              inputMode="decimal"
              required
              value={draft.price}
              onChange={set("price")}
            />
            <TextField
              name="compare_at_price"
              label={t("fields.compare_at_price")}
              hint={t("products.compareHint")}
              inputMode="decimal"
              value={draft.compare_at_price}
              onChange={set("compare_at_price")}
            />
            {isNew && draft.variants.length === 0 && (
              <TextField
                name="inventory.quantity"
                label={t("products.stock")}
                inputMode="numeric"
                placeholder="0"
                value={draft.quantity}
                onChange={set("quantity")}
              />
            )}
            <SelectField
              name="status"
              label={t("orders.status")}
              options={statuses.map((value) => ({ value, label: t(`productStatus.${value}`) }))}
              value={draft.status}
              onChange={set("status")}
            />
          </Card>
          <Card>
            <SelectField
              name="category_id"
              label={t("fields.category")}
              options={[{ value: "", label: t("products.noCategory") }, ...categories]}
              value={draft.category_id}
              onChange={set("category_id")}
            />
            <AttributeFields draft={draft} onChange={set("attributes")} />
          </Card>
          {isNew && (
            <Card>
              {marketplaces.data && marketplaces.data.length > 1 && (
                <SelectField
                  name="marketplace_id"
                  label={t("fields.marketplace")}
                  options={[
                    { value: "", label: t("products.chooseMarketplace") },
                    ...marketplaces.data.map(({ id, name }) => ({ value: id, label: name })),
                  ]}
                  value={draft.marketplace_id}
                  onChange={set("marketplace_id")}
                />
              )}
              {may("products.write:all") && (
                <SelectField
                  name="supplier_id"
                  label={t("fields.supplier")}
                  options={[
                    { value: "", label: t("products.ownSale") },
                    ...(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
                  ]}
                  value={draft.supplier_id}
                  onChange={set("supplier_id")}
                />
              )}
            </Card>
          )}
        </div>
      </div>
    </Form>
  );
}

/** A product that was listed once can never be a draft again. */
function statusesFrom({ status }: Product): readonly Draft["status"][] {
  return status === "draft" ? ["draft", "active"] : ["active", "inactive"];
}
