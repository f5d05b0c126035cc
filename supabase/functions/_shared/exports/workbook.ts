import { XLSX_TYPE } from "../values/xlsx_cells.ts";
import type { Row } from "./format_type.ts";
import { BEGINNING, type Checkpoint, type Job, type JobContext, newPath } from "./job.ts";
import { readPages } from "./reading.ts";
import { writeXlsx } from "./xlsx.ts";

/** Writes a workbook in one go. After a crash it is written again. Throws LeaseLost and TooLargeForXlsx. */
export async function writeWorkbook(job: Job, context: JobContext): Promise<Checkpoint> {
  let rows = 0;
  async function* readRows(): AsyncGenerator<Row> {
    for await (const page of readPages(null, context)) {
      rows += page.rows.length;
      yield* page.rows;
    }
  }
  const file = await writeXlsx(job.type, job.fields, readRows());
  const path = newPath(job, []);
  await context.storage.put("exports", path, file, XLSX_TYPE);
  return { ...BEGINNING, done: true, ended: true, rows, bytes: file.length, files: [path] };
}
