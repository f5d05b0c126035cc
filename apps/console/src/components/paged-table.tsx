import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { type ReactNode, useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { DataTable } from "./data-table";
import { ErrorNote } from "./error-note";
import { Loading } from "./loading";

interface PagedTableProps<Answer extends { total: number }, Row> {
  label: string;
  list: UseInfiniteQueryResult<InfiniteData<Answer>>;
  /** The records of a page's answer. */
  rowsOf(answer: Answer): Row[];
  rowId(row: Row): string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type, as TanStack Table declares it.
  columns: ColumnDef<Row, any>[];
  fresh?: ReadonlySet<string>;
  /** Stands in place of the table when the list has nothing. */
  empty: ReactNode;
}

/** A list of the API as a table, read on while it is scrolled. */
export function PagedTable<Answer extends { total: number }, Row>({
  list,
  rowsOf,
  empty,
  ...table
}: PagedTableProps<Answer, Row>) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (error && !data) return <ErrorNote error={error} onRetry={() => list.refetch()} />;
  if (!data) return <Loading />;
  const rows = data.pages.flatMap(rowsOf);
  if (rows.length === 0) return empty;
  const total = data.pages.at(-1)?.total ?? rows.length;
  return (
    <>
      <DataTable {...table} rows={rows} onEnd={onEnd} />
      <p className="table-count" role="status">
        {t("common.count", { count: total, shown: format.number(total) })}
      </p>
    </>
  );
}
