// The package tells the types of its whole, and not of the part that functions load.
declare module "exceljs/lib/stream/xlsx/workbook-writer.js";
