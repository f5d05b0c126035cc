import { resolve } from "node:path";
import { readConfig } from "./config.js";
import { buildDatabase, timedSteps } from "./db/build.js";
import type { Database } from "./db/database.js";
import { type Claim, claimPlace, type Place } from "./db/open.js";
import { openGateway, type Route } from "./gateway.js";
import { type Keys, readKeys } from "./keys.js";
import { createLog, type Log } from "./log.js";
import { createMailbox } from "./mail/mailbox.js";
import { openMailpit } from "./mail/mailpit.js";
import { openSmtp } from "./mail/smtp.js";
import { DATA_FOLDER, databasePortOf, mailPortOf, smtpPortOf, storageFolderOf } from "./places.js";
import { Refusal } from "./refusal.js";
import type { ServiceContext } from "./service.js";
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
  /** The SMTP server whose mails are read there; null when `[local_smtp]` is off. */
  smtpUrl: string | null;
  db: Database;
  /** Rejects with a `Refusal` when another start has taken the database: this one is of no use then. */
  lost: Promise<never>;
  /** Ends all of it, answers under way first, in less than five seconds. Can be called again. */
  close(): Promise<void>;
}

/** So long what is under way has when the stack is told to end; then it is cut. */
const PATIENCE_MS = 3000;

/**
 * Starts everything and resolves when every service answers. Throws `ConfigError` or `Refusal` for
 * what its user can mend; whatever it throws, nothing of it is left running.
 */
export async function startStack(options: StartOptions): Promise<Stack> {
  const { root, signal } = options;
  const log = options.log ?? createLog();
  const endings: (() => Promise<void>)[] = [];
  let db: Database | undefined;
  let deadline = 0;
  let closing: Promise<void> | undefined;
  const close = () => {
    deadline ||= Date.now() + PATIENCE_MS;
    const impatience = setTimeout(() => db?.cut(), PATIENCE_MS);
    closing ??= endInTurn(endings, log).finally(() => clearTimeout(impatience));
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
    const smtpPort = smtpPortOf(config, port);
    const smtp = smtpPort === null ? null : await openSmtp(smtpPort, mailbox);
    if (smtp) endings.push(() => smtp.close());
    const smtpUrl = smtp?.url ?? null;

    const place = options.place ?? { folder: resolve(root, DATA_FOLDER) };
    const claim = await claimPlace(place, log, databasePortOf(config, port));
    endings.push(() => claim.release());
    const lost = watch(claim, log);
    const database = await buildDatabase(claim, config, log, step, options.seed ?? true);
    db = database;
    endings.push(() => database.close());
    await database.serve(databasePortOf(config, port));

    const routes: Route[] = [];
    const context = (name: string): ServiceContext => {
      const { passwordCost } = options;
      return {
        db: database,
        config,
        keys,
        log: log.of(name),
        storageFolder: storageFolderOf(place, root),
        url: gateway.url,
        mailbox,
        smtpUrl,
        passwordCost,
      };
    };
    for (const { name, create, route } of parts) {
      // A service that nobody reaches calls others: it ends first, then the answers under way.
      if (!route) endings.push(() => gateway.drain(deadline));
      const service = await step(name, () => create(context(name)));
      endings.push(() => service.close());
      if (route) routes.push({ ...route, service });
    }
    gateway.serve(routes);
    await step("health", async () => {
      await Promise.all(parts.map(({ name, probe }) => probe?.(context(name))));
    });
    signal?.throwIfAborted();

    return {
      url: gateway.url,
      keys,
      dbUrl: database.url,
      mailpitUrl: mailpit?.url ?? null,
      smtpUrl,
      db: database,
      lost,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reports once that the server is unavailable, and once that it is back. Rejects if another start took it. */
function watch(claim: Claim, log: Log): Promise<never> {
  const lost = new Promise<never>((_, reject) => {
    let since = 0;
    claim.watch({
      away(cause) {
        since = Date.now();
        log.warn(
          `the database is unavailable (${(cause as Error).message}): waiting until it is back`,
        );
      },
      back: () =>
        log.info(`the database is back, after ${Math.round((Date.now() - since) / 1000)} s`),
      taken: () =>
        reject(
          new Refusal(
            `${claim.name} was taken by another start while it was unavailable: this one ends`,
          ),
        ),
    });
  });
  lost.catch(() => {});
  return lost;
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
