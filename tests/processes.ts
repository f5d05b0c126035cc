import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Lists all processes with their parents' ids. Small machines have no `ps`, but Linux has /proc. */
function readTable(): { pid: number; parent: number }[] {
  if (!existsSync("/proc/self/stat")) {
    return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([pid, parent]) => ({ pid: pid as number, parent: parent as number }));
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name in brackets may contain any character. The state and the parent follow it.
        const [, parent] =
          /\) \S (\d+) [^)]*$/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
        return [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return []; // The process has ended.
      }
    });
}

/** The ids of all processes below one, at any depth. */
export function descendantsOf(root: number): number[] {
  const table = readTable();
  const below = (above: number): number[] =>
    table.flatMap(({ pid, parent }) => (parent === above ? [pid, ...below(pid)] : []));
  return below(root);
}

/** The command line of a process; empty if it has ended. */
export function commandOf(pid: number): string {
  try {
    if (!existsSync("/proc/self/cmdline")) {
      return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    }
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
