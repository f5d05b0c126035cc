// Runs the Supabase CLI against a fresh database that has the platform and every migration:
//
//   types [--check]   makes packages/client/src/database.generated.ts anew, or tells that it differs
//   advisors          the advisors of Supabase's dashboard; fails on an error
//   lint              plpgsql_check over every function; needs a server that has it: --database-url
//
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { readConfig } from "../packages/stack/src/config.js";
import type { Database } from "../packages/stack/src/db/database.js";
import { migrate, prepareLedger } from "../packages/stack/src/db/migrate.js";
import { asDatabase, startPglite } from "../packages/stack/src/db/pglite.js";
import { preparePlatform } from "../packages/stack/src/db/platform.js";
import { openPostgres } from "../packages/stack/src/db/postgres.js";
import { createLog } from "../packages/stack/src/log.js";

const TYPES = "packages/client/src/database.generated.ts";
const HEADER = "// Made from the database by `npm run types`. Do not edit.\n";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false }, "database-url": { type: "string" } },
});

async function prepare(db: Database): Promise<void> {
  const config = await readConfig(process.cwd());
  await preparePlatform(db, config);
  await prepareLedger(db);
  await migrate(db, config, createLog());
}

/** Where the CLI reaches the prepared database, and the function that ends it. */
async function openDatabase(
  url: string | undefined,
): Promise<{ url: string; close(): Promise<void> }> {
  if (url !== undefined) {
    const db = await openPostgres(url);
    await prepare(db);
    await db.close();
    return { url, close: async () => {} };
  }
  const pg = await startPglite(null);
  await prepare(await asDatabase(pg));
  const server = new PGLiteSocketServer({ db: pg, host: "127.0.0.1", port: 0 });
  await server.start();
  const [, port] = server.getServerConn().split(":");
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    close: async () => {
      await server.stop();
      await pg.close();
    },
  };
}

/** Runs the CLI; resolves to what it printed. */
function supabase(args: string[]): Promise<string> {
  return output(findCli(), [...args, "--yes"]);
}

/** Runs a program; resolves to what it printed. Its errors and progress go to the terminal as they come. */
async function output(program: string, args: string[], input = ""): Promise<string> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    printed += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) {
    process.stdout.write(printed);
    throw new Failure(`${program} ${args[0]} ended with ${code}`);
  }
  return printed;
}

/** The program comes with npm for Linux on x64; elsewhere an installed `supabase` is used. */
function findCli(): string {
  try {
    return createRequire(import.meta.url).resolve("@supabase/cli-linux-x64/bin/supabase");
  } catch {
    return "supabase";
  }
}

class Failure extends Error {}

const commands: Record<string, (url: string) => Promise<void>> = {
  async types(url) {
    const types = await supabase(["gen", "types", "--lang=typescript", `--remote=${url}`]);
    const made = await output("biome", ["format", "--stdin-file-path=database.ts"], HEADER + types);
    if (!values.check) {
      writeFileSync(TYPES, made);
      console.log(`${TYPES} is made anew`);
    } else if (readFileSync(TYPES, "utf8") !== made) {
      throw new Failure(`${TYPES} is not what the migrations say: run \`npm run types\``);
    } else {
      console.log(`${TYPES} is what the migrations say`);
    }
  },
  async advisors(url) {
    process.stdout.write(
      await supabase(["db", "advisors", `--remote=${url}`, "--level=warn", "--fail-on=error"]),
    );
  },
  async lint(url) {
    process.stdout.write(
      await supabase([
        "db",
        "lint",
        `--remote=${url}`,
        "--schema=public,private",
        "--level=warning",
        "--fail-on=warning",
      ]),
    );
  },
};

const command = commands[positionals[0] ?? ""];
if (!command) {
  console.error(`say which: ${Object.keys(commands).join(", ")}`);
  process.exit(1);
}
const database = await openDatabase(values["database-url"]);
try {
  await command(database.url);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await database.close();
}
