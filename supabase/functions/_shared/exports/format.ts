import { csvFormat } from "./csv.ts";
import type { Field, Format } from "./format_type.ts";
import { jsonFormat } from "./json.ts";

export function formatOf(job: { format: "csv" | "json"; fields: Field[]; bom: boolean }): Format {
  return job.format === "csv" ? csvFormat(job.fields, job.bom) : jsonFormat;
}
