import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { environment } from "../http/environment.ts";
import { answerError } from "../http/errors.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { callDatabase } from "./call.ts";
import { csvHeader, writeCsv } from "./csv.ts";
import { importProducts, type Progress } from "./import.ts";
import { readProducts } from "./reading.ts";
import {
  exportQuery,
  importProgress,
  importQuery,
  importSummary,
  type LineError,
  productLine,
} from "./schema.ts";
import { streamOf, withoutSilence } from "./streaming.ts";

/** Below /products: many at once. */
export const imports = createRoutes();

const shared = { tags: ["Products"], middleware: authenticate, streams: true };
const NDJSON = "application/x-ndjson";
const ERRORS_TOLD = 1000;
const PRODUCTS_PER_PAGE = 500;

imports.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/import",
    operationId: "products.import",
    roles: ["admin", "supplier"],
    summary: "Import products",
    description: `For admins, and suppliers. CSV with a header, or one JSON object per line, up to 64 MB, read as it comes. A product is known by its external_id, or its id: what is not there is made, what says otherwise is changed, what says the same is left alone, so that repeating an import changes nothing. Each line stands for itself: one that is refused is told of and stops no other. With Accept: ${NDJSON} the answer tells how far it has come, line by line.`,
    request: {
      query: importQuery,
      body: {
        required: true,
        content: {
          "text/csv": { schema: { type: "string" } },
          [NDJSON]: { schema: productLine },
        },
      },
    },
    responses: {
      ...answers(200, importSummary, "What came of it"),
      200: {
        description: "What came of it",
        content: {
          "application/json": { schema: importSummary },
          [NDJSON]: { schema: importProgress },
        },
      },
    },
  }),
  async (c) => {
    const { token } = c.get("caller");
    const sent = readProducts(c.req.header("content-type"), c.req.raw.body);
    const gone = new AbortController();
    const progress = importProducts(sent, {
      token,
      ...c.req.valid("query"),
      signal: gone.signal,
    });
    const inLines = c.req.header("accept")?.includes(NDJSON) ?? false;
    const told = inLines
      ? linesOf(progress)
      : withoutSilence(summaryOf(progress), environment.longestSilenceMs, () => " ");
    // Nothing is answered before there is something to say: a refusal that comes sooner has its status.
    const first = await told.next();
    const texts = async function* () {
      try {
        if (first.value) yield first.value;
        yield* told;
      } catch (error) {
        yield `${await (await answerError(error as Error, c)).text()}\n`;
      } finally {
        await told.return(undefined);
      }
    };
    const type = inLines ? NDJSON : "application/json";
    return c.body(
      streamOf(texts, () => gone.abort()),
      200,
      { "Content-Type": type },
    ) as never;
  },
);

/** How far an import has come, as lines; where nothing new is to be told, what was told last. */
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
      last = { ...step, errors: [] };
      yield `${JSON.stringify(step)}\n`;
    }
  }
  return withoutSilence(lines(), environment.longestSilenceMs, () => `${JSON.stringify(last)}\n`);
}

/** What came of an import, once it has. */
async function* summaryOf(progress: AsyncGenerator<Progress>): AsyncGenerator<string> {
  const errors: LineError[] = [];
  let last: Progress | undefined;
  for await (const step of progress) {
    last = step;
    errors.push(...step.errors.slice(0, ERRORS_TOLD - errors.length));
  }
  yield JSON.stringify(importSummary.parse({ ...last, errors }));
}

imports.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/export",
    operationId: "products.export",
    roles: ["admin", "client", "supplier"],
    summary: "Export products",
    description:
      "For admins and clients, and for suppliers what is theirs; discontinued products are left out. Streamed, in the sequence of ids, as POST /import reads it. In CSV a cell that a spreadsheet would take for a formula has an apostrophe in front; an import takes it away.",
    request: { query: exportQuery },
    responses: {
      ...answers(200, productLine, "The products"),
      200: {
        description: "The products",
        content: {
          "text/csv": { schema: { type: "string" } },
          [NDJSON]: { schema: productLine },
        },
      },
    },
  }),
  async (c) => {
    const { token } = c.get("caller");
    const { format, ...filters } = c.req.valid("query");
    const pageAfter = (after?: unknown): Promise<Record<string, unknown>[]> =>
      callDatabase(token, "export_products", { ...filters, after, limit: PRODUCTS_PER_PAGE });
    let page = await pageAfter();
    const lines = streamOf(async function* () {
      if (format === "csv") yield csvHeader;
      while (page.length > 0) {
        yield format === "csv"
          ? writeCsv(page)
          : page.map((product) => `${JSON.stringify(product)}\n`).join("");
        if (page.length < PRODUCTS_PER_PAGE) return;
        page = await pageAfter(page.at(-1)?.id).catch((error) => {
          // Whoever reads has to notice that something is missing: the answer is logged, and breaks off.
          answerError(error, c);
          throw error;
        });
      }
    });
    return c.body(lines, 200, {
      "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : NDJSON,
      "Content-Disposition": `attachment; filename="products.${format}"`,
    }) as never;
  },
);
