import { parse } from "libpg-query";
import { type Database, isDatabaseError } from "../db/database.js";

/** How a run ended, in the words of `cron.job_run_details`. */
export interface Outcome {
  status: "succeeded" | "failed";
  message: string;
}

interface Statement {
  text: string;
  kind: string;
}

/** Statements that Postgres refuses inside a transaction, or that make their own. */
const outsideTransactions = new Set(["VacuumStmt", "CallStmt"]);

/** Runs a job's command as `username`, in one transaction. Never rejects. */
export async function runCommand(
  db: Database,
  username: string,
  command: string,
): Promise<Outcome> {
  try {
    const statements = await split(command);
    const [first] = statements;
    if (statements.length === 1 && first && outsideTransactions.has(first.kind)) {
      await db.query(first.text);
      return { status: "succeeded", message: tagOf(first) };
    }
    if (statements.some((statement) => statement.kind === "TransactionStmt")) {
      throw new Error("a job of the local stack is one transaction, and cannot control it");
    }
    let message = "";
    await db.transaction({ role: username }, async (tx) => {
      for (const statement of statements) {
        const rows = await tx.query(statement.text);
        message =
          statement.kind === "SelectStmt"
            ? `${rows.length} ${rows.length === 1 ? "row" : "rows"}`
            : tagOf(statement);
      }
    });
    return { status: "succeeded", message };
  } catch (error) {
    return { status: "failed", message: reasonOf(error) };
  }
}

async function split(command: string): Promise<Statement[]> {
  let tree: { stmts?: { stmt: object; stmt_location?: number; stmt_len?: number }[] };
  try {
    tree = await parse(command);
  } catch {
    // The server says better what is wrong with it.
    return [{ text: command, kind: "" }];
  }
  // The parser counts in bytes of UTF-8.
  const bytes = Buffer.from(command);
  return (tree.stmts ?? []).map(({ stmt, stmt_location: from = 0, stmt_len: length }) => ({
    text: bytes.subarray(from, length ? from + length : undefined).toString(),
    kind: Object.keys(stmt)[0] ?? "",
  }));
}

/** The command tag, but for the number of rows, which the drivers do not tell. */
function tagOf(statement: Statement): string {
  const text = statement.text.replace(/^(\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/, "");
  return /^\w+/.exec(text)?.[0].toUpperCase() ?? "";
}

function reasonOf(error: unknown): string {
  if (!isDatabaseError(error)) return `ERROR:  ${error instanceof Error ? error.message : error}`;
  const { message, detail, hint } = error;
  return [
    `ERROR:  ${message}`,
    ...(detail ? [`DETAIL:  ${detail}`] : []),
    ...(hint ? [`HINT:  ${hint}`] : []),
  ].join("\n");
}
