import { readdir } from "node:fs/promises";
import { findPrograms } from "../packages/stack/src/db/server.js";

/** The files that need the extension `vector`, or that test `npm start` with PGlite, its default. */
const ON_PGLITE = [
  "tests/client/*.test.ts",
  "tests/docs/*.test.ts",
  "tests/embeddings/*.test.ts",
  "tests/jobs/crashes.test.ts",
  "tests/search/{quality,recommendations}.test.ts",
];

/** A test of the local stack that runs scripts/db.ts as well, which changes more often. */
const DB_COMMAND = "packages/stack/tests/db-command.test.ts";

const ALL = ["tests/**/*.test.ts", "packages/client/tests/*.test.ts", DB_COMMAND];
/** These files need Chromium. `npm run test:browser` runs them. */
const PAGES = "tests/browser/*.test.ts";

/** What is tested on a database of the first release, by `npm run test:upgrade`: that it is the same as a new one, */
const UPGRADE = "tests/releases/upgrade.test.ts";
/** and, because its columns have another order, the isolation of tenants and the functions of two capabilities. */
const ISOLATION = "tests/tenancy/isolation.test.ts";
const CAPABILITIES = ["tests/orders/orders.test.ts", "tests/analytics/sales.test.ts"];

/** The tests of the local stack. */
const STACK = "packages/stack/tests/*.test.ts";
/** Those that run on PGlite as well, from which Realtime receives changes in another way. */
const STACK_ON_PGLITE = "packages/stack/tests/realtime-changes.test.ts";
/** Those of functions. They run a second time with the newest Deno. */
const FUNCTIONS = "packages/stack/tests/functions*.test.ts";

type Deno = "deno" | "deno-newest";

/** Test files that run on the same kind of server: a project of vitest. */
export interface Group {
  name: string;
  include: string[];
  exclude: string[];
  /** The server, in the form that the workers expect. */
  server: string;
  /** The dependency that has the Deno of the functions' own tests: that of hosted projects, or the newest. */
  deno: Deno;
  /** The release from which the database was migrated; null if it is new. */
  release: string | null;
  /** The text that is printed to the person who runs the tests. */
  label: string;
}

const NEW = { exclude: [] as string[], deno: "deno", release: null } as const;

/**
 * Assigns the test files to servers, so that each file runs once. DATABASE_URL or SOUK_TEST_SERVER sets one server for
 * all files: `pglite`, or `embedded` for Postgres 17 from npm. SOUK_TEST_RUN selects the browser tests (`pages`) or those on
 * a database of the first release (`upgrade`), or adds both (`everything`). SOUK_TEST_WITHOUT_STACK leaves the tests of
 * the local stack out. The files of a project follow each other, and each project has its own stacks.
 */
export async function chooseServers(): Promise<Group[]> {
  const run = process.env.SOUK_TEST_RUN;
  const url = process.env.DATABASE_URL;
  if (url) return onOne(url, `Postgres at ${new URL(url).host}`);
  const only = process.env.SOUK_TEST_SERVER;
  // Supabase Auth itself needs a server.
  if (process.env.SOUK_TEST_AUTH)
    return onOne("embedded", "Postgres 17 from npm, with supabase/auth");
  if (only === "pglite") return onOne(only, "PGlite");
  if (only === "embedded") return onOne(only, "Postgres 17 from npm");
  if (only) throw new Error(`SOUK_TEST_SERVER is pglite or embedded, not ${only}`);
  const lack = await findPrograms().then(
    () => null,
    (error: Error) => error.message,
  );
  if (run === "pages") return [inChromium(lack === null ? "embedded" : "pglite")];
  if (run === "upgrade") return await onUpgraded();
  if (lack !== null) {
    const pages = run === "everything" ? [inChromium("pglite")] : [];
    return [
      ...onOne("pglite", `PGlite, which SKIPS what needs several sessions (${lack})`),
      ...pages,
    ];
  }
  const ofStack = process.env.SOUK_TEST_WITHOUT_STACK ? [] : ofLocalStack();
  if (run !== "everything") return [...ofStack, onPglite(), onPostgres(PAGES)];
  // The browser tests share the stacks of the other files, and the two capabilities run once.
  return [...(await onUpgraded()), ...ofStack, onPglite(), onPostgres(...CAPABILITIES)];
}

const inChromium = (server: string): Group => ({
  ...NEW,
  name: "browser",
  include: [PAGES],
  server,
  label: `in Chromium: ${PAGES}`,
});

/** The tests on databases of the first release that were migrated to the present. None before there is a release. */
async function onUpgraded(): Promise<Group[]> {
  const kept = await readdir("tests/releases");
  const [first] = kept.filter((name) => name.endsWith(".json.gz")).sort();
  const release = first?.replace(".json.gz", "");
  if (!release) return [];
  const include = [UPGRADE, ISOLATION, ...CAPABILITIES];
  const label = `on Postgres 17 from npm, migrated from ${release}: ${include.join(", ")}`;
  return [{ ...NEW, name: "upgraded", include, server: "embedded", release, label }];
}

function ofLocalStack(): Group[] {
  return [
    {
      ...NEW,
      name: "stack",
      include: [STACK],
      exclude: [DB_COMMAND],
      server: "embedded",
      label: `on Postgres 17 and PGlite, as each test says: ${STACK}`,
    },
    {
      ...NEW,
      name: "stack-pglite",
      include: [STACK_ON_PGLITE],
      server: "pglite",
      label: `on PGlite: ${STACK_ON_PGLITE}`,
    },
    {
      ...NEW,
      name: "deno-newest",
      include: [FUNCTIONS],
      server: "pglite",
      deno: "deno-newest",
      label: `with the newest Deno: ${FUNCTIONS}`,
    },
  ];
}

const onPglite = (): Group => ({
  ...NEW,
  name: "pglite",
  include: ON_PGLITE,
  server: "pglite",
  label: `on PGlite: ${ON_PGLITE.join(", ")}`,
});

const onPostgres = (...elsewhere: string[]): Group => ({
  ...NEW,
  name: "postgres",
  include: ALL,
  exclude: [...ON_PGLITE, UPGRADE, ...elsewhere],
  server: "embedded",
  label: "on Postgres 17 from npm: the other files",
});

/** Assigns all files to one kind of server. */
function onOne(server: string, on: string): Group[] {
  return [
    {
      ...NEW,
      name: "souk",
      include: ALL,
      exclude: [PAGES, UPGRADE],
      server,
      label: `on ${on}: tests`,
    },
    {
      ...NEW,
      name: "stack",
      include: [STACK],
      exclude: [DB_COMMAND],
      server,
      label: `on ${on}: packages/stack`,
    },
  ];
}
