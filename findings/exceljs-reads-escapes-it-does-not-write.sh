#!/usr/bin/env bash
# exceljs 4.4.0 changes texts of the form _xHHHH_ in a round trip. Office Open XML escapes a character in a text as _xHHHH_,
# and a text that only looks so as _x005F_xHHHH_. exceljs reads the first form but writes neither, so an article number
# "SKU_x000D_1" that it wrote comes back with a line break, from exceljs as from other programs that read workbooks.
#
# Seen: "part _x0041_" comes back as "part A", and "SKU_x000D_1" as "SKU\r1". The file holds the texts unescaped.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts exceljs@4.4.0 jszip@3.10.1
cat >try.mjs <<'JS'
import assert from "node:assert/strict";
import ExcelJS from "exceljs";
import JSZip from "jszip";

const written = new ExcelJS.Workbook();
const sheet = written.addWorksheet("articles");
sheet.addRow(["part _x0041_", "SKU_x000D_1", "plain"]);
const bytes = await written.xlsx.writeBuffer();

const texts = await (await JSZip.loadAsync(bytes)).file("xl/sharedStrings.xml").async("string");
assert.match(texts, />part _x0041_</);
assert.match(texts, />SKU_x000D_1</);

const read = new ExcelJS.Workbook();
await read.xlsx.load(bytes);
const values = read.worksheets[0].getRow(1).values.slice(1);
console.log(JSON.stringify(values));
assert.deepEqual(values, ["part A", "SKU\r1", "plain"]);
JS
node try.mjs
echo "as described"
