import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { TextField } from "../components/field";
import { Icon } from "../components/icon";
import type { DraftVariant } from "./draft";

export function VariantFields({
  variants,
  onChange,
}: {
  variants: readonly DraftVariant[];
  onChange(variants: DraftVariant[]): void;
}) {
  const { t } = useTranslation();
  const change = (key: string, fields: Partial<DraftVariant>) =>
    onChange(variants.map((one) => (one.key === key ? { ...one, ...fields } : one)));
  const add = () =>
    onChange([
      ...variants,
      {
        key: crypto.randomUUID(),
        name: "",
        sku: "",
        price: "",
        compare_at_price: "",
        quantity: "",
      },
    ]);
  return (
    <>
      {variants.length === 0 && <p className="muted">{t("products.noVariants")}</p>}
      <ul className="variants">
        {variants.map((variant, place) => (
          <li key={variant.key}>
            <TextField
              name={`variants[${place}].name`}
              label={t("fields.name")}
              required
              value={variant.name}
              onChange={(name) => change(variant.key, { name })}
            />
            <TextField
              name={`variants[${place}].sku`}
              label={t("fields.sku")}
              value={variant.sku}
              onChange={(sku) => change(variant.key, { sku })}
            />
            <TextField
              name={`variants[${place}].own_price`}
              label={t("fields.price")}
              inputMode="decimal"
              placeholder={t("products.samePrice")}
              value={variant.price}
              onChange={(price) => change(variant.key, { price })}
            />
            <TextField
              name={`variants[${place}].compare_at_price`}
              label={t("fields.compare_at_price")}
              inputMode="decimal"
              value={variant.compare_at_price}
              onChange={(compare_at_price) => change(variant.key, { compare_at_price })}
            />
            <TextField
              name={`variants[${place}].inventory.quantity`}
              label={t("products.stock")}
              inputMode="numeric"
              placeholder="0"
              // The stock of an existing variant is changed below, with a reason.
              disabled={variant.id !== undefined}
              value={variant.quantity}
              onChange={(quantity) => change(variant.key, { quantity })}
            />
            <Button
              variant="quiet"
              aria-label={t("products.removeVariant", { name: variant.name })}
              onClick={() => onChange(variants.filter(({ key }) => key !== variant.key))}
            >
              <Icon name="trash" />
            </Button>
          </li>
        ))}
      </ul>
      <div className="card-foot">
        <Button onClick={add}>
          <Icon name="plus" />
          {t("products.addVariant")}
        </Button>
      </div>
    </>
  );
}
