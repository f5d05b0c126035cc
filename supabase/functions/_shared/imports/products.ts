import { guarded, writeRecords } from "../values/csv_cells.ts";
import { jsonIn, type Table } from "./csv.ts";
import type { Importer } from "./import.ts";
import { columns, type ProductLine, productLine } from "./schema.ts";

// A line of the product import, in CSV and in NDJSON.

const ATTRIBUTE = "attribute:";
const NUMBER_COLUMNS = new Set(["price", "compare_at_price", "quantity"]);
const JSON_COLUMNS = new Set(["images", "attributes", "physical", "safety", "variants"]);
/** Columns where an empty cell removes the value; in others it leaves the value as it is. */
const EMPTY: Record<string, unknown> = {
  category_id: null,
  physical: null,
  safety: null,
  compare_at_price: null,
  description: "",
  images: [],
  attributes: [],
};

/** The value of a cell. An invalid one stays text, and the schema refuses it. */
function meaningOf(column: string, cell: string): unknown {
  if (NUMBER_COLUMNS.has(column)) {
    return /^-?\d+(\.\d+)?$/.test(cell.trim()) ? Number(cell) : cell;
  }
  if (column === "track_inventory") return { true: true, false: false }[cell.toLowerCase()] ?? cell;
  return JSON_COLUMNS.has(column) ? jsonIn(cell) : cell;
}

const productTable: Table = {
  knows: (column) => (columns as string[]).includes(column) || column.startsWith(ATTRIBUTE),
  keys: ["external_id", "id"],
  fieldsOf(cells) {
    const fields: Record<string, unknown> = {};
    const attributes: object[] = [];
    for (const [column, cell] of cells) {
      if (column.startsWith(ATTRIBUTE)) {
        if (cell !== "") attributes.push({ name: column.slice(ATTRIBUTE.length), value: cell });
      } else if (cell !== "") fields[column] = meaningOf(column, cell);
      else if (column in EMPTY) fields[column] = EMPTY[column];
    }
    if (cells.some(([column]) => column.startsWith(ATTRIBUTE))) {
      const listed = Array.isArray(fields.attributes) ? fields.attributes : [];
      fields.attributes = [...listed, ...attributes];
    }
    return fields;
  },
};

export const products: Importer<ProductLine> = {
  rpc: "import_products",
  schema: productLine,
  table: productTable,
  // Null removes the values of these fields.
  nullable: new Set(["category_id", "physical", "safety", "compare_at_price"]),
  // Two lines with the same key would overwrite each other, and each repetition of the import would change the record again.
  nameOf(line, usualMarketplace) {
    if (line.id !== undefined) return { field: "id", key: line.id };
    if (line.external_id === undefined) return null;
    const marketplace = line.marketplace_id ?? usualMarketplace;
    const key = JSON.stringify([marketplace, line.supplier_id, line.external_id.normalize()]);
    return { field: "external_id", key };
  },
};

/** The header of an export. */
export const csvHeader = `${columns.join(",")}\r\n`;

/**
 * Products as CSV. A text that a spreadsheet would run as a formula gets a leading apostrophe, which an import removes.
 */
export function writeCsv(products: Record<string, unknown>[]): string {
  return writeRecords(products.map((product) => columns.map((name) => cellOf(product[name]))));
}

function cellOf(value: unknown): string {
  return typeof value === "number" ? String(value) : guarded(textOf(value));
}

/** A field of a product as a text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
