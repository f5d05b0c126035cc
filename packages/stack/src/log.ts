import { DatabaseAway } from "./db/away.js";

/** Lines for the person who runs the stack. Nothing secret may reach it. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
  error(line: string, cause?: unknown): void;
  /** The same log, its lines headed by a service's name. */
  of(service: string): Log;
}

/** Writes to standard error, so that standard output stays for what was asked for. */
export function createLog(service = "souk"): Log {
  const write = (level: string, line: string) =>
    process.stderr.write(`${level === "info" ? "" : `${level}: `}[${service}] ${line}\n`);
  return {
    info: (line) => write("info", line),
    warn: (line) => write("warning", line),
    error: (line, cause) => {
      // The part that reconnects reports once that the database is unavailable. Requests do not repeat it.
      if (cause instanceof DatabaseAway) return;
      const reason = cause instanceof Error ? (cause.stack ?? cause.message) : cause;
      write("error", reason === undefined ? line : `${line}: ${reason}`);
    },
    of: (name) => createLog(name),
  };
}
