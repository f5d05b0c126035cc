import exceljs from "exceljs";
import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.js";
import { writeRecords } from "../../supabase/functions/_shared/values/csv_cells.ts";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import {
  listProduct,
  must,
  openTestTenant,
  type Person,
  register,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { CSV, counts, importsAt, NDJSON, ndjson } from "./importing.js";

// Files that a spreadsheet has opened and saved.

const products = importsAt("/api/products/import");
const orders = importsAt("/api/orders/import");

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

/** Codes, and what spreadsheets save in their place. */
const SAVED: readonly (readonly [code: string, cell: string])[] = [
  ["00123", "123"],
  ["000", "0"],
  ["0123456789012", "123456789012"],
  ["+491701234567", "491701234567"],
  ["1.10", "1.1"],
  ["1,50", "1,5"],
  ["1E5", "100000"],
  ["12345678901234567890", "1.23E+19"],
  ["22345678901234567891", "2.23457E+19"],
  ["32345678901234567892", "3,23457E+19"],
  ["42345678901234567893", "42345678901234500000"],
  ["52345678901234567894", "52345678901234600000"],
  ["62345678901234567895", "6.2345678901234568e+19"],
  ["4006381333931", "4.00638E+12"],
  ["1-2", "02-Jan"],
  ["9/12", "12. Sep"],
  ["3-4", "03.04.2026"],
  ["5-6", "5/6/2026"],
  ["7-8", "2026-08-07"],
  ["MAR1", "1-Mar"],
  ["SEPT2", "02. Sep"],
  ["Oct-3", "3. Okt"],
  ["DEC4", "04-ديسمبر"],
  ["12-2024", "Dec-24"],
  ["1.11", "01. Nov"],
  ["2024-07-09", "7/9/2024"],
];

/** Texts that a spreadsheet does not make of codes. */
const OTHER: readonly (readonly [code: string, cell: string])[] = [
  ["123", "00123"],
  ["00123", "124"],
  ["00123", "0123"],
  ["A-00123", "A-123"],
  ["12345678901234567890", "12345678901234567891"],
  ["12345678901234567890", "1.24E+19"],
  ["1E5", "1E6"],
  ["100500", "1E5"],
  ["1-2", "2-1"],
  ["1-2", "3-Jan"],
  ["36-38", "38-36"],
  ["MARKER1", "1-Mar"],
  ["1-2-2024", "02-Jan-25"],
];

const lamps = (external_ids: readonly string[], price: string) =>
  writeRecords([
    ["external_id", "name", "price"],
    ...external_ids.map((external_id) => [external_id, `Lamp ${external_id}`, price]),
  ]);

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
const sold = async (as: Person): Promise<any[]> =>
  (await must("GET", "/api/products?limit=100&sort=created_at&order=asc", { as })).products;

function clientOf({ token }: Person) {
  return createClient(ownStack.url, ownStack.anon_key, { accessToken: async () => token });
}

describe("an import of a file that a spreadsheet saved", () => {
  const [codes, cells] = [SAVED.map(([code]) => code), SAVED.map(([, cell]) => cell)];

  it("asks about keys, and creates no second product", async () => {
    const { supplier } = await openTestTenant();
    await products.imported(supplier, lamps(codes, "5"));
    const saved = lamps([...cells, "new"], "6");
    for (const times of ["dry_run=true", "", "accept_changed_codes=false"]) {
      const result = await products.imported(supplier, saved, CSV, times);
      expect(result).toMatchObject({ failed: codes.length, updated: 0 });
      expect(result.imported + result.unchanged).toBe(1);
      const named = codes.map((code, at) => ({
        line: at + 2,
        code: "CODE_CHANGED",
        field: "external_id",
        message: expect.stringContaining(` ${code}, `),
      }));
      expect(result.remarks).toEqual(named);
      expect(result.errors).toEqual(named.map((one) => ({ ...one, code: "VALIDATION_ERROR" })));
      expect(result.errors[0].message).toContain("accept_changed_codes=true");
    }
    const own = (await sold(supplier)).filter(({ external_id }) => external_id !== "new");
    expect(own.map(({ external_id, price }) => [external_id, price]).sort()).toEqual(
      codes.map((code) => [code, 5]).sort(),
    );

    const accepted = await products.imported(supplier, saved, CSV, "accept_changed_codes=true");
    expect(accepted).toMatchObject(counts(codes.length, 0, 1));
    expect(accepted.remarks).toHaveLength(codes.length);
    // Now there are such products, so nothing is asked.
    expect(await products.imported(supplier, saved)).toEqual({
      ...counts(0, 0, codes.length + 1),
      errors: [],
    });
  });

  it("asks about each kind of text of a product", async () => {
    const { supplier } = testTenant;
    const product = await listProduct(supplier, {
      name: "007",
      external_id: "0815",
      description: "0042",
      attributes: [
        { name: "ean", value: "04006381333931" },
        { name: "washable", value: "true" },
        { name: "depth", value: "1.50", type: "number" },
      ],
      inventory: { quantity: 0 },
      variants: [
        { name: "1-2", sku: "000100" },
        { name: "3-4", sku: "000200" },
      ],
    });
    const ask = async (line: object) => {
      const { data } = await supabaseAs(supplier)
        .rpc("import_products", { lines: [{ id: product.id, ...line }], dry_run: true })
        .throwOnError();
      return data.remarks?.map(({ field }: { field: string }) => field);
    };
    const own = product.attributes;
    const withValue = (at: number, value: string) => ({
      attributes: own.map((one: object, place: number) => (place === at ? { ...one, value } : one)),
    });
    expect(await ask({ name: "7" })).toEqual(["name"]);
    expect(await ask({ external_id: "815" })).toEqual(["external_id"]);
    expect(await ask({ description: "42" })).toEqual(["description"]);
    expect(await ask(withValue(0, "4.00638E+12"))).toEqual(["attributes[0].value"]);
    expect(await ask(withValue(1, "TRUE"))).toEqual(["attributes[1].value"]);
    expect(await ask(withValue(2, "1.5"))).toBeUndefined();
    expect(await ask({ variants: [{ name: "1-2", sku: "100" }] })).toEqual(["variants[0].sku"]);
    expect(await ask({ variants: [{ name: "3-4" }, { name: "2-Jan" }] })).toEqual([
      "variants[1].name",
    ]);
    expect(await ask({ variants: [{ name: "02.01.2026", sku: "000100" }] })).toEqual([
      "variants[0].name",
    ]);
    // One question for each line, and none about what stays or is corrected.
    expect(await ask({ name: "7", description: "42" })).toHaveLength(1);
    expect(await ask({ name: "007", variants: [{ name: "1-2", sku: "0000100" }] })).toBeUndefined();
    expect(await ask({ price: 7 })).toBeUndefined();
  });

  it("asks about a text that was cut to a cell, or lost its letters", async () => {
    const { supplier } = testTenant;
    const description = "a".repeat(40_000);
    const { id } = await listProduct(supplier, { name: "فانوس نحاسي", description });
    const lines = [
      { id, description: description.slice(0, 32_767) },
      { id, name: "????? ?????" },
      { id, description: description.slice(0, 100), name: "What?" },
    ];
    const asked = await Promise.all(
      lines.map((line) => products.imported(supplier, ndjson([line]), NDJSON, "dry_run=true")),
    );
    expect(asked.map(({ remarks }) => remarks?.[0].field)).toEqual([
      "description",
      "name",
      undefined,
    ]);
  });

  it("does not ask about texts that a spreadsheet does not make of the code", async () => {
    const rows = await query(
      "select t.code, t.cell from json_to_recordset($1) as t (code text, cell text) where private.is_saved_as(t.code, t.cell)",
      [JSON.stringify(OTHER.map(([code, cell]) => ({ code, cell })))],
    );
    expect(rows).toEqual([]);
  });

  it("does not ask about the products of other suppliers, marketplaces and tenants", async () => {
    const [here, there] = await Promise.all([openTestTenant(), openTestTenant()]);
    await products.imported(there.supplier, lamps(["00123"], "5"));
    await products.imported(here.operator, lamps(["00123"], "5"));
    expect(await products.imported(here.supplier, lamps(["123"], "5"))).toEqual({
      ...counts(1),
      errors: [],
    });
    // A supplier who names another one learns nothing of its codes.
    const rival = await register({ tenant_id: here.tenantId, role: "supplier" });
    const { supplier_id } = await listProduct(rival, { external_id: "00999" });
    const line = { external_id: "999", name: "Lamp", price: 5, supplier_id };
    const spied = await products.imported(here.supplier, ndjson([line]), NDJSON);
    expect(spied.remarks).toBeUndefined();
    expect(JSON.stringify(spied)).not.toContain("00999");
    const asked = await products.imported(here.operator, ndjson([line]), NDJSON);
    expect(asked.remarks).toHaveLength(1);
  });

  it("returns the question of each line to @souk/client", async () => {
    const { supplier } = await openTestTenant();
    const souk = clientOf(supplier);
    const many = Array.from({ length: 600 }, (_, at) => `0${1000 + at}`);
    const lines = (external_ids: string[]) =>
      external_ids.map((external_id) => ({ external_id, name: `Lamp ${external_id}`, price: 5 }));
    await souk.products.import(lines(many), { format: "ndjson" });
    const saved = lines(many.map((code) => code.slice(1)));
    const tried = await souk.products.import(saved, { format: "ndjson", dry_run: true });
    expect(tried).toMatchObject(counts(0, 0, 0, 600));
    expect(tried.remarks?.map(({ line }) => line)).toEqual(many.map((_, at) => at + 1));
    const options = { format: "ndjson", accept_changed_codes: true } as const;
    expect(await souk.products.import(saved, options)).toMatchObject(counts(600));
  });
});

describe("an import of past orders that a spreadsheet saved", () => {
  it("asks about the ids of orders and customers", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const order = (external_id: string, customer: object, postal_code = "01067") => ({
      external_id,
      placed_at: "2025-03-01T09:30:00+01:00",
      status: "delivered",
      payment_status: "paid",
      completed_at: "2025-03-04T12:00:00+01:00",
      customer,
      items: [{ product_id: product.id, quantity: 1, price: 5 }],
      shipping_address: { street: "1 Market Street", city: "Dresden", postal_code },
    });
    const first = [
      order("0001", { external_id: "00042" }),
      order("0002", { email: "jo@example.com" }),
    ];
    await orders.imported(operator, ndjson(first), NDJSON);
    const saved = [
      order("1", { external_id: "00042" }),
      order("0003", { external_id: "42" }),
      order("0004", { external_id: "042", email: "ann@example.com" }),
      order("0002", { email: "jo@example.com" }, "1067"),
    ];
    const asked = (line: number, field: string) => ({ line, code: "CODE_CHANGED", field });
    for (const times of ["dry_run=true", ""]) {
      const result = await orders.imported(operator, ndjson(saved), NDJSON, times);
      expect(result).toMatchObject(counts(1, 0, 0, 3));
      expect(result.remarks).toEqual([
        { ...asked(1, "external_id"), message: expect.stringContaining("0001") },
        { ...asked(2, "customer.external_id"), message: expect.stringContaining("00042") },
      ]);
      expect(result.errors).toMatchObject([
        { line: 1, code: "VALIDATION_ERROR", field: "external_id" },
        { line: 2, code: "VALIDATION_ERROR", field: "customer.external_id" },
        // The order exists, and an import does not change it.
        { line: 4, code: "CONFLICT", field: "shipping_address" },
      ]);
    }
    const accepted = ndjson(saved.slice(0, 2));
    const answer = await orders.imported(operator, accepted, NDJSON, "accept_changed_codes=true");
    expect(answer).toMatchObject(counts(2));
    expect(answer.remarks).toHaveLength(2);
    expect(await orders.imported(operator, accepted, NDJSON)).toEqual({
      ...counts(0, 0, 2),
      errors: [],
    });
  });
});

describe("an export of products as xlsx", () => {
  async function exported(as: Person, params = "") {
    const response = await fetch(
      `${ownStack.functions_url}/api/products/export?format=xlsx${params}`,
      { headers: { authorization: `Bearer ${as.token}` } },
    );
    return response;
  }

  async function cellsOf(file: ArrayBuffer): Promise<exceljs.Cell[][]> {
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load(file as never);
    const [sheet] = workbook.worksheets as [exceljs.Worksheet];
    const width = sheet.columnCount;
    return Array.from({ length: sheet.rowCount }, (_, row) =>
      Array.from({ length: width }, (_, column) => sheet.getCell(row + 1, column + 1)),
    );
  }

  it("has text cells only, whose texts an import finds unchanged", async () => {
    const { supplier } = await openTestTenant();
    for (const [at, [code]] of SAVED.entries()) {
      await listProduct(supplier, {
        name: `${code} `,
        external_id: code,
        price: 0.1 + at,
        description: at === 0 ? '=1+1;-2\nä_x0041_"' : code,
        attributes: [{ name: "ean", value: code }],
      });
    }
    await listProduct(supplier, {
      external_id: "with variants",
      inventory: { quantity: 0 },
      variants: [{ name: "1-2", sku: "00123", inventory: { quantity: 3 } }, { name: "MAR1" }],
    });
    const response = await exported(supplier);
    expect(response.headers.get("content-type")).toContain("spreadsheetml.sheet");
    expect(response.headers.get("content-disposition")).toContain('filename="products.xlsx"');
    const cells = await cellsOf(await response.arrayBuffer());
    const filled = cells
      .slice(1)
      .flat()
      .filter(({ value }) => value !== null);
    expect(new Set(filled.map(({ value }) => typeof value))).toEqual(new Set(["string"]));
    expect(
      new Set(
        cells
          .slice(1)
          .flat()
          .map(({ numFmt }) => numFmt),
      ),
    ).toEqual(new Set(["@"]));

    // A spreadsheet saves text cells as they are.
    const saved = writeRecords(cells.map((row) => row.map(({ value }) => (value ?? "") as string)));
    const before = await sold(supplier);
    expect(await products.imported(supplier, saved)).toEqual({
      ...counts(0, 0, SAVED.length + 1),
      errors: [],
    });
    expect(await sold(supplier)).toEqual(before);
    const csv = await fetch(`${ownStack.functions_url}/api/products/export`, {
      headers: { authorization: `Bearer ${supplier.token}` },
    });
    expect(cells[0]?.map(({ value }) => value)).toEqual(
      (await csv.text()).split("\r\n", 1)[0]?.split(","),
    );
  });

  it("is refused if a cell cannot hold a text", async () => {
    const { supplier } = await openTestTenant();
    const long = await listProduct(supplier, { description: "a".repeat(32_768) });
    const refused = await exported(supplier);
    expect(refused.status).toBe(422);
    expect((await refused.json()).error).toMatchObject({
      code: "LIMIT_REACHED",
      details: { field: "format", cap: "cell_characters_xlsx", maximum: 32_767 },
    });
    await must("DELETE", `/api/products/${long.id}`, { as: supplier });
    const empty = await exported(supplier);
    expect(await cellsOf(await empty.arrayBuffer())).toHaveLength(1);
  });

  it("comes as parts of a file from @souk/client", async () => {
    const { supplier } = await openTestTenant();
    await listProduct(supplier, { external_id: "00123" });
    const parts: Uint8Array[] = [];
    for await (const part of clientOf(supplier).products.export({ format: "xlsx" }))
      parts.push(part);
    const cells = await cellsOf(await new Blob(parts as BlobPart[]).arrayBuffer());
    expect(cells[1]?.map(({ value }) => value)).toContain("00123");
  });
});
