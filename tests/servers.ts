import { findPrograms } from "../packages/stack/src/db/server.js";

/**
 * The files that need the extension `vector`, or that test `npm start` with PGlite, its default. Realtime receives
 * changes from PGlite in another way than from Postgres, so that file runs on both.
 */
const ON_PGLITE = [
  "tests/client/*.test.ts",
  "tests/docs/*.test.ts",
  "tests/embeddings/*.test.ts",
  "tests/search/{quality,recommendations}.test.ts",
  "packages/stack/tests/realtime-changes.test.ts",
];

const ALL = "tests/**/*.test.ts";
const PACKAGES = "packages/*/tests/**/*.test.ts";
/** These files need Chromium. `npm run test:browser` runs them. */
const PAGES = "tests/browser/*.test.ts";

/** The functions' own tests. They run a second time with the newest Deno. */
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
  /** The text that is printed to the person who runs the tests. */
  label: string;
}

/**
 * Assigns the test files to servers, so that each file runs once. DATABASE_URL or SOUK_TEST_SERVER sets one server for
 * all files: `pglite`, or `embedded` for Postgres 17 from npm. SOUK_TEST_BROWSER selects only the browser tests.
 */
export async function chooseServers(): Promise<Group[]> {
  if (process.env.SOUK_TEST_BROWSER) {
    const label = `in Chromium, on PGlite: ${PAGES}`;
    const deno = "deno";
    return [{ name: "browser", include: [PAGES], exclude: [], server: "pglite", deno, label }];
  }
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
  return [
    {
      name: "pglite",
      include: ON_PGLITE,
      exclude: [],
      server: "pglite",
      deno: "deno",
      label: `on PGlite: ${ON_PGLITE.join(", ")}`,
    },
    {
      name: "postgres",
      include: [ALL],
      exclude: [...ON_PGLITE, PAGES],
      server: "embedded",
      deno: "deno",
      label: "on Postgres 17 from npm: the other files of tests",
    },
    {
      name: "packages",
      include: [PACKAGES],
      exclude: [],
      server: "embedded",
      deno: "deno",
      label: "on Postgres 17 and PGlite, as each test says: packages",
    },
    {
      name: "deno-newest",
      include: [FUNCTIONS],
      exclude: [],
      server: "pglite",
      deno: "deno-newest",
      label: `with the newest Deno: ${FUNCTIONS}`,
    },
  ];
}

/** Assigns all files to one kind of server. */
function onOne(server: string, on: string): Group[] {
  const deno = "deno";
  return [
    { name: "souk", include: [ALL], exclude: [PAGES], server, deno, label: `on ${on}: tests` },
    {
      name: "packages",
      include: [PACKAGES],
      exclude: [],
      server,
      deno,
      label: `on ${on}: packages`,
    },
  ];
}
