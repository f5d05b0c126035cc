import type { AnswerOf, SoukClient } from "@souk/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { PageQuery } from "../lib/paged-list";
import type { PayoutSearch } from "./search";

/** Number of lines of a payout that are read at once. */
export const PAYOUT_LINES = 500;

// All keys begin with "payouts", because an action on one of these records changes the others.

export const payoutsIn = (souk: SoukClient, { supplier, status }: PayoutSearch) => ({
  key: ["payouts", "list", { supplier, status }],
  readPage: (page: PageQuery, signal: AbortSignal) =>
    souk.payouts.list({ ...page, supplier_id: supplier, status }, { signal }),
  rowsOf: (page: AnswerOf<"get", "/api/payouts">) => page.payouts,
});

export const ledgerIn = (souk: SoukClient, { supplier, kind }: PayoutSearch) => ({
  key: ["payouts", "ledger", { supplier, kind }],
  readPage: (page: PageQuery, signal: AbortSignal) =>
    souk.ledger.list({ ...page, supplier_id: supplier, kind }, { signal }),
  rowsOf: (page: AnswerOf<"get", "/api/ledger">) => page.lines,
});

export const holdsIn = (souk: SoukClient, { supplier }: PayoutSearch) => ({
  key: ["payouts", "holds", { supplier }],
  readPage: (page: PageQuery, signal: AbortSignal) =>
    souk.payoutHolds.list({ ...page, supplier_id: supplier }, { signal }),
  rowsOf: (page: AnswerOf<"get", "/api/payout-holds">) => page.payout_holds,
});

/** The balances of all suppliers that the person may see. */
export const balancesQuery = (souk: SoukClient) =>
  queryOptions({
    queryKey: ["payouts", "balances"],
    queryFn: async ({ signal }) => (await souk.ledger.list({ limit: 1 }, { signal })).balances,
  });

export const payoutQuery = (souk: SoukClient, id: string) =>
  queryOptions({
    queryKey: ["payouts", "one", id],
    queryFn: ({ signal }) => souk.payouts.get(id, { signal }),
  });

/** The statement without its lines, of which there may be very many. */
export const statementQuery = (souk: SoukClient, id: string) =>
  queryOptions({
    queryKey: ["payouts", "statement", id],
    queryFn: async ({ signal }) => {
      const { data } = await souk.supabase
        .rpc("payout_statement", { payout_id: id })
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
  });

/** The lines of a statement, page by page. */
export const statementLinesQuery = (souk: SoukClient, id: string) =>
  infiniteQueryOptions({
    queryKey: ["payouts", "lines", id],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await souk.supabase
        .rpc("payout_statement_lines", { payout_id: id, after: pageParam, limit: PAYOUT_LINES })
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    getNextPageParam: (page) => (page.length < PAYOUT_LINES ? undefined : page.at(-1)?.id),
  });
