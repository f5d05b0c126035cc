import { readdirSync, readFileSync } from "node:fs";
import type pg from "pg";

/**
 * CPU time of processes so far, in ms: the stack with its child processes, and a database's
 * backends.
 */
export interface Spent {
  stack: number;
  postgres: number;
}

interface Process {
  pid: number;
  parent: number;
  title: string;
  spent: number;
}

/** Reads Linux's /proc; zero elsewhere. A server on another machine is not included. */
export function processorTime(stack: number, database: string | undefined): Spent {
  const all = processes();
  const family = new Set([stack]);
  // A child may have a lower process id than its parent.
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  const sum = (some: Process[]) => some.reduce((total, { spent }) => total + spent, 0);
  return {
    stack: sum(all.filter(({ pid }) => family.has(pid))),
    postgres: database
      ? sum(
          all.filter(
            ({ title }) => title.startsWith("postgres: ") && title.split(" ")[2] === database,
          ),
        )
      : 0,
  };
}

function processes(): Process[] {
  let names: string[];
  try {
    names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      const title = readFileSync(`/proc/${name}/cmdline`, "utf8");
      // The name in brackets may contain blanks. A tick is a hundredth of a second.
      const fields =
        readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number) as [
        number,
        number,
        number,
      ];
      return [{ pid: Number(name), parent, title, spent: (user + system) * 10 }];
    } catch {
      return []; // The process has ended.
    }
  });
}

/**
 * CPU time so far of a process with one thread, such as a backend of Postgres, in milliseconds and
 * more precise than the ticks of /proc/…/stat. 0 if it has ended, or without Linux.
 */
export function threadTime(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** CPU time of the backend of one connection so far, in milliseconds. */
export async function backendTime(db: pg.Client): Promise<number> {
  const { rows } = await db.query("select pg_backend_pid() as pid");
  return threadTime(rows[0].pid);
}
