import { BEGINNING, type Checkpoint, type Job, type JobContext, newPath } from "./job.ts";
import { readPages } from "./reading.ts";
import { openWorkbook, XLSX_TYPE } from "./xlsx.ts";

/** Writes a workbook in one go. After a crash it is written again. Throws LeaseLost and TooLargeForXlsx. */
export async function writeWorkbook(job: Job, context: JobContext): Promise<Checkpoint> {
  const workbook = await openWorkbook(job.type, job.fields);
  let rows = 0;
  for await (const page of readPages(null, context)) {
    workbook.add(page.rows);
    rows += page.rows.length;
  }
  const file = await workbook.end();
  const path = newPath(job, []);
  await context.storage.put("exports", path, file, XLSX_TYPE);
  return { ...BEGINNING, done: true, ended: true, rows, bytes: file.length, files: [path] };
}
