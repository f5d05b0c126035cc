import { findPrograms } from "../packages/stack/src/db/server.js";

/**
 * The files that need the extension `vector`, or try what users of `npm start` see, which is PGlite. Changes reach
 * Realtime in another way there than on Postgres, so that file runs on both.
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
/** They need Chromium, and run by `npm run test:browser`. */
const PAGES = "tests/browser/*.test.ts";

/** Test files that run on the same kind of server: a project of vitest. */
export interface Group {
  name: string;
  include: string[];
  exclude: string[];
  /** As the workers take it. */
  server: string;
  /** What a person who runs the tests is told. */
  told: string;
}

/**
 * Divides the test files among the servers, so that each file runs once. DATABASE_URL names one server for all of them,
 * and so does SOUK_TEST_SERVER: `pglite`, or `embedded` for Postgres 17 from npm. SOUK_TEST_BROWSER asks for the tests of
 * pages alone.
 */
export async function chooseServers(): Promise<Group[]> {
  if (process.env.SOUK_TEST_BROWSER) {
    const told = `in Chromium, on PGlite: ${PAGES}`;
    return [{ name: "browser", include: [PAGES], exclude: [], server: "pglite", told }];
  }
  const url = process.env.DATABASE_URL;
  if (url) return onOne(url, `Postgres at ${new URL(url).host}`);
  const only = process.env.SOUK_TEST_SERVER;
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
      told: `on PGlite: ${ON_PGLITE.join(", ")}`,
    },
    {
      name: "postgres",
      include: [ALL],
      exclude: [...ON_PGLITE, PAGES],
      server: "embedded",
      told: "on Postgres 17 from npm: the other files of tests",
    },
    {
      name: "packages",
      include: [PACKAGES],
      exclude: [],
      server: "embedded",
      told: "on Postgres 17 and PGlite, as each test says: packages",
    },
  ];
}

/** One kind of server has all files. */
const onOne = (server: string, name: string): Group[] => [
  { name: "souk", include: [ALL], exclude: [PAGES], server, told: `on ${name}: tests` },
  { name: "packages", include: [PACKAGES], exclude: [], server, told: `on ${name}: packages` },
];
