import { readdir } from "node:fs/promises";
import { findPrograms } from "../packages/stack/src/db/server.js";

/** The files that need the extension `vector`, or that test `npm start` with PGlite, its default. */
const ON_PGLITE = [
  "tests/client/*.test.ts",
  "tests/docs/*.test.ts",
  "tests/embeddings/*.test.ts",
  "tests/search/{quality,recommendations}.test.ts",
];

const ALL = ["tests/**/*.test.ts", "packages/client/tests/*.test.ts"];
/** These files need Chromium. `npm run test:browser` runs them. */
const PAGES = "tests/browser/*.test.ts";

/** What is tested on a database of the first release, by `npm run test:upgrade`. */
const ON_UPGRADED = [
  "tests/releases/upgrade.test.ts",
  "tests/tenancy/isolation.test.ts",
  "tests/orders/orders.test.ts",
  "tests/analytics/sales.test.ts",
];

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
 * the local stack out.
 */
export async function chooseServers(): Promise<Group[]> {
  const run = process.env.SOUK_TEST_RUN;
  if (run === "pages") return [inChromium()];
  if (run === "upgrade") return await onUpgraded();
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
  if (lack !== null) {
    return onOne("pglite", `PGlite, which SKIPS what needs several sessions (${lack})`);
  }
  const more = run === "everything" ? [inChromium(), ...(await onUpgraded())] : [];
  const ofStack = process.env.SOUK_TEST_WITHOUT_STACK ? [] : ofLocalStack();
  return [...more, ...ofStack, onPglite(), onPostgres()];
}

function inChromium(): Group {
  const label = `in Chromium, on PGlite: ${PAGES}`;
  return { ...NEW, name: "browser", include: [PAGES], server: "pglite", label };
}

/** The tests on databases of the first release that were migrated to the present. None before there is a release. */
async function onUpgraded(): Promise<Group[]> {
  const kept = await readdir("tests/releases");
  const [first] = kept.filter((name) => name.endsWith(".json.gz")).sort();
  const release = first?.replace(".json.gz", "");
  if (!release) return [];
  const label = `on Postgres 17 from npm, migrated from ${release}: ${ON_UPGRADED.join(", ")}`;
  const name = "upgraded";
  return [{ ...NEW, name, include: ON_UPGRADED, server: "embedded", release, label }];
}

function ofLocalStack(): Group[] {
  return [
    {
      ...NEW,
      name: "stack",
      include: [STACK],
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

const onPostgres = (): Group => ({
  ...NEW,
  name: "postgres",
  include: ALL,
  exclude: [...ON_PGLITE, PAGES],
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
      exclude: [PAGES],
      server,
      label: `on ${on}: tests`,
    },
    { ...NEW, name: "stack", include: [STACK], server, label: `on ${on}: packages/stack` },
  ];
}
