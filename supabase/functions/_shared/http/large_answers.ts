import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { claimsOf } from "./authenticate.ts";
import type { Env } from "./env.ts";
import { recordsAsked } from "./page.ts";
import { costOf } from "./request_counts.ts";
import { createTurns } from "./turns.ts";
import { isVisit, readVisit } from "./visits.ts";

/** Large answers of a tenant at the same time, in this process. */
const AT_ONCE = 2;
/** Longest turn, in milliseconds: a statement of the database takes at most 8 seconds. */
const LONGEST_TURN_MS = 10_000;

/** The turns of large answers: lists of more than 100 records, and pages of a streamed export. */
export const largeAnswers = createTurns(AT_ONCE, { rest: true });

/**
 * Lets a tenant have at most two large answers at once, until they are read, and counts each started 100 of their records
 * as a request. Errors: RATE_LIMITED.
 */
export const limitLargeAnswers = createMiddleware<Env>(async (c, next) => {
  const asked = recordsAsked(c);
  const tenant = costOf(asked) > 1 ? await tenantOf(c) : undefined;
  if (tenant === undefined) return next();
  const end = await largeAnswers.begin(tenant);
  // A reader that stops reading does not keep its turn.
  setTimeout(end, LONGEST_TURN_MS);
  try {
    await next();
  } catch (error) {
    end();
    throw error;
  }
  const { body } = c.res;
  if (!body) return end();
  const page = pageReader(asked);
  const counted = () => {
    end();
    const more = c.res.ok ? costOf(page.records()) - 1 : 0;
    if (more > 0) c.get("countMore")?.(more).catch(() => {});
  };
  c.res = new Response(endingWith(body, page.read, counted), c.res);
});

/** What a caller's large answers are counted by: the tenant of a token, or the marketplace of a visitor. */
export async function tenantOf(c: Context<Env>): Promise<string | undefined> {
  const { tenant_id } = ((await claimsOf(c)) ?? {}) as { tenant_id?: string | null };
  return tenant_id ?? (isVisit(c) ? readVisit(c).marketplace : undefined);
}

/** Number of bytes at the beginning and at the end of a page that have its fields besides the records. */
const EDGE_BYTES = 1024;
const HEAD = /^\{[^[{]*"total": ?(\d+)/;
const TAIL = /"total": ?(\d+), ?"page": ?\d+, ?"limit": ?\d+\}\s*$/;
const PAGE = /"page": ?(\d+)/;

/**
 * Reads the number of records of a page from its `total`, which Postgres writes before the records and this API behind
 * them: parsing a large answer costs more than the rest of the request. Of a list without a total it is the number asked for.
 */
function pageReader(asked: number) {
  const decoder = new TextDecoder();
  let head = "";
  let tail = "";
  return {
    read(part: Uint8Array) {
      if (head.length < EDGE_BYTES) head += decoder.decode(part.subarray(0, EDGE_BYTES));
      tail = (tail + decoder.decode(part.subarray(-EDGE_BYTES))).slice(-EDGE_BYTES);
    },
    records(): number {
      const total = (HEAD.exec(head) ?? TAIL.exec(tail))?.[1];
      if (total === undefined) return asked;
      const page = Number(PAGE.exec(HEAD.test(head) ? head : tail)?.[1] ?? 1);
      return Math.min(Math.max(Number(total) - (page - 1) * asked, 0), asked);
    },
  };
}

/** Passes on a body. Calls `read` with each part, and `end` when it is read or given up. */
function endingWith(
  body: ReadableStream<Uint8Array>,
  read: (part: Uint8Array) => void,
  end: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(stream) {
      const { value, done } = await reader.read().catch((error) => {
        end();
        throw error;
      });
      if (!done) {
        read(value);
        return stream.enqueue(value);
      }
      end();
      stream.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}
