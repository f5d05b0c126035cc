import { DatabaseAway } from "./db/away.js";

/** Log messages for the user of the stack. Must not contain secrets. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
  error(line: string, cause?: unknown): void;
  /** Returns the same log with a service's name in front of its lines. */
  of(service: string): Log;
}

/** Writes to standard error, because standard output is for results. */
export function createLog(service = "souk"): Log {
  const write = (level: string, line: string) =>
    process.stderr.write(`${level === "info" ? "" : `${level}: `}[${service}] ${line}\n`);
  return {
    info: (line) => write("info", line),
    warn: (line) => write("warning", line),
    error: (line, cause) => {
      // Not logged here: the monitor of the connection reports an unavailable database once.
      if (cause instanceof DatabaseAway) return;
      const reason = cause instanceof Error ? (cause.stack ?? cause.message) : cause;
      write("error", reason === undefined ? line : `${line}: ${reason}`);
    },
    of: (name) => createLog(name),
  };
}
