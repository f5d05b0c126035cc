import type { Job, Mark, Means } from "./job.ts";
import { NOTHING, newPath } from "./job.ts";
import { readPages } from "./reading.ts";
import { openWorkbook, XLSX_TYPE } from "./xlsx.ts";

/** Writes a workbook, from its first row to its last at once: so it begins anew where a dispatcher died of it. */
export async function writeWorkbook(job: Job, means: Means): Promise<Mark> {
  const workbook = await openWorkbook(job.type, job.fields);
  let rows = 0;
  for await (const page of readPages(null, means)) {
    workbook.add(page.rows);
    rows += page.rows.length;
  }
  const file = await workbook.end();
  const path = newPath(job, []);
  await means.storage.put("exports", path, file, XLSX_TYPE);
  return { ...NOTHING, done: true, ended: true, rows, bytes: file.length, files: [path] };
}
