import type { NewLegalIdentity, Supplier } from "@souk/client";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";

const valuesOf = ({ name, legal }: Supplier) => ({
  name,
  legal: { name: legal.name ?? "", address: legal.address ?? "", tax_id: legal.tax_id ?? "" },
});

/** The fields that are not empty. */
function identityOf({ name, address, tax_id }: ReturnType<typeof valuesOf>["legal"]) {
  const identity: NewLegalIdentity = {};
  if (name) identity.name = name;
  if (address) identity.address = address;
  if (tax_id) identity.tax_id = tax_id;
  return identity;
}

/** The name and the legal identity of a supplier. */
export function SupplierForm({ supplier, onDone }: { supplier: Supplier; onDone?: () => void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const store = (read: Supplier) => {
    queries.setQueryData(["suppliers", "one", read.id], read);
    return read;
  };
  const { values, set, form } = useRecordForm({
    record: supplier,
    valuesOf,
    save: async ({ legal, ...changed }, { updated_at }) => {
      const saved = store(
        await souk.suppliers.update(supplier.id, {
          ...changed,
          ...(legal && { legal: identityOf(legal) }),
          updated_at,
        }),
      );
      await queries.invalidateQueries({ queryKey: ["suppliers"] });
      return saved;
    },
    reread: async () => store(await souk.suppliers.get(supplier.id)),
    onSaved: onDone,
  });
  const { name, legal } = values;
  const setLegal = (field: keyof typeof legal) => (text: string) =>
    set({ legal: { ...legal, [field]: text } });
  return (
    <Form {...form} onCancel={onDone}>
      <TextField
        name="name"
        label={t("fields.name")}
        required
        value={name}
        onChange={(name) => set({ name })}
      />
      <TextField
        name="legal.name"
        label={t("suppliers.legalName")}
        value={legal.name}
        onChange={setLegal("name")}
      />
      <TextField
        name="legal.address"
        label={t("suppliers.legalAddress")}
        multiline
        value={legal.address}
        onChange={setLegal("address")}
      />
      <TextField
        name="legal.tax_id"
        label={t("suppliers.taxId")}
        value={legal.tax_id}
        onChange={setLegal("tax_id")}
      />
    </Form>
  );
}
