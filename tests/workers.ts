import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, type ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";
import { startServer } from "../packages/stack/src/db/server.js";
import { createLog } from "../packages/stack/src/log.js";
import { administer, copySettings, databaseAt } from "./database-server.js";
import { compilePrograms, programOf } from "./programs.js";
import { resetToRelease } from "./release.js";
import { launch, resetDatabase, type StackAddress, setRateLimit } from "./stack.js";

// Each vitest worker has its own database server and stack. They start when one of its files needs them, and stop when it
// begins with the files of another project. So no test sees the rows, locks, roles or jobs of a file that runs at the same
// time. Worker processes may end between two files, so the main process keeps their shared state and serves it over HTTP.

declare module "vitest" {
  interface ProvidedContext {
    /** `pglite`; `embedded`: a Postgres 17 from npm for each worker; or the URL of a server that all workers share. */
    server: string;
    /** The release from which the database was migrated; null if it is new. */
    release: string | null;
    /** The URL at which the main process serves the workers. */
    workers: string;
  }
}

/** The resources that a worker can request. */
interface Answers {
  /** The URL of the worker's database server; null if it only has PGlite. */
  server: { url: string | null };
  /** The database on that server, with migrations and seed, from which others are created. */
  template: { name: string };
  /** A folder with PGlite's database as after a first start, of which copies are made. */
  migrated: { folder: string };
  /** The running stack of the worker. */
  stack: StackAddress;
}

/** Requests a resource of this worker. It is started if necessary. */
export async function askForOwn<What extends keyof Answers>(what: What): Promise<Answers[What]> {
  const response = await fetch(`${inject("workers")}/${process.env.VITEST_POOL_ID}/${what}`);
  if (!response.ok) throw new Error(`${what} of this worker: ${await response.text()}`);
  return (await response.json()) as Answers[What];
}

/** vitest's global setup, once for each project. */
export default async function (project: TestProject) {
  const { server, release } = project.config.provide as Pick<ProvidedContext, "server" | "release">;
  const programs = await compilePrograms();
  project.provide("programs", programs.folder);
  const cli = programOf("packages/stack/src/cli.ts", programs.folder);
  const run = openRun(project.name, server, release, cli);
  const listener = createServer(async (request, response) => {
    const [, worker = "", what = ""] = request.url?.split("/") ?? [];
    try {
      response.end(JSON.stringify(await run.give(worker, what as keyof Answers)));
    } catch (error) {
      response.writeHead(500).end(String((error as Error).stack));
    }
  });
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  project.provide("workers", `http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  return async () => {
    listener.close();
    try {
      await run.end();
    } catch (error) {
      // vitest has already written its reports.
      if (process.env.SOUK_TEST_ERRORS) await writeFile(process.env.SOUK_TEST_ERRORS, `${error}`);
      throw error;
    } finally {
      await programs.remove();
    }
  };
}

/** The project that a worker runs, and how its resources for that project are stopped. */
interface Occupied {
  project: string;
  leave(): void;
}

const everywhere = globalThis as { soukOccupied?: Map<string, Occupied> };
everywhere.soukOccupied ??= new Map();
/** By worker, for all projects, each of which loads this file for itself. */
const occupied = everywhere.soukOccupied;

/** The key of what all workers of a project share. */
const COMMON = "common";

/** The resources of one project's workers. `cli` is the compiled command line of the stack. */
function openRun(project: string, server: string, release: string | null, cli: string) {
  const made = new Map<string, Promise<Answers[keyof Answers]>>();
  /** By worker, in the order of the starts. They are stopped in reverse order. */
  const endings = new Map<string, (() => Promise<unknown>)[]>();
  const stopping: Promise<void>[] = [];
  const errors: unknown[] = [];
  /** Two stacks that migrate at the same time on one server would conflict in its shared catalogs. */
  const shared = server !== "pglite" && server !== "embedded";

  const atEnd = (worker: string, end: () => Promise<unknown>) =>
    void endings.set(worker, [...(endings.get(worker) ?? []), end]);

  const makers: { [What in keyof Answers]: (worker: string) => Promise<Answers[What]> } = {
    async server(worker) {
      if (server === "pglite") return { url: null };
      if (shared) return { url: server };
      const settings = { fsync: "off", max_connections: "200" };
      const log = { ...createLog(), info: () => {} };
      const started = await startServer({ folder: null, port: 0, settings, log });
      atEnd(worker, started.stop);
      return { url: started.url };
    },
    async template(worker) {
      const url = (await give(worker, "server")).url as string;
      const name = `souk_template_${project}_${process.pid}`;
      await administer(url, `create database ${name}`);
      if (shared) atEnd(COMMON, () => administer(url, `drop database ${name} with (force)`));
      const database = databaseAt(url, name);
      if (release) await resetToRelease(cli, database, release);
      else await resetDatabase(cli, ["--database-url", database]);
      return { name };
    },
    async migrated() {
      const folder = await mkdtemp(join(tmpdir(), "souk-migrated-"));
      atEnd(COMMON, () => rm(folder, { recursive: true }));
      await resetDatabase(cli, ["--data", folder]);
      return { folder };
    },
    async stack(worker) {
      const stack = await launch([cli], await placeOf(worker));
      atEnd(worker, stack.stop);
      // The tests register many users, and browsers visit many pages, from this one address.
      for (const kind of ["address", "applicant", "checkout", "visitor"])
        await setRateLimit(stack, kind, 1_000_000);
      const { process: _, stop, ...address } = stack;
      return address;
    },
  };

  async function placeOf(worker: string): Promise<string[]> {
    const { url } = await give(worker, "server");
    if (url === null) return ["--data", await copyOfMigrated(worker)];
    const { name: template } = await give(worker, "template");
    const name = `souk_${project}_${process.pid}_${worker}`;
    await administer(url, `create database ${name} template ${template}`);
    await administer(url, copySettings(template, name));
    if (shared) atEnd(worker, () => administer(url, `drop database ${name} with (force)`));
    return ["--database-url", databaseAt(url, name)];
  }

  /** A copy starts in a third of the time in which a new database is migrated. */
  async function copyOfMigrated(worker: string): Promise<string> {
    const { folder: migrated } = await give(worker, "migrated");
    const folder = await mkdtemp(join(tmpdir(), "souk-worker-"));
    atEnd(worker, () => rm(folder, { recursive: true }));
    await cp(migrated, folder, { recursive: true });
    return folder;
  }

  const keyOf = (worker: string, what: keyof Answers) =>
    what === "migrated" || (what === "template" && shared) ? what : `${worker} ${what}`;

  function give<What extends keyof Answers>(worker: string, what: What): Promise<Answers[What]> {
    const last = occupied.get(worker);
    if (last?.project !== project) {
      last?.leave();
      occupied.set(worker, { project, leave: () => void stopping.push(stop(worker)) });
    }
    const key = keyOf(worker, what);
    const given = made.get(key) ?? makers[what](worker);
    made.set(key, given);
    return given as Promise<Answers[What]>;
  }

  /** Stops what a worker has, and keeps the errors. It is made again if the worker returns to this project. */
  async function stop(worker: string): Promise<void> {
    const ends = endings.get(worker) ?? [];
    endings.delete(worker);
    for (const what of Object.keys(makers)) made.delete(`${worker} ${what}`);
    for (const end of ends.toReversed()) {
      await end().catch((error: unknown) => errors.push(error));
    }
  }

  return {
    give,
    /** Stops everything. Rejects with the first error after the rest has ended. */
    async end() {
      await Promise.allSettled([...made.values(), ...stopping]);
      for (const worker of [...endings.keys()].filter((key) => key !== COMMON)) await stop(worker);
      await stop(COMMON);
      if (errors.length > 0) throw errors[0];
    },
  };
}
