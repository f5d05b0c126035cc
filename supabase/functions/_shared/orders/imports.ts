import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  answerImport,
  importAnswers,
  importBody,
  MORE_THAN_ONE_REQUEST,
  NDJSON,
} from "../imports/answering.ts";
import { jsonIn, type Table } from "../imports/csv.ts";
import type { Importer } from "../imports/import.ts";
import { importQuery } from "../imports/schema.ts";
import { type PastOrderLine, pastOrderLine } from "./import_schema.ts";

/** Routes below /orders: the import of past orders. */
export const importsOfOrders = createRoutes();

const columns = Object.keys(pastOrderLine.shape);
const CUSTOMER = ["customer.email", "customer.name", "customer.external_id"];
const ADDRESSES = ["shipping_address", "billing_address"];
const JSON_COLUMNS = new Set(["customer", "items", ...ADDRESSES]);

/** The CSV columns: one for each field, or for each field inside customer and the addresses. An empty cell is no value. */
const orderTable: Table = {
  knows: (column) =>
    columns.includes(column) ||
    CUSTOMER.includes(column) ||
    ADDRESSES.some((address) => column.startsWith(`${address}.`)),
  keys: ["external_id"],
  fieldsOf(cells) {
    const fields: Record<string, unknown> = {};
    for (const [column, cell] of cells) {
      if (cell === "") continue;
      const [thing, ...rest] = column.split(".") as [string, ...string[]];
      if (rest.length > 0) {
        const before = fields[thing];
        fields[thing] = { ...(before as object), [rest.join(".")]: cell };
      } else fields[thing] = JSON_COLUMNS.has(thing) ? jsonIn(cell) : cell;
    }
    return fields;
  },
};

const pastOrders: Importer<PastOrderLine> = {
  rpc: "import_orders",
  schema: pastOrderLine,
  table: orderTable,
  nullable: new Set(),
  // A repeated line changes nothing.
  nameOf: () => null,
};

importsOfOrders.openapi(
  createRoute({
    tags: ["Orders"],
    middleware: authenticate,
    streams: true,
    method: "post",
    path: "/import",
    operationId: "orders.import",
    permission: "orders.import",
    summary: "Import past orders",
    description: `Orders that were placed in another system. CSV with a header, or one JSON object per line, read while it arrives. external_id identifies an order. A new order is made at the time at which it was placed. A line that equals an existing order changes nothing, so an import can be repeated; a line that contradicts it fails. No stock moves, no event follows, and no account is made. A line that fails does not stop the others. With Accept: ${NDJSON} the response reports the progress line by line. ${MORE_THAN_ONE_REQUEST}`,
    request: { query: importQuery, body: importBody(pastOrderLine) },
    responses: importAnswers,
  }),
  (c) => answerImport(c, pastOrders, c.req.valid("query")) as never,
);
