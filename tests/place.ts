import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { onTestFinished } from "vitest";

/** Somewhere for a stack to keep its rows: a database of its own at DATABASE_URL, or a folder. */
export async function freshPlace(): Promise<string[]> {
  const server = process.env.DATABASE_URL;
  if (!server) {
    const folder = await mkdtemp(join(tmpdir(), "souk-crash-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return ["--data", folder];
  }
  const name = `souk_crash_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return ["--database-url", url.href];
}
