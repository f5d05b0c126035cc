import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { answers, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { answerError } from "../http/errors.ts";
import { beginLargeAnswer } from "../http/large_answers.ts";
import { costOf } from "../http/request_counts.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { callDatabase } from "../imports/call.ts";
import { streamOf } from "../imports/streaming.ts";
import { guarded, writeRecords } from "../values/csv_cells.ts";
import { ledgerLine, payoutStatement, statementQuery } from "./schema.ts";

/** Routes below /payouts: what each payout is made of. */
export const statements = createRoutes();

type Line = z.infer<typeof ledgerLine>;

const LINES_PER_PAGE = 1000;
/** Longest time that a statement waits for its next page, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;

/** The columns of CSV. The payout is the same in all lines, so its file's name has it. */
const columns: readonly (keyof Line)[] = [
  ...(["order_number", "kind", "amount", "currency", "quantity", "item_name", "reason"] as const),
  ...(["date", "created_at", "due_at", "id", "order_id", "item_id", "marketplace_id"] as const),
  ...(["campaign_id", "adjustment_id"] as const),
];

const csvHeader = writeRecords([columns]);

const cellOf = (value: Line[keyof Line]) =>
  typeof value === "string" ? guarded(value) : value === null ? null : String(value);

const writeCsv = (lines: Line[]) =>
  writeRecords(lines.map((line) => columns.map((name) => cellOf(line[name]))));

const writeJson = (lines: Line[]) => lines.map((line) => JSON.stringify(line)).join(",");

statements.openapi(
  createRoute({
    tags: ["Payouts"],
    middleware: authenticate,
    streams: true,
    method: "get",
    path: "/{id}/statement",
    operationId: "payouts.statement",
    permission: "payouts.read",
    summary: "Get the statement of a payout",
    description:
      "The payout with its lines, the oldest first, also if it failed or was reversed. The response is streamed. Each started 100 lines count as a request of the minute; a statement that has begun goes on. CSV has one row for each line, and a cell that a spreadsheet would run as a formula gets a leading apostrophe.",
    request: { params: idParam, query: statementQuery },
    responses: {
      ...answers(200, payoutStatement, "The statement"),
      200: {
        description: "The statement",
        content: {
          "application/json": { schema: payoutStatement },
          "text/csv": { schema: { type: "string" } },
        },
      },
    },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { format } = c.req.valid("query");
    const isCsv = format === "csv";
    const found = await callDatabase(c.get("caller").token, "payout_statement", { payout_id: id });
    const head = payoutStatement.omit({ lines: true }).parse(found);
    const pageAfter = pagesOf(c, id);
    const first = await pageAfter();
    const text = streamOf(async function* () {
      yield isCsv ? csvHeader : `${JSON.stringify(head).slice(0, -1)},"lines":[`;
      try {
        for (let page = first; page.length > 0; page = await pageAfter(page.at(-1)?.id)) {
          if (isCsv) yield writeCsv(page);
          else yield (page === first ? "" : ",") + writeJson(page);
          if (page.length < LINES_PER_PAGE) break;
        }
      } catch (error) {
        // The error is logged and the response is aborted, so that the reader notices that data is missing.
        answerError(error as Error, c);
        throw error;
      }
      if (!isCsv) yield "]}";
    });
    if (!isCsv) return c.body(text, 200, { "Content-Type": "application/json" }) as never;
    return c.body(text, 200, {
      "Content-Disposition": `attachment; filename="payout-${id}.csv"`,
      "Content-Type": "text/csv; charset=utf-8",
    }) as never;
  },
);

/** Reads the lines of a payout page by page, each after the last line of the page before. */
function pagesOf(c: Context<Env>, payout_id: string) {
  const { token } = c.get("caller");
  let read = 0;
  return async (after?: string): Promise<Line[]> => {
    // The first page may be refused. A statement that has begun waits for its turns.
    const end = await beginLargeAnswer(c, after === undefined ? undefined : LONGEST_WAIT_MS);
    try {
      const args = { payout_id, after, limit: LINES_PER_PAGE };
      const lines = await callDatabase(token, "payout_statement_lines", args);
      const counted = costOf(read);
      read += lines.length;
      await c.get("countMore")?.(costOf(read) - counted);
      return ledgerLine.array().parse(lines);
    } finally {
      end();
    }
  };
}
