import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Where Debian puts it; elsewhere it is on the path. */
const program = ["/usr/lib/postgresql/15/bin/pgbench", "pgbench"].find(
  (path) => existsSync(path) || spawnSync(path, ["--version"]).status === 0,
);

/**
 * Statements per second of one statement, each in a transaction as the caller with these claims: what
 * Postgres itself does of what Souk asks of it. Null where there is no pgbench.
 */
export async function pgbench(
  url: string,
  sql: string,
  claims: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number | null> {
  if (!program) return null;
  const folder = await mkdtemp(join(tmpdir(), "souk-pgbench-"));
  try {
    const script = join(folder, "script.sql");
    await writeFile(
      script,
      `\\set n random(0, 999999)
begin;
select set_config('role', 'authenticated', true), set_config('request.jwt.claims', '${claims}', true);
${sql.replaceAll("\n", " ")};
commit;
`,
    );
    const { stdout } = await promisify(execFile)(program, [
      ...["-n", "-M", "prepared", "-c", `${connections}`, "-j", "1", "-T", `${seconds}`],
      ...["-f", script, url],
    ]);
    const rate = /tps = ([\d.]+)/.exec(stdout)?.[1];
    if (!rate) throw new Error(`pgbench said nothing of its rate:\n${stdout}`);
    return Number(rate);
  } finally {
    await rm(folder, { recursive: true });
  }
}
