import { resolve } from "node:path";
import { type App, CONSOLE, STOREFRONT } from "./apps/apps.js";
import { hasApp } from "./apps/build.js";
import { openApp } from "./apps/serve.js";
import { readConfig, watchConfig } from "./config.js";
import { buildDatabase, timedSteps } from "./db/build.js";
import type { Database } from "./db/database.js";
import { type Claim, claimPlace } from "./db/open.js";
import { openGateway, type Route } from "./gateway.js";
import { type Keys, readKeys } from "./keys.js";
import { createLog, type Log } from "./log.js";
import { createMailbox } from "./mail/mailbox.js";
import { openMailpit } from "./mail/mailpit.js";
import { openSmtp } from "./mail/smtp.js";
import {
  consolePortOf,
  DATA_FOLDER,
  type DatabaseLocation,
  databasePortOf,
  mailPortOf,
  smtpPortOf,
  storageFolderOf,
  storefrontPortOf,
} from "./places.js";
import { Refusal } from "./refusal.js";
import type { ServiceContext } from "./service.js";
import { parts } from "./services.js";

export interface StartOptions {
  /** The folder that contains `supabase/`. */
  root: string;
  /** The place of the rows; default: the folder `.souk` below `root`. */
  place?: DatabaseLocation;
  /** The gateway's port. 0 takes any free port; default: `[api] port` of the config. */
  port?: number;
  /** Whether a fresh database gets the project's seed; true if left out. */
  seed?: boolean;
  /** A program built from supabase/auth that runs in place of the stack's own Auth. */
  authProgram?: string;
  /** bcrypt's cost factor for new passwords; hosted's cost if left out. */
  passwordCost?: number;
  /** Whether functions start with their first request; at once if left out. */
  functionsOnDemand?: boolean;
  /**
   * Whether the project's console and storefront are built and served if it has them; false if left
   * out.
   */
  apps?: boolean;
  log?: Log;
  /** Aborts a start in progress: it undoes everything and rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A running stack. */
export interface Stack {
  url: string;
  keys: Keys;
  /** The URL of the database for psql. */
  dbUrl: string | null;
  /** The URL of the web pages for reading mails; null when `[local_smtp]` is off. */
  mailpitUrl: string | null;
  /** The SMTP server whose mails are read there; null when `[local_smtp]` is off. */
  smtpUrl: string | null;
  /** The URL of the console; null if the project has none, or it was not requested. */
  consoleUrl: string | null;
  /** Likewise, the storefront. */
  storefrontUrl: string | null;
  db: Database;
  /**
   * Rejects with a `Refusal` when another start claimed the database, so that this stack cannot
   * continue.
   */
  lost: Promise<never>;
  /** Stops everything in less than five seconds; answers pending requests first. Idempotent. */
  close(): Promise<void>;
}

/** Time for pending requests when the stack stops; then they are cut. */
const CLOSE_TIMEOUT_MS = 3000;

/**
 * Starts everything and resolves when every service answers. Throws `ConfigError` or `Refusal` for
 * errors that the user can fix. When it throws, nothing is left running.
 */
export async function startStack(options: StartOptions): Promise<Stack> {
  const { root, signal } = options;
  const log = options.log ?? createLog();
  const endings: (() => Promise<void>)[] = [];
  let db: Database | undefined;
  let deadline = 0;
  let closing: Promise<void> | undefined;
  const close = () => {
    deadline ||= Date.now() + CLOSE_TIMEOUT_MS;
    const cutTimer = setTimeout(() => db?.cut(), CLOSE_TIMEOUT_MS);
    closing ??= runEndings(endings, log).finally(() => clearTimeout(cutTimer));
    return closing;
  };
  const step = timedSteps(log, signal);

  try {
    const config = await readConfig(root);
    const keys = await readKeys(config);
    // The port comes first: if it is taken, the database is not touched.
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
    const api = { url: gateway.url, publishableKey: keys.publishableKey };
    const serveApp = async (app: App, appPort: number | null) => {
      if (!options.apps || appPort === null || !(await hasApp(root, app))) return null;
      const served = await openApp(app, appPort, root, api, log.of(app.name));
      endings.push(() => served.close());
      return served;
    };
    const console = await serveApp(CONSOLE, consolePortOf(config, port));
    const storefront = await serveApp(STOREFRONT, storefrontPortOf(config, port));

    const place = options.place ?? { folder: resolve(root, DATA_FOLDER) };
    const claim = await claimPlace(place, log, databasePortOf(config, port));
    endings.push(() => claim.release());
    const lost = watch(claim, log);
    const database = await buildDatabase(
      claim,
      config,
      log,
      step,
      options.seed ?? true,
      options.authProgram,
      gateway.url,
    );
    db = database;
    endings.push(() => database.close());
    await database.serve(databasePortOf(config, port));

    const routes: Route[] = [];
    const context = (name: string): ServiceContext => {
      const { authProgram, passwordCost, functionsOnDemand } = options;
      return {
        db: database,
        config,
        keys,
        log: log.of(name),
        storageFolder: storageFolderOf(place, root),
        url: gateway.url,
        mailbox,
        smtpUrl,
        authProgram,
        passwordCost,
        functionsOnDemand,
      };
    };
    for (const { name, create, route } of parts) {
      // A service without a route calls others: it stops first, then pending requests are answered.
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
    const unwatch = watchConfig(root, (path) =>
      log.warn(`${path} has changed: stop the stack and start it again to apply it`),
    );
    endings.push(async () => unwatch());
    // Builds start after the stack, and one after the other, because they need much processor time.
    void Promise.resolve(console?.prepare()).then(() => storefront?.prepare());

    return {
      url: gateway.url,
      keys,
      dbUrl: database.url,
      mailpitUrl: mailpit?.url ?? null,
      smtpUrl,
      consoleUrl: console?.url ?? null,
      storefrontUrl: storefront?.url ?? null,
      db: database,
      lost,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Logs once when the server becomes unavailable, and when it is back. Rejects when it was claimed.
 */
function watch(claim: Claim, log: Log): Promise<never> {
  const lost = new Promise<never>((_, reject) => {
    let since = 0;
    claim.watch({
      away(cause) {
        since = Date.now();
        log.warn(`the database is unavailable (${(cause as Error).message}): reconnecting`);
      },
      back: () =>
        log.info(
          `the database is available again, after ${Math.round((Date.now() - since) / 1000)} s`,
        ),
      taken: () =>
        reject(
          new Refusal(
            `${claim.name} was claimed by another start while it was unavailable: this one stops`,
          ),
        ),
    });
  });
  lost.catch(() => {});
  return lost;
}

/** Runs the endings in reverse order. If one fails, the others still run. */
async function runEndings(endings: readonly (() => Promise<void>)[], log: Log): Promise<void> {
  for (const end of endings.toReversed()) {
    try {
      await end();
    } catch (error) {
      log.error("a part of the stack did not stop correctly", error);
    }
  }
}
