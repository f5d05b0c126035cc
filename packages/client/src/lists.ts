/** What every list's answer has beside its records. */
interface Page {
  total: number;
  page: number;
  limit: number;
}

interface ListQuery {
  sort?: string;
  order?: "asc" | "desc";
}

/**
 * Every record of a list, read page by page as the caller goes on. Without a `sort` or `order` of
 * the caller's it begins with the oldest, so that what is made meanwhile does not shift the pages.
 * What leaves the list meanwhile does, and as many records are skipped: a caller that changes what the query
 * asks for reads the first page until it is empty instead.
 */
export async function* eachRecord<Name extends string>(
  name: Name,
  query: ListQuery,
  readPage: (query: ListQuery & { page: number }) => Promise<Page & Record<Name, unknown[]>>,
): AsyncGenerator<unknown, void, undefined> {
  const inOrder: ListQuery =
    query.sort === undefined && query.order === undefined ? { ...query, order: "asc" } : query;
  for (let page = 1; ; page += 1) {
    const found = await readPage({ ...inOrder, page });
    yield* found[name];
    // The server's limit, not the caller's: it may have cut that.
    if (found[name].length === 0 || page * found.limit >= found.total) return;
  }
}

/** What the answer of a list has that is read on from where one was. */
interface CursorPage {
  /** Where to go on, whether or not there is more yet. */
  next: string;
  /** Whether there may be more right now. */
  more: boolean;
}

interface CursorQuery {
  after?: string;
}

/** Every record after a cursor, read page by page as the caller goes on, until there is no more for now. */
export async function* eachAfter<Name extends string>(
  name: Name,
  query: CursorQuery,
  readPage: (query: CursorQuery) => Promise<CursorPage & Record<Name, unknown[]>>,
): AsyncGenerator<unknown, void, undefined> {
  for (let { after } = query; ; ) {
    const found = await readPage({ ...query, after });
    yield* found[name];
    if (!found.more) return;
    after = found.next;
  }
}
