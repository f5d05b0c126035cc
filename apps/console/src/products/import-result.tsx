import type { ImportError, ImportRemark, ImportSummary } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { DataTable } from "../components/data-table";
import { Figures } from "../components/figures";
import { Progress } from "../components/progress";
import { useFormat } from "../lib/format";
import { fieldTextOf } from "../lib/rules";

const column = createColumnHelper<ImportError | ImportRemark>();

/** The current result of an import, each refused line, and each value that did not count as it was sent. */
export function ImportResult({
  progress,
  isRunning,
  isTrial,
}: {
  progress: (ImportSummary & { line?: number }) | null;
  isRunning: boolean;
  isTrial: boolean;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const columns = useMemo(
    () => [
      column.accessor("line", { header: t("imports.line"), meta: { numeric: true } }),
      column.accessor("field", {
        header: t("imports.field"),
        cell: (cell) => <code>{cell.getValue() ?? "–"}</code>,
      }),
      column.accessor((row) => textOf(row, t), {
        id: "message",
        header: t("imports.problem"),
        cell: (cell) => <span className="clamped">{cell.getValue()}</span>,
      }),
    ],
    [t],
  );
  const title = isRunning ? "imports.running" : isTrial ? "imports.wouldBe" : "imports.done";
  return (
    <Card title={t(title)}>
      {isRunning && <Progress label={t("imports.running")} value={null} />}
      {progress && (
        <Figures
          figures={(["imported", "updated", "unchanged", "failed"] as const).map((name) => ({
            name: t(`imports.counts.${name}`),
            value: format.number(progress[name]),
          }))}
        />
      )}
      {(["errors", "remarks"] as const).map((name) => {
        const rows = progress?.[name] ?? [];
        if (rows.length === 0) return null;
        return (
          <DataTable
            key={name}
            label={t(name === "errors" ? "imports.problems" : "imports.remarks")}
            columns={columns}
            count={rows.length}
            rowAt={(place) => rows[place]}
            rowId={({ line, field, code }) => `${line} ${field} ${code}`}
          />
        );
      })}
    </Card>
  );
}

function textOf({ code, field, message }: ImportError | ImportRemark, t: TFunction): string {
  if (code === "QUANTITY_BELOW_ZERO") return t("imports.quantityBelowZero");
  if (code === "QUANTITY_IGNORED") return t("imports.quantityIgnored");
  return fieldTextOf(code, field ?? "", message);
}
