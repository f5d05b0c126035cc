// The package declares the types of its main module only, and not of the part that functions load.
declare module "exceljs/lib/stream/xlsx/workbook-writer.js";
