/** The sources of the database: supabase/schemas, its tables and functions, and supabase/reference, the rows it needs. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

export const SCHEMAS = "supabase/schemas";
export const REFERENCE = "supabase/reference";

export interface SqlFile {
  /** For messages: `supabase/schemas/orders/0500_orders.sql`. */
  path: string;
  /** Its file's name without number and extension: `orders`. */
  subject: string;
  text: string;
  /** Whether it needs the extension vector, as its first line says. A server without it does without the file. */
  needsVector: boolean;
}

/** The files of a folder and its folders, in the order of their names without the folders, which is that of the numbers. */
export function readSqlFiles(folder: string): SqlFile[] {
  const root = new URL("../", import.meta.url);
  return readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql"))
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(new URL(path, root), "utf8");
      return {
        path,
        subject: basename(name).replace(/^\d+_|\.sql$/g, ""),
        text,
        needsVector: text.startsWith("-- requires: vector\n"),
      };
    });
}
