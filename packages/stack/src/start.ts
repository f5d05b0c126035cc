import { resolve } from "node:path";
import { createMailbox } from "./auth/mail.js";
import { openMailpit } from "./auth/mailpit.js";
import { readConfig } from "./config.js";
import { buildDatabase, timedSteps } from "./db/build.js";
import type { Database } from "./db/database.js";
import { claimPlace, type Place } from "./db/open.js";
import { openGateway, type Route } from "./gateway.js";
import { type Keys, readKeys } from "./keys.js";
import { createLog, type Log } from "./log.js";
import { DATA_FOLDER, databasePortOf, mailPortOf } from "./places.js";
import type { Surroundings } from "./service.js";
import { parts } from "./services.js";

export interface StartOptions {
  /** The folder that holds `supabase/`. */
  root: string;
  /** Where the rows are kept; the folder `.souk` below `root` if left out. */
  place?: Place;
  /** 0 takes any free port; `[api] port` of the config if left out. */
  port?: number;
  /** Whether a fresh database gets the project's seed; true if left out. */
  seed?: boolean;
  /** What a new password's hash costs; hosted's cost if left out. */
  passwordCost?: number;
  log?: Log;
  /** Ends a start that is under way: it puts everything back and rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A running stack. */
export interface Stack {
  url: string;
  keys: Keys;
  /** Where psql reaches the database. */
  dbUrl: string | null;
  /** Where the mails are read; null when `[local_smtp]` is off. */
  mailpitUrl: string | null;
  db: Database;
  /** Ends all of it, answers under way first. Can be called again. */
  close(): Promise<void>;
}

/**
 * Starts everything and resolves when every service answers. Throws `ConfigError` or `Refusal` for
 * what its user can mend; whatever it throws, nothing of it is left running.
 */
export async function startStack(options: StartOptions): Promise<Stack> {
  const { root, signal } = options;
  const log = options.log ?? createLog();
  const endings: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= endInTurn(endings, log);
    return closing;
  };
  const step = timedSteps(log, signal);

  try {
    const config = await readConfig(root);
    const keys = await readKeys(config);
    // The port comes first: when it is taken, the database has not been touched.
    const port = options.port ?? config.api.port;
    const gateway = await openGateway(port, keys, log.of("gateway"));
    endings.push(() => gateway.close());
    const mailbox = createMailbox();
    const mailPort = mailPortOf(config, port);
    const mailpit = mailPort === null ? null : await openMailpit(mailPort, mailbox, config);
    if (mailpit) endings.push(() => mailpit.close());

    const claim = await claimPlace(options.place ?? { folder: resolve(root, DATA_FOLDER) });
    endings.push(() => claim.release());
    const db = await buildDatabase(claim, config, log, step, options.seed ?? true);
    endings.push(() => db.close());
    await db.serve(databasePortOf(config, port));

    const routes: Route[] = [];
    const surroundings = (name: string): Surroundings => {
      const { passwordCost } = options;
      return { db, config, keys, log: log.of(name), url: gateway.url, mailbox, passwordCost };
    };
    for (const { name, create, route } of parts) {
      // A service that nobody reaches calls others: it ends first, then the answers under way.
      if (!route) endings.push(() => gateway.drain());
      const service = await step(name, () => create(surroundings(name)));
      endings.push(() => service.close());
      if (route) routes.push({ ...route, service });
    }
    gateway.serve(routes);
    await step("health", async () => {
      await Promise.all(parts.map(({ name, probe }) => probe?.(surroundings(name))));
    });
    signal?.throwIfAborted();

    return {
      url: gateway.url,
      keys,
      dbUrl: db.url,
      mailpitUrl: mailpit?.url ?? null,
      db,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ends what was begun, the last first. What fails to end must not keep the rest from ending. */
async function endInTurn(endings: readonly (() => Promise<void>)[], log: Log): Promise<void> {
  for (const end of endings.toReversed()) {
    try {
      await end();
    } catch (error) {
      log.error("something did not end as it should", error);
    }
  }
}
