/** Every available kind of server: PGlite, and Postgres if DATABASE_URL names one. */
export const everyServer = ["pglite", ...(process.env.DATABASE_URL ? ["postgres"] : [])];

/**
 * One kind of server, for services that use both through the same driver, which db-driver.test.ts
 * tests on each. It is Postgres if available; `npm run test:pglite` tests the services on PGlite.
 */
export const oneServer = everyServer.slice(-1);
