import { randomUUID } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { administer, databaseAt } from "./database-server.js";
import { askForOwn } from "./workers.js";

/** A place for the rows of a stack, with migrations and seed as after a first start. */
export interface StackDatabase {
  /** The command line options that select it. */
  options: string[];
  drop(): Promise<void>;
}

/** Opens a place for a stack that one test file uses: a database on the worker's server, or a folder of PGlite. */
export async function openPlace(): Promise<StackDatabase> {
  const { url } = await askForOwn("server");
  return url === null ? await openFolder() : await openDatabase(url);
}

/** Opens a place for a stack that one test uses and may kill. It is removed after the test. */
export async function freshPlace(): Promise<string[]> {
  const { options, drop } = await openPlace();
  onTestFinished(drop);
  return options;
}

/** Opens a folder of PGlite, whichever server the worker has. */
export async function openFolder(): Promise<StackDatabase> {
  const { folder: migrated } = await askForOwn("migrated");
  const folder = await mkdtemp(join(tmpdir(), "souk-place-"));
  await cp(migrated, folder, { recursive: true });
  return {
    options: ["--data", folder],
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openDatabase(url: string): Promise<StackDatabase> {
  const { name: template } = await askForOwn("template");
  const name = `souk_${randomUUID().replaceAll("-", "")}`;
  await administer(url, `create database ${name} template ${template}`);
  return {
    options: ["--database-url", databaseAt(url, name)],
    drop: () => administer(url, `drop database ${name} with (force)`),
  };
}
