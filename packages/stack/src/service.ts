import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Config } from "./config.js";
import type { Database } from "./db/database.js";
import type { Keys } from "./keys.js";
import type { Log } from "./log.js";
import type { Mailbox } from "./mail/mailbox.js";

/** What every service is given. */
export interface ServiceContext {
  db: Database;
  config: Config;
  keys: Keys;
  log: Log;
  /** Where Storage keeps the bytes of objects; a temporary folder of this process if null or left out. */
  storageFolder?: string | null;
  /** The gateway's address, `http://127.0.0.1:54321`, without a slash at its end. */
  url: string;
  /** Where Auth's mails end; one that nobody reads if left out. */
  mailbox?: Mailbox;
  /** The SMTP server of the mailbox, for functions; functions have none if null or left out. */
  smtpUrl?: string | null;
  /** What a new password's hash costs, as bcrypt counts; hosted's cost if left out. */
  passwordCost?: number;
}

/** A part of Supabase behind the gateway. */
export interface Service {
  /** Answers a request whose path has lost the service's prefix (`/rest/v1`, …). */
  fetch?(request: Request): Response | Promise<Response>;
  /** The same over Node's own messages, for a service that only hands them on. */
  serve?(request: IncomingMessage, answer: ServerResponse): Promise<void>;
  /** Takes over a websocket handshake below the service's prefix. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends what the service runs; resolves when nothing of it is left. */
  close(): Promise<void>;
}
