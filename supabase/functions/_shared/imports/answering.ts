import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { answers } from "../http/answers.ts";
import { sourceOf } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { answerError } from "../http/errors.ts";
import { Budget } from "./budget.ts";
import { type Importer, type ImportOptions, importRecords, type Progress } from "./import.ts";
import { Incoming } from "./lines.ts";
import { readRecords } from "./reading.ts";
import { importProgress, importSummary, type LineError, type LineRemark } from "./schema.ts";
import { streamOf, withoutSilence } from "./streaming.ts";

// The body and the response of every import. The response is one summary, or lines of progress.

export const NDJSON = "application/x-ndjson";
/** Most errors, and most remarks, of a summary. */
const MAX_REPORTED = 1000;

/** For the descriptions of imports. */
export const MORE_THAN_ONE_REQUEST =
  "One request imports at most 20,000 records, 8 million characters, or for 60 seconds. If lines remain, the response has next_line: send the rest, below the header of CSV, with first_line set to it.";

/** CSV, or lines of one schema. */
export const importBody = (line: z.ZodType) => ({
  required: true,
  content: {
    "text/csv": { schema: { type: "string" as const } },
    [NDJSON]: { schema: line },
  },
});

export const importAnswers = {
  ...answers(200, importSummary, "The result of the import"),
  200: {
    description: "The result of the import",
    content: {
      "application/json": { schema: importSummary },
      [NDJSON]: { schema: importProgress },
    },
  },
};

/** Imports the body of a request and returns the result. Errors: FORBIDDEN, CONFLICT, TIMEOUT. */
export async function answerImport<Record_ extends object>(
  c: Context<Env>,
  importer: Importer<Record_>,
  query: Omit<ImportOptions, "token" | "source" | "signal">,
): Promise<Response> {
  const { token } = c.get("caller");
  const body = new Incoming(c.req.raw.body);
  const sent = readRecords(c.req.header("content-type"), body, importer, query.first_line);
  const gone = new AbortController();
  const progress = importRecords(importer, sent, new Budget(body), {
    token,
    source: sourceOf(c),
    ...query,
    signal: gone.signal,
  });
  const inLines = c.req.header("accept")?.includes(NDJSON) ?? false;
  const parts = inLines
    ? linesOf(progress)
    : withoutSilence(summaryOf(progress), environment.longestSilenceMs, () => " ");
  // The response starts with the first result, so that an earlier refusal has its own status.
  const first = await parts.next().catch(async (error) => {
    await body.drain();
    body.end();
    throw error;
  });
  const texts = async function* () {
    try {
      if (first.value) yield first.value;
      yield* parts;
    } catch (error) {
      yield `${await (await answerError(error as Error, c)).text()}\n`;
    } finally {
      await body.drain();
      body.end();
      await parts.return(undefined);
    }
  };
  const type = inLines ? NDJSON : "application/json";
  return c.body(
    streamOf(texts, () => gone.abort()),
    200,
    { "Content-Type": type },
  );
}

/** The progress of an import as lines; the last line is repeated while there is nothing new. */
function linesOf(progress: AsyncGenerator<Progress>): AsyncGenerator<string> {
  let last: Progress = {
    line: 0,
    imported: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    errors: [],
    done: false,
  };
  async function* lines() {
    for await (const step of progress) {
      last = { ...step, errors: [], remarks: undefined };
      yield `${JSON.stringify(step)}\n`;
    }
  }
  return withoutSilence(lines(), environment.longestSilenceMs, () => `${JSON.stringify(last)}\n`);
}

/** The summary of a finished import. */
async function* summaryOf(progress: AsyncGenerator<Progress>): AsyncGenerator<string> {
  const errors: LineError[] = [];
  const remarks: LineRemark[] = [];
  let last: Progress | undefined;
  for await (const step of progress) {
    last = step;
    errors.push(...step.errors.slice(0, MAX_REPORTED - errors.length));
    remarks.push(...(step.remarks ?? []).slice(0, MAX_REPORTED - remarks.length));
  }
  yield JSON.stringify(
    importSummary.parse({
      ...last,
      errors,
      remarks: remarks.length > 0 ? remarks : undefined,
    }),
  );
}
