import { useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

/** The number of records per request. */
const PAGE_ROWS = 100;
/**
 * Time that a page must be visible before it is loaded, in ms, so that scrolling far does not load all pages between.
 */
const PAUSE_MS = 80;

export interface PageQuery {
  page: number;
  limit: number;
}

interface Answer {
  total: number;
}

/** A list of the API. `key` begins with the name of the records. */
export interface PagedSource<Page extends Answer, Row> {
  key: readonly unknown[];
  readPage(query: PageQuery, signal: AbortSignal): Promise<Page>;
  /** Returns the records of a page's answer. */
  rowsOf(page: Page): readonly Row[];
}

/** The state of a list of which only the visible pages are loaded. */
export interface PagedList<Page extends Answer, Row> {
  /** A unique text for each list. */
  id: string;
  /** The first page; undefined until it is loaded. */
  first: Page | undefined;
  /** The number of records. */
  total: number;
  /** The record at an index; undefined while its page is not loaded. */
  rowAt(place: number): Row | undefined;
  /** The records of the visible pages, page by page. */
  pages: readonly (readonly Row[])[];
  /** Sets the visible indexes. */
  show(first: number, last: number): void;
  error: Error | null;
  retry(): void;
}

/** Loads a list page by page, as its rows become visible. */
export function usePagedList<Page extends Answer, Row>({
  key,
  readPage,
  rowsOf,
}: PagedSource<Page, Row>): PagedList<Page, Row> {
  const id = JSON.stringify(key);
  const [sight, setSight] = useState({ id, from: 1, to: 1 });
  const { from, to } = sight.id === id ? sight : { from: 1, to: 1 };
  const numbers = [...new Set([1, ...Array.from({ length: to - from + 1 }, (_, i) => from + i)])];
  const answers = useQueries({
    queries: numbers.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readPage({ page, limit: PAGE_ROWS }, signal),
    })),
  });

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = useCallback(
    (first: number, last: number) => {
      const next = { id, from: pageOf(first), to: pageOf(last) };
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        setSight((now) =>
          now.id === id && now.from === next.from && now.to === next.to ? now : next,
        );
      }, PAUSE_MS);
    },
    [id],
  );

  const rows = new Map(
    numbers.map((page, i) => {
      const answer = answers[i]?.data;
      return [page, answer && rowsOf(answer)];
    }),
  );
  const first = answers[0]?.data;
  return {
    id,
    first,
    total: first?.total ?? 0,
    rowAt: (place) => rows.get(pageOf(place))?.[place % PAGE_ROWS],
    pages: [...rows.values()].filter((page) => page !== undefined),
    show,
    error: answers.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of answers) if (error) void refetch();
    },
  };
}

const pageOf = (place: number) => Math.floor(place / PAGE_ROWS) + 1;
