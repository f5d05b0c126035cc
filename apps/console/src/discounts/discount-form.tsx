import type { Discount } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useMay } from "../session/session";
import { DiscountFields } from "./discount-fields";
import { bodyOf, changesOf, EMPTY, type Values, valuesOf } from "./discount-values";

export function NewDiscount({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const isOperators = useMay()("discounts.write:all");
  const [values, setValues] = useState<Values>({
    ...EMPTY,
    borne_by: isOperators ? "operator" : "supplier",
  });
  const create = useMutation({
    mutationFn: () => souk.discounts.create(bodyOf(values)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["discounts"] });
      toastDone(t("common.saved"));
      onClose();
    },
  });
  return (
    <Dialog title={t("discounts.add")} onClose={onClose}>
      <Form action={create} onSubmit={() => create.mutate()} onCancel={onClose}>
        <DiscountFields
          isOperators={isOperators}
          values={values}
          set={(fields) => setValues((before) => ({ ...before, ...fields }))}
        />
      </Form>
    </Dialog>
  );
}

export function EditDiscount({ discount, onClose }: { discount: Discount; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const { values, set, form } = useRecordForm<Discount, Values>({
    record: discount,
    valuesOf,
    save: async (changed, read) => {
      const { id, updated_at } = read;
      const saved = await souk.discounts.update(id, { ...changesOf(changed, read), updated_at });
      await queries.invalidateQueries({ queryKey: ["discounts"] });
      return saved;
    },
    reread: () => souk.discounts.get(discount.id),
    onSaved: onClose,
  });
  return (
    <Dialog title={t("discounts.edit")} onClose={onClose}>
      <Form {...form} onCancel={onClose}>
        <DiscountFields isOperators={discount.supplier_id === null} values={values} set={set} />
      </Form>
    </Dialog>
  );
}
