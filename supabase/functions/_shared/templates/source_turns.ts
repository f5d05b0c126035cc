import pLimit from "p-limit";
import { isObject } from "../http/depth.ts";
import { costOf, countRequest, refuseTooMany, type Subject } from "../http/request_counts.ts";
import { createTurns } from "../http/turns.ts";
import type { Reach } from "./reaching.ts";

/** Sources of a page that are read at the same time, and `database` sources of all pages of a tenant in this process. */
const AT_ONCE = 2;
/** Time in which the sources of a page may begin, in milliseconds. */
const PAGE_MS = 4_000;

const tooLate = () => new Error("the sources of the page took too long");

/** The API has turns of its own. */
const databaseTurns = createTurns(AT_ONCE, tooLate);

/**
 * Reads the sources of one page in turns: two at a time, and those of the database two at a time for all pages of the
 * tenant. Each is counted as requests of the reader: a list as one for each started 100 records. A source that would begin
 * more than 4 s after the first one fails.
 */
export function inTurns(reach: Reach, reader: Subject, tenant: string): Reach {
  const limit = pLimit(AT_ONCE);
  let until: number | undefined;

  async function readCounted(kind: "api" | "database", address: string): Promise<unknown> {
    refuseTooMany(await countRequest(reader));
    const value = await reach.read(kind, address);
    const further = costOf(recordsIn(value)) - 1;
    if (further > 0) await countRequest(reader, further);
    return value;
  }

  async function readInTurn(kind: "api" | "database", address: string): Promise<unknown> {
    until ??= performance.now() + PAGE_MS;
    const left = until - performance.now();
    if (left <= 0) throw tooLate();
    if (kind === "api") return readCounted(kind, address);
    const end = await databaseTurns.begin(tenant, left);
    try {
      return await readCounted(kind, address);
    } finally {
      end();
    }
  }

  return { ...reach, read: (kind, address) => limit(readInTurn, kind, address) };
}

/** The number of records in a list, alone or in a page with its total. */
function recordsIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const lists = isObject(value) && "total" in value ? Object.values(value) : [];
  return Math.max(0, ...lists.map((list) => (Array.isArray(list) ? list.length : 0)));
}
