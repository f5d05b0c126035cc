import type { CommissionRate } from "@souk/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { ErrorNote } from "../components/error-note";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { Icon } from "../components/icon";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { numberFrom } from "../lib/numbers";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useCategoryOptions } from "../products/category-options";

/** The commission rates of suppliers and categories that differ from the marketplace's. */
export function RatesDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const queries = useQueryClient();
  const suppliers = useSuppliers();
  const categories = useCategoryOptions();
  const [subject, setSubject] = useState("");
  const [percent, setPercent] = useState("");
  const rates = useQuery({
    queryKey: ["rates"],
    queryFn: ({ signal }) => souk.commissionRates.list({ limit: 100 }, { signal }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ["rates"] });
  const subjects = [
    ...(suppliers.data ?? []).map(({ id, name }) => ({ value: `supplier ${id}`, label: name })),
    ...categories.map(({ value, label }) => ({ value: `category ${value}`, label })),
  ];
  const set = useMutation({
    mutationFn: () => {
      const [kind, id] = subject.split(" ");
      return souk.commissionRates.set({
        ...(kind === "supplier" && { supplier_id: id }),
        ...(kind === "category" && { category_id: id }),
        commission_percent: numberFrom(percent) ?? 0,
      });
    },
    onSuccess: () => {
      setPercent("");
      return refresh();
    },
  });
  const restore = useMutation({
    mutationFn: ({ supplier_id, category_id, commission_percent }: CommissionRate) =>
      souk.commissionRates.set({
        ...(supplier_id && { supplier_id }),
        ...(category_id && { category_id }),
        commission_percent,
      }),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: ({ id }: CommissionRate) => souk.commissionRates.remove(id),
    onSuccess: async (_, rate) => {
      await refresh();
      toastDone(t("commissions.rateRemoved", { name: nameOf(rate) }), {
        label: t("common.undo"),
        run: () => restore.mutate(rate),
      });
    },
  });
  const nameOf = (rate: { supplier_id: string | null; category_id: string | null }) =>
    nameIn(suppliers.data, rate.supplier_id) ??
    categories.find(({ value }) => value === rate.category_id)?.label;
  return (
    <Dialog title={t("commissions.rates")} lead={t("commissions.ratesHint")} onClose={onClose}>
      <ul className="lines">
        {rates.data?.commission_rates.map((rate) => (
          <li key={rate.id}>
            <span>{nameOf(rate)}</span>
            <span className="line-actions">
              {format.percent(rate.commission_percent)}
              <Button
                variant="quiet"
                aria-label={`${t("common.remove")}: ${nameOf(rate)}`}
                onClick={() => remove.mutate(rate)}
              >
                <Icon name="trash" />
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {remove.error && <ErrorNote error={remove.error} />}
      <Form action={set} onSubmit={() => set.mutate()} submit={t("commissions.setRate")}>
        <div className="field-row">
          <SelectField
            name="supplier_id"
            label={t("commissions.subject")}
            options={[{ value: "", label: t("common.choose") }, ...subjects]}
            value={subject}
            onChange={setSubject}
          />
          <TextField
            name="commission_percent"
            label={t("commissions.percent")}
            inputMode="decimal"
            required
            value={percent}
            onChange={setPercent}
          />
        </div>
      </Form>
    </Dialog>
  );
}
