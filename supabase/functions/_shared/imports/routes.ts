import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { answerError } from "../http/errors.ts";
import { beginLargeAnswer } from "../http/large_answers.ts";
import { costOf } from "../http/request_counts.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { XLSX_TYPE } from "../values/xlsx_cells.ts";
import {
  answerImport,
  importAnswers,
  importBody,
  MORE_THAN_ONE_REQUEST,
  NDJSON,
} from "./answering.ts";
import { callDatabase } from "./call.ts";
import { csvHeader, products, writeCsv } from "./products.ts";
import { exportQuery, productImportQuery, productLine } from "./schema.ts";
import { streamOf } from "./streaming.ts";

/** Routes below /products: the import and export of products. */
export const imports = createRoutes();

const shared = { tags: ["Products"], middleware: authenticate, streams: true };
const PRODUCTS_PER_PAGE = 500;
/** Longest time that an export waits for its next page, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;

imports.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/import",
    operationId: "products.import",
    permission: "products.write",
    summary: "Import products",
    description: `CSV with a header, or one JSON object per line, read while it arrives. external_id or id identifies a product. A new product is created, a different one is changed, and an equal one stays, so an import can be repeated. Each line succeeds or fails by itself. With Accept: ${NDJSON} the response reports the progress, line by line. ${MORE_THAN_ONE_REQUEST}`,
    request: {
      query: productImportQuery,
      body: importBody(productLine),
    },
    responses: importAnswers,
  }),
  (c) => answerImport(c, products, c.req.valid("query")) as never,
);

imports.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/export",
    operationId: "products.export",
    permission: "products.export",
    summary: "Export products",
    description:
      "Suppliers export their own products. Discontinued products are left out. Each started 100 products count as a request of the minute; an export that has begun goes on. The response is streamed, in the order of ids and in the format of POST /import. In CSV, a cell that a spreadsheet would run as a formula gets a leading apostrophe, which an import removes. An xlsx has the columns of CSV, and is written as a whole.",
    request: { query: exportQuery },
    responses: {
      ...answers(200, productLine, "The products"),
      200: {
        description: "The products",
        content: {
          "text/csv": { schema: { type: "string" } },
          [XLSX_TYPE]: { schema: { type: "string", format: "binary" } },
          [NDJSON]: { schema: productLine },
        },
      },
    },
  }),
  async (c) => {
    const { token } = c.get("caller");
    const { format, ...filters } = c.req.valid("query");
    let read = 0;
    const pageAfter = async (after?: string): Promise<Record<string, unknown>[]> => {
      // The first page may be refused. An export that has begun waits for its turns.
      const wait_ms = after === undefined ? undefined : LONGEST_WAIT_MS;
      const end = await beginLargeAnswer(c, wait_ms);
      try {
        const args = { ...filters, after, limit: PRODUCTS_PER_PAGE };
        const page = await callDatabase(token, "export_products", args);
        const counted = costOf(read);
        read += page.length;
        await c.get("countMore")?.(costOf(read) - counted);
        return page;
      } finally {
        end();
      }
    };
    const first = await pageAfter();
    const pages = async function* () {
      for (let page = first; page.length > 0; page = await pageAfter(page.at(-1)?.id as string)) {
        yield page;
        if (page.length < PRODUCTS_PER_PAGE) return;
      }
    };
    const headers = { "Content-Disposition": `attachment; filename="products.${format}"` };
    if (format === "xlsx") {
      const { writeProducts } = await import("./workbook.ts");
      const file = await writeProducts(pages());
      return c.body(file as never, 200, { ...headers, "Content-Type": XLSX_TYPE }) as never;
    }
    const lines = streamOf(async function* () {
      if (format === "csv") yield csvHeader;
      try {
        for await (const page of pages()) {
          yield format === "csv"
            ? writeCsv(page)
            : page.map((product) => `${JSON.stringify(product)}\n`).join("");
        }
      } catch (error) {
        // The error is logged and the response is aborted, so that the reader notices that data is missing.
        answerError(error as Error, c);
        throw error;
      }
    });
    return c.body(lines, 200, {
      ...headers,
      "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : NDJSON,
    }) as never;
  },
);
