import type { ImportError, ImportSummary } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { DataTable } from "../components/data-table";
import { Figures } from "../components/figures";
import { Progress } from "../components/progress";
import { useFormat } from "../lib/format";
import { fieldTextOf } from "../lib/rules";

const column = createColumnHelper<ImportError>();

/** The current result of an import, and each refused line. */
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
      column.accessor(({ code, field, message }) => fieldTextOf(code, field ?? "", message), {
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
      {progress && progress.errors.length > 0 && (
        <DataTable
          label={t("imports.problems")}
          columns={columns}
          count={progress.errors.length}
          rowAt={(place) => progress.errors[place]}
          rowId={({ line, field, code }) => `${line} ${field} ${code}`}
        />
      )}
    </Card>
  );
}
