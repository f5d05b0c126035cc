import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";

/** Debian's path, or the one in PATH. */
const program = ["/usr/lib/postgresql/15/bin/pgbench", "pgbench"].find(
  (path) => existsSync(path) || spawnSync(path, ["--version"]).status === 0,
);

/** Returns the settings of a role by name, which `set role` does not apply. */
export async function settingsOf(db: pg.Client, role: string): Promise<Record<string, string>> {
  const { rows } = await db.query<{ name: string; value: string }>(
    `select split_part(s, '=', 1) as name, substr(s, strpos(s, '=') + 1) as value
     from pg_roles r, unnest(r.rolconfig) as s
     where r.rolname = $1`,
    [role],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/**
 * Measures executions per second of one statement in Postgres alone, each in a transaction with these settings. Null
 * without pgbench.
 */
export async function pgbench(
  url: string,
  sql: string,
  settings: Record<string, string>,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number | null> {
  if (!program) return null;
  const folder = await mkdtemp(join(tmpdir(), "souk-pgbench-"));
  try {
    const script = join(folder, "script.sql");
    const set = Object.entries(settings).map(
      ([name, value]) => `set_config('${name}', '${value}', true)`,
    );
    await writeFile(
      script,
      `\\set n random(0, 999999)
begin;
select ${set.join(", ")};
${sql.replaceAll("\n", " ")};
commit;
`,
    );
    const { stdout } = await promisify(execFile)(program, [
      ...["-n", "-M", "prepared", "-c", `${connections}`, "-j", "1", "-T", `${seconds}`],
      ...["-f", script, url],
    ]);
    const rate = /tps = ([\d.]+)/.exec(stdout)?.[1];
    if (!rate) throw new Error(`pgbench printed no rate:\n${stdout}`);
    return Number(rate);
  } finally {
    await rm(folder, { recursive: true });
  }
}
