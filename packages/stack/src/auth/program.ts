import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { proxy } from "hono/proxy";
import type { Config } from "../config.js";
import type { Database } from "../db/database.js";
import { createReaper } from "../functions/reaper.js";
import type { Keys } from "../keys.js";
import { listen } from "../listen.js";
import type { Log } from "../log.js";
import { Refusal } from "../refusal.js";
import type { Service, ServiceContext } from "../service.js";
import { milliseconds } from "./bodies.js";
import { REQUIRED } from "./passwords.js";
import { isServer } from "./request.js";

// Runs Supabase Auth itself in place of the stack's own: a program that the user has built from supabase/auth.

/** The role with which it uses the database, as on hosted projects. */
const ROLE = "supabase_auth_admin";

const START_MS = 30_000;
const RETRY_MS = 50;
/** Time for pending requests when the stack stops. */
const STOP_MS = 2000;

const UNLIMITED = 1_000_000;

type Settings = Record<string, string>;

/** Creates or updates the schema `auth` by the program's own migrations, as on hosted projects. Throws `Refusal`. */
export async function migrateAuth(program: string, db: Database, config: Config): Promise<void> {
  const settings = {
    ...settingsOf(config),
    ...(await loginTo(db)),
    API_EXTERNAL_URL: "http://127.0.0.1",
  };
  try {
    await promisify(execFile)(program, ["migrate"], { env: environmentOf(settings) });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Refusal(`${program} could not migrate the schema auth: ${stderr || message}`);
  }
}

/** Lets the program's role log in, with the password of the stack's own connection. */
async function loginTo(db: Database): Promise<Settings> {
  if (db.server === "pglite" || db.url === null) {
    throw new Refusal("--auth needs a server: add --postgres, or name one with --database-url");
  }
  const url = new URL(db.url);
  const password = decodeURIComponent(url.password);
  const [row] = await db.query<{ statement: string }>(
    "select format('alter role %I login password %L', $1::text, $2::text) as statement",
    [ROLE, password],
  );
  await db.execute(`
    ${row?.statement};
    do $$ begin execute format('grant create on database %I to ${ROLE}', current_database()); end $$;
  `);
  url.username = ROLE;
  return { GOTRUE_DB_DRIVER: "postgres", DATABASE_URL: url.href };
}

/** Starts the program and forwards all requests to it. Throws `Refusal`. */
export async function runAuth(program: string, context: ServiceContext): Promise<Service> {
  const { db, config, keys, log, url, smtpUrl } = context;
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const child = spawn(program, ["serve"], {
    env: environmentOf({
      ...settingsOf(config),
      ...(await loginTo(db)),
      ...signingOf(keys),
      ...(smtpUrl && mailsOf(config, url, smtpUrl)),
      GOTRUE_API_HOST: "127.0.0.1",
      PORT: String(port),
      API_EXTERNAL_URL: `${url}/auth/v1`,
      GOTRUE_JWT_ISSUER: `${url}/auth/v1`,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const reaper = createReaper();
  if (child.pid) reaper.watch(child.pid);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => logLine(line, log));
  }
  const gone = once(child, "exit").catch((error) => [error.message]);
  const isGone = gone.then(([how]) => {
    throw new Refusal(`${program} ended with ${how}`);
  });
  isGone.catch(() => {});
  await Promise.race([isAnswering(address), isGone]);

  return {
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      if (!isServer(keys, headers.get("apikey"))) headers.delete("sb-forwarded-for");
      return proxy(address + pathname + search, { raw: request, headers, redirect: "manual" });
    },
    close: async () => {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await gone;
      clearTimeout(late);
      reaper.close();
    },
  };
}

/** Logs its errors. It writes every request and address otherwise, at any GOTRUE_LOG_LEVEL. */
function logLine(line: string, log: Log): void {
  const { level, msg, error } = JSON.parse(line.startsWith("{") ? line : "{}");
  if (level === undefined) log.info(line);
  else if (!["debug", "info", "warning"].includes(level)) log.error(`${msg}: ${error}`);
}

async function isAnswering(address: string): Promise<void> {
  const end = Date.now() + START_MS;
  while (Date.now() < end) {
    const answer = await fetch(`${address}/health`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  throw new Refusal(`Supabase Auth did not answer within ${START_MS / 1000} s`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0, "for Supabase Auth", "stop other programs");
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The variables of this process also set what config.toml has no key for, such as limits. */
const environmentOf = (settings: Settings): Settings => {
  const own = Object.entries(process.env).filter(([name]) => /^GOTRUE_/.test(name));
  return { PATH: process.env.PATH ?? "", ...settings, ...(Object.fromEntries(own) as Settings) };
};

/** The settings of config.toml, by the names under which the program reads them. */
function settingsOf({ auth }: Config): Settings {
  const { email, sessions, hook } = auth;
  const settings: Record<string, string | number | boolean> = {
    SITE_URL: auth.site_url,
    URI_ALLOW_LIST: auth.additional_redirect_urls.join(","),
    DISABLE_SIGNUP: !auth.enable_signup,
    JWT_AUD: "authenticated",
    JWT_DEFAULT_GROUP_NAME: "authenticated",
    JWT_EXP: auth.jwt_expiry,
    JWT_SECRET: "only the migrations read this",
    EXTERNAL_EMAIL_ENABLED: email.enable_signup,
    EXTERNAL_PHONE_ENABLED: false,
    EXTERNAL_ANONYMOUS_USERS_ENABLED: auth.enable_anonymous_sign_ins,
    MAILER_AUTOCONFIRM: !email.enable_confirmations,
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: email.double_confirm_changes,
    MAILER_OTP_EXP: email.otp_expiry,
    MAILER_OTP_LENGTH: email.otp_length,
    SMTP_MAX_FREQUENCY: email.max_frequency,
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: email.secure_password_change,
    SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: auth.enable_refresh_token_rotation,
    SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: auth.refresh_token_reuse_interval,
    SECURITY_SB_FORWARDED_FOR_ENABLED: true,
    PASSWORD_MIN_LENGTH: auth.minimum_password_length,
    PASSWORD_REQUIRED_CHARACTERS: REQUIRED[auth.password_requirements]
      .map((set) => set.replaceAll(":", "\\:"))
      .join(":"),
  };
  // Like the stack's own Auth, which has no limits per address.
  for (const name of ["OTP", "TOKEN_REFRESH", "VERIFY", "ANONYMOUS_USERS", "EMAIL_SENT"]) {
    settings[`RATE_LIMIT_${name}`] = UNLIMITED;
  }
  for (const [name, duration] of Object.entries(sessions)) {
    if (milliseconds(duration)) settings[`SESSIONS_${name.toUpperCase()}`] = duration;
  }
  for (const [name, { enabled, uri }] of Object.entries(hook)) {
    settings[`HOOK_${name.toUpperCase()}_ENABLED`] = enabled;
    settings[`HOOK_${name.toUpperCase()}_URI`] = uri;
  }
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`GOTRUE_${name}`, String(value)]),
  );
}

/** The first key signs, all verify, and so does the secret. */
function signingOf({ jwtSecret, privateKeys }: Keys): Settings {
  const jwks = privateKeys.map((key, i) => ({
    ...key,
    key_ops: i === 0 ? ["sign", "verify"] : ["verify"],
  }));
  return {
    GOTRUE_JWT_SECRET: jwtSecret,
    ...(jwks.length > 0 && {
      GOTRUE_JWT_KEYS: JSON.stringify(jwks),
      GOTRUE_JWT_VALID_METHODS: "HS256,RS256,ES256",
    }),
  };
}

function mailsOf({ local_smtp }: Config, url: string, smtpUrl: string): Settings {
  const { hostname, port } = new URL(smtpUrl);
  const purposes = ["INVITE", "CONFIRMATION", "RECOVERY", "EMAIL_CHANGE"];
  const links = purposes.map((name) => [`GOTRUE_MAILER_URLPATHS_${name}`, `${url}/auth/v1/verify`]);
  return {
    GOTRUE_SMTP_HOST: hostname,
    GOTRUE_SMTP_PORT: port,
    GOTRUE_SMTP_ADMIN_EMAIL: local_smtp.admin_email,
    GOTRUE_SMTP_SENDER_NAME: local_smtp.sender_name,
    ...Object.fromEntries(links),
  };
}
