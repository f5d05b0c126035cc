import { parse } from "libpg-query";
import { type Database, type DatabaseError, isDatabaseError } from "../db/database.js";

/** The result of a run, in the words of `cron.job_run_details`. */
export interface Outcome {
  status: "succeeded" | "failed";
  message: string;
}

/** Runs a job's command as pg_cron's client that logs in as `user`. Never rejects. */
export async function runCommand(
  db: Database,
  user: string,
  command: string,
  begun: (pid: number) => Promise<unknown>,
): Promise<Outcome> {
  try {
    if (await copies(command)) return { status: "failed", message: "COPY not supported" };
    const { tag, rows } = await db.script(user, command, begun);
    const message = rows === null ? tag : `${rows} ${rows === 1 ? "row" : "rows"}`;
    return { status: "succeeded", message };
  } catch (error) {
    const message = isDatabaseError(error) ? asLibpq(error, command) : String(error);
    return { status: "failed", message };
  }
}

/** Whether a command is a COPY from or to its client, which would crash PGlite. */
async function copies(command: string): Promise<boolean> {
  // A command that cannot be parsed copies nothing; the server reports its error.
  const { stmts = [] } = await parse(command).catch(() => ({ stmts: [] }));
  return stmts.some(({ stmt }: { stmt: { CopyStmt?: { filename?: string } } }) => {
    return stmt.CopyStmt !== undefined && !stmt.CopyStmt.filename;
  });
}

/** Formats an error as psql does. */
function asLibpq(error: DatabaseError, command: string): string {
  const { message, position, detail, hint, where } = error;
  const lines = [`ERROR:  ${message}`];
  if (position) {
    const before = [...command]
      .slice(0, Number(position) - 1)
      .join("")
      .split("\n");
    const head = `LINE ${before.length}: `;
    lines.push(head + command.split("\n")[before.length - 1]);
    lines.push(`${" ".repeat(head.length + (before.at(-1)?.length ?? 0))}^`);
  }
  if (detail) lines.push(`DETAIL:  ${detail}`);
  if (hint) lines.push(`HINT:  ${hint}`);
  if (where) lines.push(`CONTEXT:  ${where}`);
  return `${lines.join("\n")}\n`;
}
