import type { Export, ExportFormat, ExportStatus, ExportType } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge, type Tone } from "../components/badge";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { Empty } from "../components/empty";
import { SelectField } from "../components/field";
import { Form } from "../components/form";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { messageOf } from "../lib/errors";
import { useFormat } from "../lib/format";
import { useLive } from "../lib/live";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone, toastError } from "../lib/toasts";
import { PERIODS, type Period } from "../overview/period";

const TYPES = [
  "orders",
  "order_items",
  "products",
  "inventory",
  "customers",
  "sales",
  "revenue",
  "segments",
  "cohorts",
  "funnel",
  "commissions",
  "discounts",
] as const satisfies readonly ExportType[];
const FORMATS = ["xlsx", "csv", "json"] as const satisfies readonly ExportFormat[];
const TONES: Record<ExportStatus, Tone> = {
  queued: "info",
  running: "info",
  ready: "good",
  failed: "bad",
  expired: "neutral",
};
/** Exports of the current state, which have no period. */
const WITHOUT_PERIOD: ReadonlySet<ExportType> = new Set([
  "products",
  "inventory",
  "customers",
  "segments",
  "cohorts",
  "discounts",
]);

const column = createColumnHelper<Export>();

export function ExportsPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const columns = useExportColumns();
  const list = usePagedList({
    key: ["exports"],
    readPage: (page, signal) => souk.analytics.exports(page, { signal }),
    rowsOf: (page) => page.exports,
  });
  useLive("exports", ["exports"]);
  return (
    <Page title={t("exports.title")} lead={t("exports.lead")}>
      <NewExport />
      <PagedTable
        label={t("exports.title")}
        list={list}
        rowId={(one) => one.id}
        columns={columns}
        empty={
          <Empty icon="exports" title={t("exports.none")}>
            {t("exports.noneHint")}
          </Empty>
        }
      />
    </Page>
  );
}

function NewExport() {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const [type, setType] = useState<ExportType>("orders");
  const [format, setFormat] = useState<ExportFormat>("xlsx");
  const [period, setPeriod] = useState<Period>("30d");
  const ask = useMutation({
    mutationFn: () =>
      souk.analytics.createExport({
        type,
        format,
        ...(!WITHOUT_PERIOD.has(type) && { period }),
        // Excel needs the byte order mark to detect UTF-8.
        ...(format === "csv" && { bom: true }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["exports"] }),
  });
  return (
    <Card>
      <Form action={ask} onSubmit={() => ask.mutate()} submit={t("exports.create")}>
        <div className="field-row">
          <SelectField
            name="type"
            label={t("exports.type")}
            options={TYPES.map((value) => ({ value, label: t(`exports.types.${value}`) }))}
            value={type}
            onChange={setType}
          />
          <SelectField
            name="format"
            label={t("exports.format")}
            options={FORMATS.map((value) => ({ value, label: t(`exports.formats.${value}`) }))}
            value={format}
            onChange={setFormat}
          />
          <SelectField
            name="period"
            label={t("overview.period")}
            options={PERIODS.map((value) => ({ value, label: t(`overview.periods.${value}`) }))}
            value={period}
            onChange={setPeriod}
            disabled={WITHOUT_PERIOD.has(type)}
          />
        </div>
      </Form>
    </Card>
  );
}

function useExportColumns() {
  const { t } = useTranslation();
  const format = useFormat();
  const { mutate: download } = useDownload();
  return useMemo(
    () => [
      column.accessor("type", {
        header: t("exports.type"),
        cell: ({ row: { original: one } }) => (
          <span className="two-lines">
            {t(`exports.types.${one.type}`)}
            <small className="muted">
              {t(`exports.formats.${one.format}`)} · {format.time(one.created_at)}
            </small>
          </span>
        ),
      }),
      column.accessor("rows", {
        header: t("exports.rows"),
        meta: { wide: true, numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: ({ row: { original: one } }) => (
          <span title={one.error ?? undefined}>
            <Badge tone={TONES[one.status]}>{t(`exports.statuses.${one.status}`)}</Badge>
          </span>
        ),
      }),
      column.display({
        id: "download",
        header: () => <span className="hidden">{t("exports.download")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original: one } }) =>
          one.status === "ready" && (
            <Button onClick={() => download(one.id)}>{t("exports.download")}</Button>
          ),
      }),
    ],
    [t, format, download],
  );
}

/** Downloads the files of an export, with URLs that are signed at this moment. */
function useDownload() {
  const { t } = useTranslation();
  const souk = useSouk();
  return useMutation({
    mutationFn: (id: string) => souk.analytics.getExport(id),
    onSuccess: ({ urls }) => {
      for (const url of urls) window.open(url, "_blank", "noopener");
      toastDone(t("exports.downloading"));
    },
    onError: (error) => toastError(t("common.failed"), messageOf(error)),
  });
}
