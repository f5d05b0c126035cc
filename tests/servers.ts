import { findPrograms } from "../packages/stack/src/db/server.js";

/** The files that need the extension `vector`, or what `npm start` and the documentation show, which is PGlite. */
const ON_PGLITE = [
  "tests/client/*.test.ts",
  "tests/docs/*.test.ts",
  "tests/embeddings/*.test.ts",
  "tests/search/{quality,recommendations}.test.ts",
];

const ALL = "tests/**/*.test.ts";
const PACKAGES = "packages/*/tests/**/*.test.ts";

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
 * and so does SOUK_TEST_SERVER: `pglite`, or `embedded` for Postgres 17 from npm.
 */
export async function chooseServers(): Promise<Group[]> {
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
    return onOne("pglite", `PGlite, WITHOUT what needs several sessions at once: ${lack}`);
  }
  const group = (
    name: string,
    include: string[],
    exclude: string[],
    server: string,
    on: string,
  ) => ({
    ...{ name, include, exclude, server },
    told: `${include.join(" ")} runs on ${on}${exclude.length ? `, without ${exclude.join(" ")}` : ""}`,
  });
  return [
    group("pglite", ON_PGLITE, [], "pglite", "PGlite"),
    group("postgres", [ALL], ON_PGLITE, "embedded", "Postgres 17 from npm"),
    group("packages", [PACKAGES], [], "embedded", "PGlite and Postgres 17 from npm"),
  ];
}

const onOne = (server: string, name: string): Group[] => [
  { name: "souk", include: [ALL], exclude: [], server, told: `${ALL} runs on ${name}` },
  {
    name: "packages",
    include: [PACKAGES],
    exclude: [],
    server,
    told: `${PACKAGES} runs on ${name}`,
  },
];
