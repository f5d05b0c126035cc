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
 */
export async function* eachRecord<Query extends ListQuery, Found extends Page, Item>(
  query: Query,
  readPage: (query: Query & { page: number }) => Promise<Found>,
  recordsOf: (page: Found) => Item[],
): AsyncGenerator<Item, void, undefined> {
  const inOrder: Query =
    query.sort === undefined && query.order === undefined ? { ...query, order: "asc" } : query;
  for (let page = 1; ; page += 1) {
    const found = await readPage({ ...inOrder, page });
    const records = recordsOf(found);
    yield* records;
    // The server's limit, not the caller's: it may have cut that.
    if (records.length === 0 || page * found.limit >= found.total) return;
  }
}
