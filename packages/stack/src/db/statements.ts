import { readFile } from "node:fs/promises";
import { parse } from "libpg-query";
import { Refusal } from "../refusal.js";
import { type Database, isDatabaseError, type Queryable } from "./database.js";
import { isElevated, type Node } from "./elevated.js";
import { ADMIN, OWNER } from "./roles.js";

/** One statement of a SQL file, without its semicolon and surrounding whitespace. */
export interface Statement {
  text: string;
  /** Line of its first character in the file, starting at 1. */
  line: number;
  /** Whether `postgres` may run it on hosted projects although only a superuser may in Postgres. */
  isElevated: boolean;
}

/** The parser's statement offsets, in bytes; a zero is left out. */
interface Parsed {
  stmts?: { stmt?: Node; stmt_location?: number; stmt_len?: number }[];
}

/** Splits a file with Postgres' own parser. Throws `Refusal` with file and line. */
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
  let counted = 0;
  let linesBefore = 0;
  return (parsed.stmts ?? []).map(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    const end = length === undefined ? bytes.length : start + length;
    const cut = bytes.toString("utf8", start, end);
    const text = cut.trim();
    const blanks = cut.length - cut.trimStart().length;
    linesBefore += newlines(bytes.toString("utf8", counted, start));
    counted = start;
    const line = linesBefore + newlines(cut.slice(0, blanks)) + 1;
    const control = (stmt?.TransactionStmt as { kind?: string } | undefined)?.kind ?? "";
    if (/_(BEGIN|START|COMMIT|ROLLBACK)$/.test(control)) {
      throw new Refusal(
        `${file}:${line}: remove \`${text}\`: the whole file already runs in one transaction`,
      );
    }
    return { text, line, isElevated: isElevated(stmt) };
  });
}

/**
 * Runs a file's statements as `postgres`, in one transaction together with `record`. Throws
 * `Refusal` with file, line and statement when one fails; then the whole file is rolled back.
 */
export async function runFile(
  db: Database,
  file: string,
  statements: readonly Statement[],
  record: (tx: Queryable) => Promise<void>,
): Promise<void> {
  await db.transaction({}, async (tx) => {
    const [before] = await tx.query<{ path: string; admin: string }>(
      "select current_setting('search_path') as path, session_user as admin",
    );
    const admin = before?.admin ?? ADMIN;
    const act = (user: string) =>
      tx.query("select set_config('session_authorization', $1, true)", [user]);
    await act(OWNER);
    for (const statement of statements) {
      try {
        if (statement.isElevated) await act(admin);
        await tx.query(statement.text);
        if (statement.isElevated) await act(OWNER);
      } catch (error) {
        throw isDatabaseError(error) ? new Refusal(describe(file, statement, error)) : error;
      }
    }
    // Session settings of a file must not affect the next file or a service.
    await tx.query("reset role");
    await tx.query("reset all");
    await tx.query("select set_config('search_path', $1, false)", [before?.path ?? ""]);
    await act(admin);
    await record(tx);
  });
}

const INSUFFICIENT_PRIVILEGE = "42501";
const REFUSED_ON_HOSTED =
  "Migrations run as `postgres`, which is no superuser here as on hosted projects.";

/** Returns a file's text without a BOM and with `\n` line endings. Throws `Refusal`. */
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
  const refused = error.code === INSUFFICIENT_PRIVILEGE && REFUSED_ON_HOSTED;
  const more = [error.detail, error.hint, refused].filter(Boolean).map((part) => ` ${part}`);
  return (
    `${file}:${line + lineAt(text, position) - 1}: ${error.message} (${error.code})` +
    `${more.join("")}, in the statement \`${firstLine}\``
  );
}

/**
 * Returns the line, starting at 1, of a position in characters starting at 0, as Postgres counts
 * them.
 */
function lineAt(text: string, position: number): number {
  return newlines([...text].slice(0, position).join("")) + 1;
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}
