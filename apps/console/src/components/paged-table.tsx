import type { ColumnDef } from "@tanstack/react-table";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import type { PagedList } from "../lib/paged-list";
import { DataTable } from "./data-table";
import { ErrorNote } from "./error-note";
import { Loading } from "./loading";

interface PagedTableProps<Page extends { total: number }, Row> {
  label: string;
  list: PagedList<Page, Row>;
  rowId(row: Row): string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type, as TanStack Table declares it.
  columns: ColumnDef<Row, any>[];
  fresh?: ReadonlySet<string>;
  /** Shown instead of the table when the list is empty. */
  empty: ReactNode;
}

/** A list of the API as a table. Only the visible pages are loaded. */
export function PagedTable<Page extends { total: number }, Row>({
  list,
  empty,
  ...table
}: PagedTableProps<Page, Row>) {
  const { t } = useTranslation();
  const format = useFormat();
  const { id, first, total, rowAt, show, error, retry } = list;
  if (error && !first) return <ErrorNote error={error} onRetry={retry} />;
  if (!first) return <Loading />;
  if (total === 0) return empty;
  return (
    <>
      <DataTable key={id} {...table} count={total} rowAt={rowAt} onShow={show} />
      {error && <ErrorNote error={error} onRetry={retry} />}
      <p className="table-count" role="status">
        {t("common.count", { count: total, shown: format.number(total) })}
      </p>
    </>
  );
}
