import type { TaxRate } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { Empty } from "../components/empty";
import { Icon } from "../components/icon";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { useCountryOptions } from "../lib/countries";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";
import { useCategoryOptions } from "../products/category-options";
import { EditTaxRate, NewTaxRate } from "./tax-rate-form";

const column = createColumnHelper<TaxRate>();

/** The tax rates of the tenant, newest first. */
export function TaxRatesPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const [editing, setEditing] = useState<TaxRate | "new" | null>(null);
  const [removing, setRemoving] = useState<TaxRate | null>(null);
  const list = usePagedList({
    key: ["taxRates", "list"],
    readPage: (page, signal) => souk.taxRates.list(page, { signal }),
    rowsOf: (page) => page.tax_rates,
  });
  const columns = useTaxRateColumns(setEditing, setRemoving);
  const add = (
    <Button variant="primary" data-shortcut="n" onClick={() => setEditing("new")}>
      <Icon name="plus" />
      {t("taxRates.add")}
    </Button>
  );
  return (
    <Page title={t("taxRates.title")} lead={t("taxRates.lead")} actions={add}>
      <PagedTable
        label={t("taxRates.title")}
        list={list}
        rowId={(rate) => rate.id}
        columns={columns}
        empty={
          <Empty icon="percent" title={t("taxRates.none")}>
            {t("taxRates.noneHint")}
          </Empty>
        }
      />
      {editing === "new" && <NewTaxRate onClose={() => setEditing(null)} />}
      {editing && editing !== "new" && (
        <EditTaxRate taxRate={editing} onClose={() => setEditing(null)} />
      )}
      {removing && <RemoveTaxRate taxRate={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function useTaxRateColumns(
  onEdit: (taxRate: TaxRate) => void,
  onRemove: (taxRate: TaxRate) => void,
) {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      column.accessor("country", {
        header: t("taxRates.country"),
        cell: ({ row: { original: taxRate } }) => (
          <button type="button" className="link row-link" onClick={() => onEdit(taxRate)}>
            <Place taxRate={taxRate} />
          </button>
        ),
      }),
      column.accessor("category_id", {
        header: t("fields.category"),
        meta: { wide: true },
        cell: (cell) => <Category id={cell.getValue()} />,
      }),
      column.accessor("name", {
        header: t("fields.name"),
        meta: { wide: true },
        cell: (cell) => <span className="clipped">{cell.getValue()}</span>,
      }),
      column.accessor("rate", {
        header: t("taxRates.rate"),
        meta: { numeric: true },
        cell: (cell) => format.rate(cell.getValue()),
      }),
      column.display({
        id: "valid",
        header: t("taxRates.valid"),
        meta: { wide: true },
        cell: ({ row: { original: taxRate } }) => <Days taxRate={taxRate} />,
      }),
      column.display({
        id: "remove",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original: taxRate } }) => (
          <Button
            variant="quiet"
            aria-label={`${t("common.remove")}: ${taxRate.name}`}
            onClick={() => onRemove(taxRate)}
          >
            <Icon name="trash" />
          </Button>
        ),
      }),
    ],
    [t, format, onEdit, onRemove],
  );
}

/** The country of a rate, and its region. */
function Place({ taxRate: { country, region } }: { taxRate: TaxRate }) {
  const known = useCountryOptions(country).find(({ value }) => value === country);
  return [known?.label ?? country, region].filter(Boolean).join(", ");
}

/** The name of a category, with those above it. */
function Category({ id }: { id: string | null }) {
  const { t } = useTranslation();
  const known = useCategoryOptions().find(({ value }) => value === id);
  return <span className="clipped">{id ? known?.label : t("taxRates.allProducts")}</span>;
}

/** The days on which a rate is valid. */
function Days({ taxRate: { valid_from, valid_to } }: { taxRate: TaxRate }) {
  const { t } = useTranslation();
  const { fullDay } = useFormat();
  if (valid_from && valid_to) return `${fullDay(valid_from)} – ${fullDay(valid_to)}`;
  if (valid_from) return t("taxRates.from", { day: fullDay(valid_from) });
  if (valid_to) return t("taxRates.until", { day: fullDay(valid_to) });
  return t("taxRates.always");
}

function RemoveTaxRate({ taxRate: { id, name }, onClose }: { taxRate: TaxRate; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => souk.taxRates.remove(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["taxRates"] });
      toastDone(t("taxRates.removed", { name }));
      onClose();
    },
  });
  return (
    <Confirm
      title={t("taxRates.remove")}
      submit={t("common.remove")}
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t("taxRates.removeHint", { name })}
    </Confirm>
  );
}
