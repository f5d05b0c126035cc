import type { Format } from "./format_type.ts";

/** One array, with a row in each line. */
export const jsonFormat: Format = {
  contentType: "application/json",
  head: "[",
  foot: "\n]\n",
  write: (rows, follow) =>
    (follow === "rows" && rows.length > 0 ? "," : "") + rows.map((row) => `\n${row}`).join(","),
};
