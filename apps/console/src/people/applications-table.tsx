import type { ApprovalStatus, SupplierApplication } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge, type Tone } from "../components/badge";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { Decide, type Decision } from "./decide";

const column = createColumnHelper<SupplierApplication>();

export const APPROVAL_TONES: Record<ApprovalStatus, Tone> = {
  pending: "warn",
  approved: "good",
  rejected: "neutral",
};

/** The applications of those who want to sell, newest first. */
export function ApplicationsTable() {
  const { t } = useTranslation();
  const souk = useSouk();
  const format = useFormat();
  const [decision, setDecision] = useState<Decision | null>(null);
  const list = usePagedList({
    key: ["supplierApplications", "list"],
    readPage: (page, signal) => souk.supplierApplications.list(page, { signal }),
    rowsOf: (page) => page.supplier_applications,
  });
  const columns = useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original } }) => (
          <>
            <span className="clipped">{original.name}</span>
            {original.message && <small className="clipped">{original.message}</small>}
          </>
        ),
      }),
      column.accessor("email", { header: t("fields.email"), meta: { wide: true } }),
      column.accessor("country", { header: t("reviews.country"), meta: { wide: true } }),
      column.accessor("created_at", {
        header: t("reviews.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => (
          <Badge tone={APPROVAL_TONES[cell.getValue()]}>
            {t(`reviews.statuses.${cell.getValue()}`)}
          </Badge>
        ),
      }),
      column.display({
        id: "actions",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original } }) =>
          original.status === "pending" && (
            <span className="line-actions">
              {(["approve", "reject"] as const).map((answer) => (
                <Button
                  key={answer}
                  onClick={() => setDecision({ about: "application", ...original, answer })}
                >
                  {t(`reviews.${answer}`)}
                </Button>
              ))}
            </span>
          ),
      }),
    ],
    [t, format],
  );
  return (
    <>
      <PagedTable
        label={t("reviews.applications")}
        list={list}
        rowId={(application) => application.id}
        columns={columns}
        empty={
          <Empty icon="suppliers" title={t("reviews.noApplications")}>
            {t("reviews.noApplicationsHint")}
          </Empty>
        }
      />
      {decision && <Decide decision={decision} onClose={() => setDecision(null)} />}
    </>
  );
}
