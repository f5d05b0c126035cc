import { readFile } from "node:fs/promises";
import { parse } from "libpg-query";
import { Refusal } from "../refusal.js";
import { type Database, isDatabaseError, type Queryable } from "./database.js";

/** One statement of a file of SQL, without the semicolon and the blanks around it. */
export interface Statement {
  text: string;
  /** The line of its first character in the file, from 1. */
  line: number;
}

/** Where Postgres' grammar begins and ends a statement: in bytes; a zero is left out. */
interface Parsed {
  stmts?: { stmt?: Record<string, unknown>; stmt_location?: number; stmt_len?: number }[];
}

/** Splits a file by Postgres' own grammar. Throws `Refusal` naming `file` and line. */
export async function splitStatements(file: string, sql: string): Promise<Statement[]> {
  if (sql.trim() === "") return [];
  let parsed: Parsed;
  try {
    parsed = await parse(sql);
  } catch (error) {
    const at = (error as { sqlDetails?: { cursorPosition?: number } }).sqlDetails?.cursorPosition;
    throw new Refusal(`${file}:${lineAt(sql, at ?? 0)}: ${(error as Error).message}`);
  }
  const bytes = Buffer.from(sql);
  return (parsed.stmts ?? []).map(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    const end = length === undefined ? bytes.length : start + length;
    const cut = bytes.toString("utf8", start, end);
    const text = cut.trim();
    const blanks = cut.length - cut.trimStart().length;
    const line = newlines(bytes.toString("utf8", 0, start)) + newlines(cut.slice(0, blanks)) + 1;
    const control = (stmt?.TransactionStmt as { kind?: string } | undefined)?.kind ?? "";
    if (/_(BEGIN|START|COMMIT|ROLLBACK)$/.test(control)) {
      throw new Refusal(
        `${file}:${line}: \`${text}\` must go: the whole file is one transaction already`,
      );
    }
    return { text, line };
  });
}

/**
 * Runs a file's statements in one transaction together with `record`. Throws `Refusal` naming
 * file, line and statement of the one that fails; then nothing of the file is left.
 */
export async function runFile(
  db: Database,
  file: string,
  statements: readonly Statement[],
  record: (tx: Queryable) => Promise<void>,
): Promise<void> {
  await db.transaction({}, async (tx) => {
    const [before] = await tx.query<{ path: string }>(
      "select current_setting('search_path') as path",
    );
    for (const statement of statements) {
      try {
        await tx.query(statement.text);
      } catch (error) {
        throw isDatabaseError(error) ? new Refusal(describe(file, statement, error)) : error;
      }
    }
    // Settings that a file makes must not reach the next file, nor a service.
    await tx.query("reset role");
    await tx.query("reset all");
    await tx.query("select set_config('search_path', $1, false)", [before?.path ?? ""]);
    await record(tx);
  });
}

/** A file's text, the same whichever line ends git has given it. Throws `Refusal`. */
export async function readSql(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  } catch (error) {
    throw new Refusal(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function describe(
  file: string,
  { text, line }: Statement,
  error: { message: string; code: string; detail?: string; hint?: string; position?: string },
): string {
  const comments = /^(?:\s+|--[^\n]*\n?|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0] ?? "";
  const position = error.position ? Number(error.position) - 1 : [...comments].length;
  const firstLine = text.slice(comments.length).split("\n", 1)[0];
  const more = [error.detail, error.hint].filter(Boolean).map((part) => ` ${part}`);
  return (
    `${file}:${line + lineAt(text, position) - 1}: ${error.message} (${error.code})` +
    `${more.join("")}, in the statement \`${firstLine}\``
  );
}

/** The line, from 1, of a position counted from 0 in characters as Postgres counts them. */
function lineAt(text: string, position: number): number {
  return newlines([...text].slice(0, position).join("")) + 1;
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}
