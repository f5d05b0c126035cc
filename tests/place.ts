import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject, onTestFinished, vi } from "vitest";
import { makeDatabase } from "./stack.js";

/** Where a stack keeps its rows, as its options name it, and how that goes afterwards. */
export interface Place {
  options: string[];
  drop(): Promise<void>;
}

/** For a file's own stack, until the file drops it: a database of its own at DATABASE_URL, or a folder. */
export function openPlace(): Promise<Place> {
  const server = process.env.DATABASE_URL;
  return server ? openDatabase(server) : openFolder();
}

/** For a test whose stack is killed: a database of its own at DATABASE_URL, or a folder; gone with the test. */
export async function freshPlace(): Promise<string[]> {
  const { options, drop } = await openPlace();
  onTestFinished(drop);
  return options;
}

/** A folder with the database as a first start leaves it, from PGlite whatever DATABASE_URL says. */
export async function openFolder(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "souk-place-"));
  await cp(await migratedFolder(), folder, { recursive: true });
  return {
    options: ["--data", folder],
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * What all these begin as: migrations and seed take longer than most of what is tried on them. Made by the file of a
 * run that needs it first; the others wait for it.
 */
async function migratedFolder(): Promise<string> {
  const made = join(inject("folder"), "migrated");
  const isThere = () =>
    stat(made).then(
      () => true,
      () => false,
    );
  const making = `${made}.making`;
  const isFirst = await mkdir(making).then(
    () => true,
    () => false,
  );
  if (isFirst && !(await isThere())) {
    await makeDatabase(making);
    await rename(making, made);
  }
  await vi.waitUntil(isThere, { timeout: 120_000, interval: 100 });
  return made;
}

async function openDatabase(server: string): Promise<Place> {
  const name = `souk_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    options: ["--database-url", url.href],
    async drop() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
