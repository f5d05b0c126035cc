import type { NewLegalIdentity, Supplier } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** The name and the legal identity of a supplier. */
export function SupplierForm({ supplier, onDone }: { supplier: Supplier; onDone?: () => void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [name, setName] = useState(supplier.name);
  const [legal, setLegal] = useState({
    name: supplier.legal.name ?? "",
    address: supplier.legal.address ?? "",
    tax_id: supplier.legal.tax_id ?? "",
  });
  const set = (field: keyof typeof legal) => (text: string) =>
    setLegal({ ...legal, [field]: text });
  const save = useMutation({
    mutationFn: () => {
      const identity: NewLegalIdentity = {};
      if (legal.name) identity.name = legal.name;
      if (legal.address) identity.address = legal.address;
      if (legal.tax_id) identity.tax_id = legal.tax_id;
      // A new name ends the verification, so an unchanged name is not sent.
      return souk.suppliers.update(supplier.id, {
        ...(name !== supplier.name && { name }),
        legal: identity,
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["suppliers"] });
      toastDone(t("common.saved"));
      onDone?.();
    },
  });
  return (
    <Form action={save} onSubmit={() => save.mutate()} onCancel={onDone}>
      <TextField name="name" label={t("fields.name")} required value={name} onChange={setName} />
      <TextField
        name="legal.name"
        label={t("suppliers.legalName")}
        value={legal.name}
        onChange={set("name")}
      />
      <TextField
        name="legal.address"
        label={t("suppliers.legalAddress")}
        multiline
        value={legal.address}
        onChange={set("address")}
      />
      <TextField
        name="legal.tax_id"
        label={t("suppliers.taxId")}
        value={legal.tax_id}
        onChange={set("tax_id")}
      />
    </Form>
  );
}
