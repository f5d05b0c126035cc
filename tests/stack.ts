import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

/** What `npm start -- --json` prints. */
export interface StackAddress {
  url: string;
  functions_url: string;
  publishable_key: string;
  secret_key: string;
  anon_key: string;
  service_role_key: string;
  jwt_secret: string;
  db_url: string | null;
}

export interface RunningStack extends StackAddress {
  process: ChildProcess;
  /** Ends it as Ctrl-C does. Rejects when a secret was in its log: whatever the tests did, none may be. */
  stop(): Promise<void>;
}

declare module "vitest" {
  interface ProvidedContext {
    stack: StackAddress;
  }
}

/** One stack for the whole run, on a free port: PGlite in memory, or the Postgres at DATABASE_URL. */
export default async function (project: TestProject) {
  const url = process.env.DATABASE_URL;
  const stack = await startStack(url ? ["--database-url", url] : ["--data", "memory"]);
  const { process: _, stop, ...address } = stack;
  // Hundreds of people register from this one address.
  await setRateLimit(stack, "address", 1_000_000);
  project.provide("stack", address);
  return stop;
}

/** Changes a limit as an operator does. */
export async function setRateLimit(stack: StackAddress, kind: string, requests: number) {
  const key = stack.service_role_key;
  const response = await fetch(`${stack.url}/rest/v1/rpc/set_rate_limit`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind, requests_per_minute: requests }),
  });
  if (!response.ok) throw new Error(`set_rate_limit: ${response.status} ${await response.text()}`);
}

const CLI = "packages/stack/src/cli.ts";

// Hundreds of people register, whose hashes would cost more than all that they do afterwards.
const options = ["--port", "0", "--json", "--password-cost", "4"];

/** What no line of a log may hold: a token, a key, the password of every person in the tests, a webhook's secret. */
const SECRET =
  /eyJ[\w-]{8,}\.|sb_(secret|publishable)_\w|correct horse battery|whsec_[\w+/]{16}|a secret of more than 16/;

/**
 * Starts the stack as its user does, in the folder of a project, and resolves when it says that every
 * service answers.
 */
export async function startStack(place: string[], project = "."): Promise<RunningStack> {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", resolve(CLI), "start", ...options, ...place],
    { cwd: project, stdio: ["ignore", "pipe", "pipe"] },
  );
  // The last lines tell what went wrong, if anything does.
  const said: string[] = [];
  const leaked: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (SECRET.test(line)) leaked.push(line);
    said.push(line);
    if (said.length > 200) said.shift();
    if (process.env.SOUK_TEST_LOG) process.stderr.write(`${line}\n`);
  });
  const gone = once(child, "exit");
  const address = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => JSON.parse(line)),
    gone.then(([code]) => {
      throw new Error(`the stack ended with ${code} before it was ready:\n${said.join("\n")}`);
    }),
  ]);
  return {
    ...(address as StackAddress),
    process: child,
    async stop() {
      child.kill("SIGTERM");
      await gone;
      if (leaked.length > 0) throw new Error(`secrets in the stack's log:\n${leaked.join("\n")}`);
    },
  };
}
