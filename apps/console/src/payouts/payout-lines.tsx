import type { Payout } from "@souk/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../components/data-table";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { useLedgerColumns } from "./ledger-columns";
import { statementLinesQuery } from "./queries";

/** The lines of a payout, oldest first, also those that it had before it failed or was reversed. */
export function PayoutLines({ payout }: { payout: Payout }) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const columns = useLedgerColumns({ ofAll: false, ofPayout: true });
  const [lastShown, setLastShown] = useState(0);
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(
    statementLinesQuery(souk, payout.id),
  );
  const lines = data?.pages.flat() ?? [];
  const show = useCallback((_first: number, last: number) => setLastShown(last), []);
  const needsMore = hasNextPage && !isFetching && !error && lastShown >= lines.length;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  const note = error && <ErrorNote error={error} onRetry={() => refetch()} />;
  if (!data) return note ?? <Loading />;
  return (
    <>
      <DataTable
        label={t("payouts.lines")}
        columns={columns}
        count={payout.lines}
        rowAt={(place) => lines[place]}
        rowId={(line) => line.id}
        onShow={show}
      />
      {note}
      <p className="table-count" role="status">
        {t("common.count", { count: payout.lines, shown: format.number(payout.lines) })}
      </p>
    </>
  );
}
