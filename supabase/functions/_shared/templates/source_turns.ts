import pLimit from "p-limit";
import { type Count, costOf, refuseTooMany } from "../http/request_counts.ts";
import { createTurns } from "../http/turns.ts";
import { isObject } from "../values/depth.ts";
import type { Reach } from "./reaching.ts";

type Kind = Parameters<Reach["read"]>[0];

/** Sources of a page that are read at the same time, and large sources of a queue in this process. */
const AT_ONCE = 2;
/** Time in which the sources of a page may begin, in milliseconds. */
const PAGE_MS = 4_000;

const tooLate = () => new Error("the sources of the page took too long");

const turns = createTurns(AT_ONCE, tooLate);

/** The sources of one page. */
interface Sources extends Pick<Reach, "read"> {
  /** Resolves when all that were read are counted. */
  counted(): Promise<unknown>;
}

/**
 * Reads the sources of one page two at a time, and large ones two at a time for all pages of a queue.
 * `count` counts each as requests of the reader: a list as one for each started 100 records. A source that would begin more
 * than 4 s after the first one fails, and so do all sources after one that left nothing of the minute or was not counted.
 */
export function inTurns(
  { read }: Pick<Reach, "read">,
  count: (requests: number) => Promise<Count>,
  queue: string,
): Sources {
  const limit = pLimit(AT_ONCE);
  let until: number | undefined;
  /** The counts of the sources that were read. A source waits only for these, so it is counted while it is read. */
  let counting: Promise<unknown> = Promise.resolve();
  let refusal: unknown;

  async function countSource(requests: number): Promise<void> {
    try {
      const now = await count(requests);
      refuseTooMany({ ...now, counted: now.counted + 1 });
    } catch (error) {
      refusal ??= error;
    }
  }

  async function readCounted(kind: Kind, address: string): Promise<unknown> {
    await counting;
    if (refusal) throw refusal;
    const counts = [countSource(1)];
    try {
      const value = await read(kind, address);
      const further = costOf(recordsIn(value)) - 1;
      if (further > 0) counts.push(countSource(further));
      return value;
    } finally {
      counting = Promise.all([counting, ...counts]);
    }
  }

  async function readInTurn(kind: Kind, address: string): Promise<unknown> {
    until ??= performance.now() + PAGE_MS;
    const left_ms = until - performance.now();
    if (left_ms <= 0) throw tooLate();
    if (isSmall(kind, address)) return readCounted(kind, address);
    const endTurn = await turns.begin(queue, left_ms);
    try {
      return await readCounted(kind, address);
    } finally {
      endTurn();
    }
  }

  return {
    read: (kind, address) => limit(readInTurn, kind, address),
    counted: () => counting,
  };
}

/** Whether a source asks for at most 100 records. That is the `limit` of the API if none is given. */
function isSmall(kind: Kind, address: string): boolean {
  const limits = new URLSearchParams(address.split("?")[1]).getAll("limit");
  return (
    (kind === "api" || limits.length > 0) && limits.every((limit) => /^(\d{1,2}|100)$/.test(limit))
  );
}

/** The number of records in a list, alone or in a page with its total. */
function recordsIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const lists = isObject(value) && "total" in value ? Object.values(value) : [];
  return Math.max(0, ...lists.map((list) => (Array.isArray(list) ? list.length : 0)));
}
