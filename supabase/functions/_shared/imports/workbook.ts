import { writeXlsxStream } from "hucre/xlsx";
import { ApiError } from "../http/errors.ts";
import { MOST_CELL_CHARACTERS, textCell } from "../values/xlsx_cells.ts";
import { textOf } from "./products.ts";
import { columns } from "./schema.ts";

// Products as a workbook. All its cells are texts, which spreadsheets keep as they are: of a csv they would read 00123 as a
// number, and save 123.

/** Maximum number of products. A workbook is written as a whole, within the 2 seconds of processor time of a request. */
const MOST_PRODUCTS = 10_000;
/** Maximum number of characters in all cells. */
const MOST_CHARACTERS = 8_000_000;

/** The number format by which spreadsheets keep what is typed into a cell. */
const TEXT = "@";

/** Writes products in the format of an import. Errors: LIMIT_REACHED, and those of `pages`. */
export async function writeProducts(
  pages: AsyncIterable<Record<string, unknown>[]>,
): Promise<Uint8Array> {
  const rows: (string | null)[][] = [];
  let characters = 0;
  for await (const page of pages) {
    for (const product of page) {
      const row = columns.map((name) => textOf(product[name]));
      const longest = Math.max(...row.map((text) => text.length));
      if (longest > MOST_CELL_CHARACTERS)
        throw tooLarge("cell_characters_xlsx", MOST_CELL_CHARACTERS);
      for (const text of row) characters += text.length;
      if (characters > MOST_CHARACTERS) throw tooLarge("export_characters_xlsx", MOST_CHARACTERS);
      rows.push(row.map(textCell));
      if (rows.length > MOST_PRODUCTS) throw tooLarge("export_products_xlsx", MOST_PRODUCTS);
    }
  }
  const written = writeXlsxStream(rows, {
    name: "products",
    columns: columns.map((header) => ({ header, width: 20, numFmt: TEXT })),
    freezePane: { rows: 1 },
    // As in the xlsx of other exports.
    inlineStrings: false,
  });
  return new Uint8Array(await new Response(written).arrayBuffer());
}

const THINGS = {
  cell_characters_xlsx: "characters in a cell",
  export_characters_xlsx: "characters",
  export_products_xlsx: "products",
};

function tooLarge(cap: keyof typeof THINGS, maximum: number): ApiError {
  const message = `An xlsx may have at most ${maximum} ${THINGS[cap]}: choose csv, or filter the products.`;
  return new ApiError(
    "LIMIT_REACHED",
    message,
    [{ field: "format", value: "xlsx" }],
    {},
    { cap, maximum },
  );
}
