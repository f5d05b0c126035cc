import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ServerType, serve } from "@hono/node-server";
import { createClient } from "@supabase/supabase-js";
import { Hono } from "hono";
import type { JWK } from "jose";
import ws from "ws";
import { createAuth } from "../src/auth/index.js";
import { LEAST_COST } from "../src/auth/passwords.js";
import { runAuth } from "../src/auth/program.js";
import { type Config, readConfig } from "../src/config.js";
import type { Database } from "../src/db/database.js";
import { openPglite } from "../src/db/pglite.js";
import { preparePlatform } from "../src/db/platform.js";
import { openPostgres } from "../src/db/postgres.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Log } from "../src/log.js";
import { createMailbox, type Mailbox, type ReceivedMail } from "../src/mail/mailbox.js";
import { openMailpit } from "../src/mail/mailpit.js";
import { openSmtp } from "../src/mail/smtp.js";

/** A program built from supabase/auth that runs in place of the stack's own, so that the same tests compare both. */
const program = process.env.SOUK_TEST_AUTH && resolve(process.env.SOUK_TEST_AUTH);

/** A separate database with the platform. */
export async function openDatabase(server: string): Promise<Database> {
  if (server === "pglite") {
    const db = await openPglite(null);
    await preparePlatform(db, await configOf(""));
    return db;
  }
  const home = process.env.DATABASE_URL as string;
  const name = `auth_${randomUUID().replaceAll("-", "")}`;
  const admin = await openPostgres(home);
  await admin.execute(`create database ${name}`);
  const address = new URL(home);
  address.pathname = `/${name}`;
  const db = await openPostgres(address.href);
  // Roles belong to the whole server, so two files may not prepare it at the same time.
  await admin.transaction({}, async (tx) => {
    await tx.query("select pg_advisory_xact_lock(54321)");
    await preparePlatform(db, await configOf(""), program);
  });
  return {
    ...db,
    close: async () => {
      await db.close();
      await admin.execute(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}

export async function configOf(toml: string): Promise<Config> {
  const root = await mkdtemp(join(tmpdir(), "souk-auth-"));
  try {
    await mkdir(join(root, "supabase"));
    await writeFile(join(root, "supabase", "config.toml"), toml);
    return await readConfig(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

export interface Running {
  db: Database;
  keys: Keys;
  url: string;
  mailbox: Mailbox;
  /** The address of the mail server. */
  mailpit: string;
  lines: string[];
  /** A new supabase-js client, with the anon key or the given one. */
  client(key?: string): ReturnType<typeof createClient>;
  /** Sends plain HTTP to `/auth/v1`. */
  http(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * The service over a database, mounted as in the gateway. Its hashes are cheap unless the options
 * say otherwise.
 */
export async function startAuth(
  db: Database,
  toml: string,
  signingKeys: readonly JWK[] = [],
  /** Undefined: the cost that hosted Supabase uses. */
  { passwordCost }: { passwordCost: number | undefined } = { passwordCost: LEAST_COST },
): Promise<Running> {
  const keys = await createKeys(signingKeys);
  const lines: string[] = [];
  const keep = (line: string, cause?: unknown) => {
    lines.push(`${line} ${cause instanceof Error ? cause.message : ""}`);
  };
  const log: Log = { info: keep, warn: keep, error: keep, of: () => log };
  const config = await configOf(toml);

  const app = new Hono();
  let server: ServerType;
  const url = await new Promise<string>((resolve) => {
    server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
  const mailbox = createMailbox();
  const mailpit = await openMailpit(0, mailbox, config);
  const smtp = await openSmtp(0, mailbox);
  const end = async () => {
    await mailpit.close();
    await smtp.close();
    await new Promise((resolve) => server.close(resolve));
  };
  const context = { db, config, keys, log, url, mailbox, passwordCost, smtpUrl: smtp.url };
  if (program) app.get("/template", (c) => c.text(TEMPLATE));
  for (const name of program ? TEMPLATES : []) {
    process.env[`GOTRUE_MAILER_TEMPLATES_${name}`] = `${url}/template`;
  }
  const service = await (program ? runAuth(program, context) : createAuth(context)).catch(
    async (error) => {
      await end();
      throw error;
    },
  );
  app.all("/auth/v1/*", (c) => {
    const address = new URL(c.req.url);
    address.pathname = address.pathname.slice("/auth/v1".length);
    return service.fetch?.(new Request(address, c.req.raw)) ?? c.notFound();
  });

  return {
    db,
    keys,
    url,
    mailbox: program ? { ...mailbox, mails: () => mailbox.mails().map(readMail) } : mailbox,
    mailpit: mailpit.url,
    lines,
    client: (key = keys.anonKey) =>
      createClient(url, key, {
        realtime: { transport: ws as never },
        auth: { persistSession: false, autoRefreshToken: false },
      }),
    http: (path, init) => fetch(`${url}/auth/v1${path}`, init),
    stop: async () => {
      await service.close();
      await end();
    },
  };
}

const TEMPLATES = ["INVITE", "CONFIRMATION", "RECOVERY", "MAGIC_LINK", "EMAIL_CHANGE"];
const TEMPLATE = `<p><a href="{{ .ConfirmationURL }}">{{ .Token }}</a></p>`;

/** Reads the values of a mail that the program has sent by SMTP: of the template above, or a code alone. */
function readMail(mail: ReceivedMail): ReceivedMail {
  const html = String(mail.message?.raw)
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const [, link, code] = /<a href="([^"]*)">(\d+)</.exec(html) ?? [];
  return {
    ...mail,
    link: link?.replaceAll("&amp;", "&") ?? null,
    code: code ?? /<p>(\d+)</.exec(html)?.[1] ?? "",
  };
}

export const newAddress = () => `${randomUUID()}@example.com`;
export const PASSWORD = "correct horse";
