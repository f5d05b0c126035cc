import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { startServer } from "../packages/stack/src/db/server.js";
import { createLog } from "../packages/stack/src/log.js";
import { administer, databaseAt } from "./database-server.js";
import { compilePrograms, programOf } from "./programs.js";
import { launch, resetDatabase, type StackAddress, setRateLimit } from "./stack.js";

// Each vitest worker has a database server and a stack of its own, which are started when one of its files asks for
// them. So no test meets the rows, locks, roles or jobs of a file that runs at the same time. Workers are processes
// that end with each file, so the main process keeps what they share and answers by HTTP.

declare module "vitest" {
  interface ProvidedContext {
    /** `pglite`; `embedded`: a Postgres 17 from npm for each worker; or the URL of a server that all of them share. */
    server: string;
    /** Where the main process answers the workers. */
    workers: string;
  }
}

/** What a worker may ask for. */
interface Answers {
  /** The URL of the worker's database server; null where it has PGlite alone. */
  server: { url: string | null };
  /** The database on that server, with migrations and seed, to make others of. */
  template: { name: string };
  /** A folder with PGlite's database as a first start leaves it, to make copies of. */
  migrated: { folder: string };
  /** The worker's stack, which is running. */
  stack: StackAddress;
}

/** Asks for something of this worker. It is started if it is not there yet. */
export async function askForOwn<What extends keyof Answers>(what: What): Promise<Answers[What]> {
  const response = await fetch(`${inject("workers")}/${process.env.VITEST_POOL_ID}/${what}`);
  if (!response.ok) throw new Error(`${what} of this worker: ${await response.text()}`);
  return (await response.json()) as Answers[What];
}

/** vitest's global setup, once for each project. */
export default async function (project: TestProject) {
  const server = project.config.provide.server as string;
  const programs = await compilePrograms();
  project.provide("programs", programs.folder);
  const cli = programOf("packages/stack/src/cli.ts", programs.folder);
  const run = openRun(project.name, server, cli);
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
      // vitest has written its reports by now.
      if (process.env.SOUK_TEST_ERRORS) await writeFile(process.env.SOUK_TEST_ERRORS, `${error}`);
      throw error;
    } finally {
      await programs.remove();
    }
  };
}

/** What the workers of one project have. `cli` is the compiled command line of the stack. */
function openRun(project: string, server: string, cli: string) {
  const made = new Map<string, Promise<Answers[keyof Answers]>>();
  /** In the order of the starts; ended from the last to the first. */
  const endings: (() => Promise<unknown>)[] = [];
  /** Two stacks that migrate on one server at once would meet in its shared catalogs. */
  const shared = server !== "pglite" && server !== "embedded";

  const makers: { [What in keyof Answers]: (worker: string) => Promise<Answers[What]> } = {
    async server() {
      if (server === "pglite") return { url: null };
      if (shared) return { url: server };
      const settings = { fsync: "off", max_connections: "200" };
      const log = { ...createLog(), info: () => {} };
      const started = await startServer({ folder: null, port: 0, settings, log });
      endings.push(started.stop);
      return { url: started.url };
    },
    async template(worker) {
      const url = (await give(worker, "server")).url as string;
      const name = `souk_template_${project}_${process.pid}`;
      await administer(url, `create database ${name}`);
      if (shared) endings.push(() => administer(url, `drop database ${name} with (force)`));
      await resetDatabase(cli, ["--database-url", databaseAt(url, name)]);
      return { name };
    },
    async migrated() {
      const folder = await mkdtemp(join(tmpdir(), "souk-migrated-"));
      endings.push(() => rm(folder, { recursive: true }));
      await resetDatabase(cli, ["--data", folder]);
      return { folder };
    },
    async stack(worker) {
      const stack = await launch([cli], await placeOf(worker));
      endings.push(stack.stop);
      // The tests' many users register from this one address.
      await setRateLimit(stack, "address", 1_000_000);
      const { process: _, stop, ...address } = stack;
      return address;
    },
  };

  async function placeOf(worker: string): Promise<string[]> {
    const { url } = await give(worker, "server");
    if (url === null) return ["--data", "memory"];
    const { name: template } = await give(worker, "template");
    const name = `souk_${project}_${process.pid}_${worker}`;
    await administer(url, `create database ${name} template ${template}`);
    if (shared) endings.push(() => administer(url, `drop database ${name} with (force)`));
    return ["--database-url", databaseAt(url, name)];
  }

  function give<What extends keyof Answers>(worker: string, what: What): Promise<Answers[What]> {
    const common = what === "migrated" || (what === "template" && shared);
    const key = common ? what : `${worker} ${what}`;
    const given = made.get(key) ?? makers[what](worker);
    made.set(key, given);
    return given as Promise<Answers[What]>;
  }

  return {
    give,
    /** Ends all of it. Rejects with the first error once the rest has ended. */
    async end() {
      await Promise.allSettled(made.values());
      const errors: unknown[] = [];
      for (const end of endings.toReversed()) {
        await end().catch((error: unknown) => errors.push(error));
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
