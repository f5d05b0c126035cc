import type { AuditEntry } from "@souk/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Empty, NothingFound } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { SearchField } from "../components/search-field";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { ACTIONS, ACTORS, type AuditSearch } from "./search";

const column = createColumnHelper<AuditEntry>();

/** Who changed which record, newest first. */
export function AuditLogPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const { actor, action, record } = useSearch({ from: "/audit-log" });
  const navigate = useNavigate({ from: "/audit-log" });
  const choose = (change: Partial<AuditSearch>) =>
    navigate({ search: { actor, action, record, ...change }, replace: true });
  const list = usePagedList({
    key: ["auditLog", "list", { actor, action, record }],
    readPage: (page, signal) =>
      souk.auditLog.list({ ...page, actor, action, record_id: record }, { signal }),
    rowsOf: (page) => page.entries,
  });
  const columns = useAuditColumns();
  return (
    <Page title={t("auditLog.title")} lead={t("auditLog.lead")}>
      <Filters>
        <SearchField
          label={t("auditLog.record")}
          value={record ?? ""}
          onChange={(text) => choose({ record: text || undefined })}
        />
        <FilterSelect
          label={t("auditLog.by")}
          all={t("auditLog.byAll")}
          options={ACTORS.map((value) => ({ value, label: t(`auditLog.actors.${value}`) }))}
          value={actor}
          onChange={(actor) => choose({ actor })}
        />
        <FilterSelect
          label={t("auditLog.change")}
          all={t("auditLog.allChanges")}
          options={ACTIONS.map((value) => ({ value, label: t(`auditLog.actions.${value}`) }))}
          value={action}
          onChange={(action) => choose({ action })}
        />
      </Filters>
      <PagedTable
        label={t("auditLog.title")}
        list={list}
        rowId={(entry) => entry.id}
        columns={columns}
        empty={
          actor || action || record ? (
            <NothingFound list="/audit-log" />
          ) : (
            <Empty icon="search" title={t("auditLog.none")}>
              {t("auditLog.noneHint")}
            </Empty>
          )
        }
      />
    </Page>
  );
}

function useAuditColumns() {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      column.accessor("created_at", {
        header: t("auditLog.when"),
        cell: (cell) => format.time(cell.getValue()),
      }),
      column.accessor("actor", {
        header: t("auditLog.by"),
        cell: ({ row: { original: entry } }) => (
          <>
            <span className="clipped">{t(`auditLog.actors.${entry.actor}`)}</span>
            <small className="clipped">{entry.address ?? "–"}</small>
          </>
        ),
      }),
      column.accessor("operation", {
        header: t("auditLog.change"),
        cell: ({ row: { original: entry } }) => (
          <>
            <span className="clipped">
              {t(`auditLog.actions.${entry.action}`)}: {entry.record_type}
            </span>
            <small className="clipped">{entry.operation}</small>
          </>
        ),
      }),
      column.accessor("fields", {
        header: t("auditLog.fields"),
        meta: { wide: true },
        cell: (cell) => <span className="clipped">{cell.getValue().join(", ") || "–"}</span>,
      }),
      column.accessor("record_id", {
        header: t("auditLog.record"),
        meta: { wide: true },
        cell: (cell) => <span className="clipped">{cell.getValue()}</span>,
      }),
    ],
    [t, format],
  );
}
