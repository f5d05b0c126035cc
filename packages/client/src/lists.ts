/** One value or several. A text is one value, even with commas in it. */
type Several = string | readonly string[];

/** No record has this id. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Writes the lists of a query in the API's form: values separated by commas, with a backslash before
 * each comma and backslash inside a value. `names` are the parameters that are lists. Empty lists
 * are omitted, except that empty `ids` find nothing.
 */
export const withJoinedValues = (...names: string[]) => {
  return (query: object): object => {
    const { attributes, ...others } = query as { [name: string]: Several | undefined } & {
      attributes?: Record<string, Several | undefined>;
    };
    const lists = names.map((name) => {
      const values = others[name];
      return [name, name === "ids" && values?.length === 0 ? NO_ID : joined(values)] as const;
    });
    const named = Object.entries(attributes ?? {}).map(
      ([name, values]) => [`attributes[${encodeURIComponent(name)}]`, joined(values)] as const,
    );
    return { ...others, ...Object.fromEntries(lists), ...Object.fromEntries(named) };
  };
};

const joined = (values: Several | undefined): string | undefined =>
  [values ?? []]
    .flat()
    .map((value) => value.replace(/[\\,]/g, "\\$&"))
    .join(",") || undefined;

/** The fields of every list's response besides its records. */
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
 * Yields all records of a list, and reads the next page when it is needed. Without `sort` and `order` it begins with
 * the oldest, so that new records do not shift the pages. A record that leaves the list shifts them, and another record
 * is skipped. To change records so that they leave the list, read the first page until it is empty.
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
    // The limit in the response, because the server may have reduced the requested one.
    if (found[name].length === 0 || page * found.limit >= found.total) return;
  }
}

/** The fields of the response of a list with a cursor. */
interface CursorPage {
  /** The cursor to continue with, even if there are no more records yet. */
  next: string;
  /** Whether there may be more records now. */
  more: boolean;
}

interface CursorQuery {
  after?: string;
}

/**
 * Yields all records after a cursor, reading the next page when it is needed, until there are no
 * more.
 */
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
