import { useTranslation } from "react-i18next";
import { SelectField } from "../components/field";
import { useSuppliers } from "../lib/names";

/** Chooses a supplier. */
export function SupplierField({
  hint,
  value,
  onChange,
}: {
  hint?: string;
  value: string;
  onChange(supplierId: string): void;
}) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  return (
    <SelectField
      name="supplier_id"
      label={t("fields.supplier")}
      hint={hint}
      options={[
        { value: "", label: t("common.choose") },
        ...(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
      required
      value={value}
      onChange={onChange}
    />
  );
}
