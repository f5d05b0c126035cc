import { isObject } from "../http/depth.ts";
import { costOf, countRequest, refuseTooMany, type Subject } from "../http/request_counts.ts";
import { createTurns } from "../http/turns.ts";
import type { Reach } from "./reaching.ts";

/** The number of records of a list, alone or in a page. */
function recordsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (!isObject(value)) return 0;
  return Math.max(0, ...Object.values(value).map((one) => (Array.isArray(one) ? one.length : 0)));
}

/** Sources of a page that are read at the same time. */
const AT_ONCE = 2;
/** Time in which the sources of a page may begin, in milliseconds. */
const PAGE_MS = 4_000;

/** Sources of a tenant's pages that read the database at the same time. The API has turns of its own. */
const databaseTurns = createTurns(AT_ONCE, { rest: true });

/**
 * Reads the sources of one page in turns: two at a time, and those of the database two at a time for all pages of the
 * tenant. Each is counted as a request of the reader, for each started 100 records. A source that would begin
 * more than 4 s after the first one fails.
 */
export function inTurns(reach: Reach, reader: Subject, tenant: string): Reach {
  const pageTurns = createTurns(AT_ONCE, { rest: false });
  let until: number | undefined;

  async function readCounted(kind: "api" | "database", address: string): Promise<unknown> {
    refuseTooMany(await countRequest(reader));
    const value = await reach.read(kind, address);
    const more = costOf(recordsOf(value)) - 1;
    if (more > 0) await countRequest(reader, more);
    return value;
  }

  return {
    ...reach,
    async read(kind, address) {
      until ??= performance.now() + PAGE_MS;
      const wait = { wait_ms: until - performance.now() };
      if (wait.wait_ms <= 0) throw new Error("the sources of the page took too long");
      const ends: (() => void)[] = [];
      try {
        ends.push(await pageTurns.begin(tenant, wait));
        if (kind === "database") {
          wait.wait_ms = until - performance.now();
          ends.push(await databaseTurns.begin(tenant, wait));
        }
        return await readCounted(kind, address);
      } finally {
        for (const end of ends) end();
      }
    },
  };
}
