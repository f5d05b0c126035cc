import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HOSTED_COST, LEAST_COST } from "./auth/passwords.js";
import { ConfigError, readConfig } from "./config.js";
import { DatabaseAway } from "./db/away.js";
import { readKeys } from "./keys.js";
import { createLog } from "./log.js";
import { clearedSchemas, DATA_FOLDER, type DatabaseLocation, storageFolderOf } from "./places.js";
import { findRecord, recordedPorts, recordStack } from "./record.js";
import { Refusal } from "./refusal.js";
import { addressesOf, describeAddresses, describeReady, findDemoLogins } from "./screen.js";

const usage = `Supabase for local development without Docker.

  npm start -- [options]         starts the stack and keeps it running
  npm run status -- [options]    prints whether a stack runs, its addresses and keys
  npm run reset -- [options]     recreates the database: platform, migrations, seed

It works on the folder it is started in, which holds supabase/config.toml.

start
  --port N              the gateway's port; 0 takes any free one (default: [api] port)
  --data DIR            where the rows are kept (default: ${DATA_FOLDER}); \`memory\` keeps none
  --postgres            a Postgres 17 from npm in place of PGlite, without vectors
  --database-url URL    a Postgres server (15 or newer, as a superuser) in place of PGlite
  --no-seed             leaves a fresh database without the project's seed
  --apps                builds and serves the console and the storefront also where --port is given
  --auth PROGRAM        runs PROGRAM, built from supabase/auth, in place of the stack's own Auth; the
                        database must be a server, and new, or always used with it
  --password-cost N     bcrypt's cost of new passwords, from ${LEAST_COST}, for tests that register many
                        (default: ${HOSTED_COST}, as hosted)
  --functions-on-demand starts each function with its first request, for tests that need few
  --json                prints one line of JSON, once every service answers:
                        url, functions_url, storage_url, publishable_key, secret_key,
                        anon_key, service_role_key, jwt_secret, db_url, mailpit_url,
                        smtp_url, console_url, storefront_url
status
  --port N, --json      as above; exit code 1 when no stack answers
reset
  --data DIR            removes the database in DIR and the objects of Storage, without asking; with
                        --postgres those of its Postgres
  --auth PROGRAM        as above
  --database-url URL    drops, with everything in them and without asking, the schemas
                        ${clearedSchemas.slice(0, 6).join(", ")},
                        ${clearedSchemas.slice(6).join(", ")}
  --help                prints this
`;

/** The command line is invalid. */
class UsageError extends Error {}

const place = {
  data: { type: "string" },
  postgres: { type: "boolean", default: false },
  "database-url": { type: "string" },
} as const;
const port = { port: { type: "string" } } as const;
const auth = { auth: { type: "string" } } as const;
const json = { json: { type: "boolean", default: false } } as const;

/** The same Ctrl-C may arrive twice within this time, from the terminal and from npm. */
const SAME_SIGNAL_MS = 1000;
const PARENT_MS = 1000;
/** Maximum time to stop. Includes a margin, so that the process ends within 5 s of the signal. */
const END_MS = 4500;

/** Delay after the start until garbage is collected, in ms. */
const COLLECT_MS = 5000;

const root = process.cwd();
const log = createLog();

async function start(args: string[]): Promise<void> {
  const { values } = parse(args, {
    ...place,
    ...port,
    ...json,
    ...auth,
    "no-seed": { type: "boolean", default: false },
    apps: { type: "boolean", default: false },
    "password-cost": { type: "string" },
    "functions-on-demand": { type: "boolean", default: false },
  });
  const options = {
    place: readPlace(values),
    port: readPort(values.port),
    seed: !values["no-seed"],
    authProgram: readProgram(values.auth),
    passwordCost: readPasswordCost(values["password-cost"]),
    functionsOnDemand: values["functions-on-demand"],
    apps: values.apps || values.port === undefined,
  };
  const stop = stopSignal();
  const { startStack } = await import("./start.js");
  const stack = await startStack({ root, ...options, log, signal: stop });
  const forget = await recordStack(root, stack);
  if (values.json) print(JSON.stringify(addressesOf(stack)));
  else print(describeReady(stack, await findDemoLogins(stack.db)));
  setTimeout(collectGarbage, COLLECT_MS).unref();
  const stopped = new Promise<void>((done) => stop.addEventListener("abort", () => done()));
  try {
    if (!stop.aborted) await Promise.race([stopped, stack.lost]);
  } finally {
    await forget();
    await stack.close();
  }
}

/** Collects the garbage of the start. V8 would keep it until memory is needed. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
}

async function status(args: string[]): Promise<void> {
  const { values } = parse(args, { ...port, ...json });
  const config = await readConfig(root);
  const keys = await readKeys(config);
  const gatewayPort = readPort(values.port) ?? config.api.port;
  const url = `http://127.0.0.1:${gatewayPort}`;
  const answer = await fetch(`${url}/auth/v1/health`, { signal: AbortSignal.timeout(5000) }).catch(
    () => null,
  );
  if (!answer?.ok) {
    const others = (await recordedPorts(root)).map(
      (other) => `\`npm run status -- --port ${other}\``,
    );
    throw new Refusal(
      `no stack answers at ${url}: ` +
        (others.length > 0
          ? `one runs elsewhere, see ${others.join(", ")}`
          : "`npm start` starts one"),
    );
  }
  const beside = await findRecord(root, gatewayPort);
  const stack = {
    url,
    keys,
    ...(beside ?? {
      dbUrl: null,
      mailpitUrl: null,
      smtpUrl: null,
      consoleUrl: null,
      storefrontUrl: null,
    }),
  };
  print(values.json ? JSON.stringify(addressesOf(stack)) : describeAddresses(stack));
}

async function reset(args: string[]): Promise<void> {
  const { values } = parse(args, { ...place, ...auth });
  const cleared = readPlace(values) ?? { folder: resolve(root, DATA_FOLDER) };
  if (cleared === "memory" || ("server" in cleared && cleared.server === null))
    throw new UsageError("reset cannot remove anything from memory");
  const program = readProgram(values.auth);
  const config = await readConfig(root);
  const { buildDatabase, timedSteps } = await import("./db/build.js");
  const { claimPlace } = await import("./db/open.js");
  const claim = await claimPlace(cleared, log);
  try {
    await claim.clear();
    const objects = storageFolderOf(cleared, root);
    if (objects !== null) await rm(objects, { recursive: true, force: true });
    const db = await buildDatabase(claim, config, log, timedSteps(log), true, program);
    await db.close();
  } finally {
    await claim.release();
  }
}

function parse<const Options extends NonNullable<Parameters<typeof parseArgs>[0]>["options"]>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options: options as NonNullable<Options>, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65535) return number;
  throw new UsageError(`--port takes a number from 0 to 65535, not '${text}'`);
}

/**
 * The cost can only be lowered: a higher one would slow the machine down and differ from hosted.
 */
function readPasswordCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const cost = Number(text);
  if (/^\d+$/.test(text) && cost >= LEAST_COST && cost <= HOSTED_COST) return cost;
  throw new UsageError(
    `--password-cost takes a number from ${LEAST_COST} to ${HOSTED_COST}, not '${text}'`,
  );
}

/** Returns the path of the program of `--auth`, from the current folder. */
function readProgram(text: string | undefined): string | undefined {
  if (text === "") throw new UsageError("--auth takes the path of a program");
  return text && resolve(root, text);
}

function readPlace(values: {
  data?: string;
  "database-url"?: string;
  postgres?: boolean;
}): DatabaseLocation | undefined {
  const { data, "database-url": url, postgres } = values;
  if (data !== undefined && url !== undefined) {
    throw new UsageError("--data and --database-url exclude each other");
  }
  if (postgres && url !== undefined) {
    throw new UsageError("--postgres and --database-url exclude each other");
  }
  if (data === "" || url === "") throw new UsageError("--data and --database-url take a value");
  if (url !== undefined) return { url };
  if (postgres) return { server: data === "memory" ? null : resolve(root, data ?? DATA_FOLDER) };
  if (data === "memory") return "memory";
  return data === undefined ? undefined : { folder: resolve(root, data) };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Aborts when the stack should stop. A second signal, unless it is an echo of the first, ends the
 * process at once.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  const stop = () => {
    if (first === undefined) {
      first = Date.now();
      log.info("stopping");
      controller.abort();
      setTimeout(() => {
        log.warn("stopping took too long: the process exits now");
        process.exit(130);
      }, END_MS).unref();
    } else if (Date.now() - first > SAME_SIGNAL_MS) {
      process.exit(130);
    }
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // npm forwards a SIGTERM to the shell between it and this process, which ends without forwarding
  // it.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      stop();
    }, PARENT_MS);
    watch.unref();
  }
  return controller.signal;
}

async function main([command, ...args]: string[]): Promise<number> {
  const commands: Record<string, (args: string[]) => Promise<void>> = { start, status, reset };
  if (command === "--help" || command === "-h" || args.includes("--help")) {
    print(usage);
    return 0;
  }
  try {
    const run = command === undefined ? undefined : commands[command];
    if (!run) throw new UsageError(command ? `unknown command '${command}'` : "no command");
    await run(args);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${usage}`);
    else if (error instanceof Refusal || error instanceof ConfigError) log.error(error.message);
    else if (error instanceof DatabaseAway) log.error(error.message);
    else if (error instanceof Error && error.name === "AbortError") return 0;
    else log.error("failed unexpectedly", error);
    return 1;
  }
}

// The reader of the output may exit before this process.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
process.exitCode = await main(process.argv.slice(2));
