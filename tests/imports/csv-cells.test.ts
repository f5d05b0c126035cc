import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  guarded,
  unguarded,
  writeRecords,
} from "../../supabase/functions/_shared/values/csv_cells.ts";
import { SEED } from "../random.js";

// Spreadsheets must not execute cells of CSV, whatever the delimiter.

/** Strings of characters with a meaning in spreadsheets. */
const texts = fc.string({
  unit: fc.constantFrom(..."=+-@\t\r\n;,'\"a1 ＝＋－＠"),
  maxLength: 12,
});
const FORMULA = /^[=+\-@＝＋－＠]/;

/**
 * The cells that a spreadsheet sees in a file. With another delimiter than a comma, it finds quotes inside cells, and
 * may drop those at the beginning of a cell.
 */
const cellsBy = (file: string, delimiter: string): string[] =>
  delimiter === ","
    ? parse(file, { relax_column_count: true }).flat()
    : file
        .split(/\r\n|\r|\n/)
        .flatMap((line) => line.split(delimiter))
        .map((cell) => cell.replace(/^["\t]+/, ""));

describe("records in CSV", () => {
  it("are the same after reading, in the same order, quoted or not", () => {
    const cells = fc.option(texts, { nil: null });
    const records = fc.array(fc.tuple(fc.constant("id"), cells, cells), { minLength: 1 });
    fc.assert(
      fc.property(records, (written) => {
        const file = writeRecords(written);
        expect(file).toMatch(/\r\n$/);
        expect(parse(file, { record_delimiter: "\r\n" })).toEqual(
          written.map((record) => record.map((cell) => cell ?? "")),
        );
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });
});

describe("a text in CSV", () => {
  it.each([",", ";", "\t"])("is never a formula if the delimiter is %j", (delimiter) => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (record) => {
        const file = writeRecords([["id", ...record.map(guarded)]]);
        for (const cell of cellsBy(file, delimiter)) {
          expect(cell).not.toMatch(FORMULA);
        }
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it("is the same after an import", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const [[cell]] = parse(writeRecords([[guarded(text), "id"]])) as [[string, string]];
        expect(unguarded(cell)).toBe(text);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it("gets an apostrophe before a leading tab or line end", () => {
    for (const text of ["\ta", "\ra", "\na"]) expect(guarded(text)).toBe(`'${text}`);
  });

  it("is unchanged if it is not a formula", () => {
    for (const text of ["a - b", "1 = 1", "x@example.com", "a; b", "one\ntwo", "'quoted'"]) {
      expect(guarded(text)).toBe(text);
    }
  });
});
