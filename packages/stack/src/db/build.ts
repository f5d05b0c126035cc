import type { Config } from "../config.js";
import type { Log } from "../log.js";
import type { Database } from "./database.js";
import { migrate, prepareLedger } from "./migrate.js";
import type { Claim } from "./open.js";
import { preparePlatform } from "./platform.js";
import { ADMIN, OWNER } from "./roles.js";
import { findSeedFiles, recordSeed, seed } from "./seed.js";
import { recordStorageAddress } from "./storage-address.js";

/** Runs one step and logs it; `remark` adds a note about the result. */
export type Step = <T>(
  name: string,
  work: () => Promise<T>,
  remark?: (made: T) => string,
) => Promise<T>;

/** Steps that log one line each when they are done, with the time they took. */
export function timedSteps(log: Log, signal?: AbortSignal): Step {
  return async (name, work, remark) => {
    signal?.throwIfAborted();
    const begun = performance.now();
    const made = await work();
    const more = remark ? `, ${remark(made)}` : "";
    log.info(`${name} (${Math.round(performance.now() - begun)} ms${more})`);
    return made;
  };
}

/**
 * Opens the claimed place and applies the project's files: platform, migrations and, on a new
 * database, the seed. If it is killed, the next call completes the work. Closes the database when
 * it fails. `url`: that of the gateway, if it is not the config's.
 */
export async function buildDatabase(
  claim: Claim,
  config: Config,
  log: Log,
  step: Step,
  wantSeed: boolean,
  authProgram?: string,
  url = `http://127.0.0.1:${config.api.port}`,
): Promise<Database> {
  let db = await step(
    "database",
    () => claim.open(),
    () => claim.name,
  );
  try {
    await step("platform", async () => {
      await preparePlatform(db, config, authProgram);
      db = await claim.reopen(db);
      await prepareLedger(db);
      if (await ownerIsSuperuser(db)) {
        log.warn(
          `the role ${OWNER} is a superuser of this server, so migrations may do what hosted projects refuse: ` +
            `name a server whose superuser is another role (initdb -U ${ADMIN})`,
        );
      }
    });
    const files = wantSeed ? await findSeedFiles(config, log) : [];
    await recordSeed(db, files);
    await step(
      "migrations",
      () => migrate(db, config, log),
      (count) => `${count} applied`,
    );
    await recordStorageAddress(db, url);
    if (files.length > 0) {
      await step(
        "seed",
        () => seed(db, config, files),
        (count) => (count > 0 ? files.join(", ") : "there already"),
      );
    }
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function ownerIsSuperuser(db: Database): Promise<boolean> {
  const rows = await db.query("select from pg_roles where rolname = $1::text and rolsuper", [
    OWNER,
  ]);
  return rows.length > 0;
}
