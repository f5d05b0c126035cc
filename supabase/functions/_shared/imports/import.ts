import { setTimeout as wait } from "node:timers/promises";
import type { z } from "@hono/zod-openapi";
import { PostgrestError } from "@supabase/postgrest-js";
import { environment } from "../http/environment.ts";
import { toApiError } from "../http/errors.ts";
import { pathOf } from "../values/field_path.ts";
import { unkeptTexts } from "../values/texts.ts";
import type { Budget } from "./budget.ts";
import { callDatabase } from "./call.ts";
import type { Sent } from "./lines.ts";
import type { Written } from "./reading.ts";
import type { LineError, LineRemark } from "./schema.ts";

// A call is one transaction. It is short, so that its locks are released soon.
const LINES_PER_CALL = 250;
const CHARACTERS_PER_CALL = 500_000;

interface Counts {
  imported: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export interface Progress extends Counts {
  line: number;
  errors: LineError[];
  /** Questions about lines, and values that did not count as they were sent, if there are any. */
  remarks?: LineRemark[] | undefined;
  /** Whether the whole body has been processed. */
  done: boolean;
  /** In the last one, if the request has reached its limits: the number of the line at which the next request begins. */
  next_line?: number;
}

interface Answer extends Counts {
  errors: { line: number; code: string; message: string; details: string; hint: string }[];
  remarks?: LineRemark[];
}

export interface ImportOptions {
  token: string;
  /** The headers with the operation and address of the request, for the audit log. */
  source: Record<string, string>;
  marketplace_id?: string | undefined;
  /** The number of the first line after a header, for a body that continues an import. */
  first_line?: number | undefined;
  dry_run?: boolean | undefined;
  /** Of products: whether skus are unique from now on. */
  unique_skus?: boolean | undefined;
  accept_changed_codes?: boolean | undefined;
  /** Aborted when the caller has gone: the current records are still committed, and no more. */
  signal?: AbortSignal;
}

/** A kind of record that can be imported. */
export interface Importer<Record_ extends object> extends Written {
  /** The database function that imports the records. */
  rpc: "import_products" | "import_orders";
  schema: z.ZodType<Record_>;
  /** The key that no two lines of an import may share; null if there is none. */
  nameOf(line: Record_, usualMarketplace?: string): { field: string; key: string } | null;
}

/**
 * Imports a body, some hundreds of records per transaction, and yields the progress after each. The progress is
 * committed. Ends when the budget of the request is spent, with the line at which to continue. Errors: FORBIDDEN, before
 * anything is read; CONFLICT, TIMEOUT.
 */
export async function* importRecords<Record_ extends object>(
  importer: Importer<Record_>,
  sent: AsyncIterable<Sent>,
  budget: Budget,
  options: ImportOptions,
): AsyncGenerator<Progress> {
  const progress = {
    line: (options.first_line ?? 1) - 1,
    imported: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
  };
  const firstLines = new Map<string, number>();
  let errors: LineError[] = [];
  let remarks: LineRemark[] = [];
  let lines: (Record_ & { line: number })[] = [];
  let characters = 0;

  const commit = async (): Promise<void> => {
    const answer = await importLines(importer.rpc, lines, options);
    for (const name of ["imported", "updated", "unchanged", "failed"] as const) {
      progress[name] += answer[name];
    }
    errors.push(...answer.errors.map(toLineError));
    remarks.push(...(answer.remarks ?? []));
    lines = [];
    characters = 0;
  };
  const report = (done: boolean): Progress => {
    const reported = {
      ...progress,
      errors: errors.sort((a, b) => a.line - b.line),
      ...(remarks.length > 0 && { remarks }),
      done,
    };
    errors = [];
    remarks = [];
    return reported;
  };

  // Refuses callers who may not import before they send everything.
  await commit();
  for await (const one of sent) {
    if (budget.isSpent()) {
      await commit();
      yield { ...report(false), next_line: one.line };
      return;
    }
    budget.spend(one.size);
    progress.line = one.line;
    const line = "error" in one ? one.error : checked(importer, one, firstLines, options);
    if ("code" in line) {
      progress.failed += 1;
      errors.push(line);
    } else {
      lines.push(line);
      characters += one.size;
    }
    if (
      lines.length >= LINES_PER_CALL ||
      characters >= CHARACTERS_PER_CALL ||
      errors.length >= LINES_PER_CALL
    ) {
      await commit();
      yield report(false);
      if (options.signal?.aborted) return;
    }
  }
  await commit();
  yield report(true);
}

/** The line for the database, or its error. */
function checked<Record_ extends object>(
  { schema, nameOf }: Importer<Record_>,
  { line, fields }: { line: number; fields: Record<string, unknown> },
  firstLines: Map<string, number>,
  { marketplace_id }: ImportOptions,
): (Record_ & { line: number }) | LineError {
  const faulty = (field: string, message: string | undefined): LineError => ({
    line,
    code: "VALIDATION_ERROR",
    message: `${field}: ${message}`,
    field: field || null,
  });
  const { data, error } = schema.safeParse(fields);
  if (error) {
    const [issue] = error.issues;
    const path = [...(issue?.path ?? [])];
    if (issue?.code === "unrecognized_keys") path.push(issue.keys[0] as string);
    return faulty(
      pathOf(path),
      issue?.code === "unrecognized_keys" ? "is not known here" : issue?.message,
    );
  }
  const [unkept] = unkeptTexts(data);
  if (unkept) return faulty(unkept.field, unkept.message);
  const name = nameOf(data, marketplace_id);
  if (name) {
    const { field } = name;
    const key = `${field} ${name.key}`;
    const first = firstLines.get(key);
    if (first !== undefined) {
      return { line, code: "CONFLICT", message: `Line ${first} has the same ${field}.`, field };
    }
    firstLines.set(key, line);
  }
  return { ...data, line };
}

/**
 * Imports of a tenant take turns, some hundreds of lines each. An import waits for its turn here, up to the timeout of a
 * request. Waiting in the database would hold a connection.
 */
async function importLines(
  rpc: Importer<object>["rpc"],
  lines: object[],
  { token, source, marketplace_id, dry_run, unique_skus, accept_changed_codes }: ImportOptions,
): Promise<Answer> {
  const until = Date.now() + environment.requestTimeoutMs;
  for (;;) {
    try {
      const args = { lines, marketplace_id, dry_run, unique_skus, accept_changed_codes };
      return await callDatabase(token, rpc, args, source);
    } catch (error) {
      if (toApiError(error).code !== "CONFLICT" || Date.now() > until) throw error;
      // A random delay, so that waiting imports do not all retry at the same time.
      await wait(50 + Math.random() * 200);
    }
  }
}

function toLineError({ line, ...refusal }: Answer["errors"][number]): LineError {
  const { code, message, fields } = toApiError(new PostgrestError(refusal));
  return { line, code, message, field: fields[0]?.field ?? null };
}
