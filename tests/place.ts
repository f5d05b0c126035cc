import { randomUUID } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { administer, databaseAt } from "./database-server.js";
import { askForOwn } from "./workers.js";

/** Where a stack keeps its rows, with migrations and seed as a first start leaves them. */
export interface Place {
  /** The options of the command line that name it. */
  options: string[];
  drop(): Promise<void>;
}

/** A place for a file's own stack: a database on the worker's server, or a folder of PGlite. */
export async function openPlace(): Promise<Place> {
  const { url } = await askForOwn("server");
  return url === null ? await openFolder() : await openDatabase(url);
}

/** A place for a stack of one test's own, which may kill it. It is gone after the test. */
export async function freshPlace(): Promise<string[]> {
  const { options, drop } = await openPlace();
  onTestFinished(drop);
  return options;
}

/** A folder of PGlite, whatever server the worker has. */
export async function openFolder(): Promise<Place> {
  const { folder: migrated } = await askForOwn("migrated");
  const folder = await mkdtemp(join(tmpdir(), "souk-place-"));
  await cp(migrated, folder, { recursive: true });
  return {
    options: ["--data", folder],
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openDatabase(url: string): Promise<Place> {
  const { name: template } = await askForOwn("template");
  const name = `souk_${randomUUID().replaceAll("-", "")}`;
  await administer(url, `create database ${name} template ${template}`);
  return {
    options: ["--database-url", databaseAt(url, name)],
    drop: () => administer(url, `drop database ${name} with (force)`),
  };
}
