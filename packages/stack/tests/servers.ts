/** Every kind of server that there is: PGlite, and Postgres where DATABASE_URL names one. */
export const everyServer = ["pglite", ...(process.env.DATABASE_URL ? ["postgres"] : [])];

/**
 * One kind of server, for services that read all of them through the same driver, which db-driver.test.ts tries on each.
 * It is Postgres where there is one; `npm run test:pglite` tries the services on PGlite.
 */
export const oneServer = everyServer.slice(-1);
