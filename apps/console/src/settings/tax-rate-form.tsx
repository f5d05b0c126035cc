import type { TaxRate } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { useCountryOptions } from "../lib/countries";
import { numberFrom, typedNumber } from "../lib/numbers";
import { useRecordForm } from "../lib/record-form";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useCategoryOptions } from "../products/category-options";

/** The fields as they are typed. An empty region, category or day stands for null. */
interface Values {
  country: string;
  region: string;
  category_id: string;
  rate: string;
  name: string;
  valid_from: string;
  valid_to: string;
}

const EMPTY: Values = {
  country: "",
  region: "",
  category_id: "",
  rate: "",
  name: "",
  valid_from: "",
  valid_to: "",
};

const valuesOf = (rate: TaxRate): Values => ({
  country: rate.country,
  region: rate.region ?? "",
  category_id: rate.category_id ?? "",
  rate: typedNumber(rate.rate),
  name: rate.name,
  valid_from: rate.valid_from ?? "",
  valid_to: rate.valid_to ?? "",
});

/** A text that is no number stays undefined, which the API refuses with the name of the field. */
const typedRate = (text: string) => numberFrom(text) as number;

/** The fields to send of the values that were changed. */
const changesOf = (typed: Partial<Values>) => ({
  ...(typed.country !== undefined && { country: typed.country }),
  ...(typed.region !== undefined && { region: typed.region || null }),
  ...(typed.category_id !== undefined && { category_id: typed.category_id || null }),
  ...(typed.rate !== undefined && { rate: typedRate(typed.rate) }),
  ...(typed.name !== undefined && { name: typed.name }),
  ...(typed.valid_from !== undefined && { valid_from: typed.valid_from || null }),
  ...(typed.valid_to !== undefined && { valid_to: typed.valid_to || null }),
});

export function NewTaxRate({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const create = useMutation({
    mutationFn: () => {
      const { country, rate, name } = values;
      return souk.taxRates.create({ ...changesOf(values), country, rate: typedRate(rate), name });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["taxRates"] });
      toastDone(t("common.saved"));
      onClose();
    },
  });
  return (
    <Dialog title={t("taxRates.add")} onClose={onClose}>
      <Form action={create} onSubmit={() => create.mutate()} onCancel={onClose}>
        <TaxRateFields
          values={values}
          set={(fields) => setValues((before) => ({ ...before, ...fields }))}
        />
      </Form>
    </Dialog>
  );
}

export function EditTaxRate({ taxRate, onClose }: { taxRate: TaxRate; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const { values, set, form } = useRecordForm<TaxRate, Values>({
    record: taxRate,
    valuesOf,
    save: async (changed, { id, updated_at }) => {
      const saved = await souk.taxRates.update(id, { ...changesOf(changed), updated_at });
      await queries.invalidateQueries({ queryKey: ["taxRates"] });
      return saved;
    },
    reread: () => souk.taxRates.get(taxRate.id),
    onSaved: onClose,
  });
  return (
    <Dialog title={t("taxRates.edit")} onClose={onClose}>
      <Form {...form} onCancel={onClose}>
        <TaxRateFields values={values} set={set} />
      </Form>
    </Dialog>
  );
}

function TaxRateFields({ values, set }: { values: Values; set(fields: Partial<Values>): void }) {
  const { t } = useTranslation();
  const countries = useCountryOptions(values.country);
  const categories = useCategoryOptions();
  return (
    <>
      <div className="field-row">
        <SelectField
          name="country"
          label={t("taxRates.country")}
          options={[{ value: "", label: t("common.choose") }, ...countries]}
          value={values.country}
          onChange={(country) => set({ country })}
        />
        <TextField
          name="region"
          label={t("taxRates.region")}
          hint={t("taxRates.regionHint")}
          value={values.region}
          onChange={(region) => set({ region })}
        />
      </div>
      <SelectField
        name="category_id"
        label={t("fields.category")}
        hint={t("taxRates.categoryHint")}
        options={[{ value: "", label: t("taxRates.allProducts") }, ...categories]}
        value={values.category_id}
        onChange={(category_id) => set({ category_id })}
      />
      <div className="field-row">
        <TextField
          name="rate"
          label={t("taxRates.percent")}
          inputMode="decimal"
          required
          value={values.rate}
          onChange={(rate) => set({ rate })}
        />
        <TextField
          name="name"
          label={t("fields.name")}
          hint={t("taxRates.nameHint")}
          required
          value={values.name}
          onChange={(name) => set({ name })}
        />
      </div>
      <div className="field-row">
        <TextField
          name="valid_from"
          label={t("taxRates.validFrom")}
          type="date"
          value={values.valid_from}
          onChange={(valid_from) => set({ valid_from })}
        />
        <TextField
          name="valid_to"
          label={t("taxRates.validTo")}
          type="date"
          value={values.valid_to}
          onChange={(valid_to) => set({ valid_to })}
        />
      </div>
    </>
  );
}
