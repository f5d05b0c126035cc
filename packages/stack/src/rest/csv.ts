import { invalidBody } from "./errors.js";

/** Parses CSV with a header line. The value `NULL` means null. */
export function parseCsv(text: string): Record<string, string | null>[] {
  const [header, ...lines] = records(text);
  if (!header) throw invalidBody("Empty or invalid csv");
  return lines.map((cells) => {
    if (cells.length !== header.length) {
      throw invalidBody("All lines must have same number of fields");
    }
    const row = cells.map((cell) => (cell === "NULL" ? null : cell));
    return Object.fromEntries(header.map((name, i) => [name, row[i]!]));
  });
}

function records(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let i = 0;
  while (i < text.length) {
    let cell = "";
    if (text[i] === '"') {
      i++;
      while (i < text.length && (text[i] !== '"' || text[i + 1] === '"')) {
        cell += text[i];
        i += text[i] === '"' ? 2 : 1;
      }
      i++;
    } else {
      const start = i;
      while (i < text.length && !",\r\n".includes(text[i]!)) i++;
      cell = text.slice(start, i);
    }
    row.push(cell);
    if (text[i] === ",") {
      i++;
      if (i < text.length) continue;
      row.push("");
    }
    while (i < text.length && "\r\n".includes(text[i]!)) i++;
    rows.push(row);
    row = [];
  }
  return rows;
}
