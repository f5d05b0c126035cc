import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Config } from "./config.js";
import type { Database } from "./db/database.js";
import type { Keys } from "./keys.js";
import type { Log } from "./log.js";
import type { Mailbox } from "./mail/mailbox.js";

/** The dependencies of every service. */
export interface ServiceContext {
  db: Database;
  config: Config;
  keys: Keys;
  log: Log;
  /**
   * The folder where Storage keeps objects; a temporary folder of this process if null or left out.
   */
  storageFolder?: string | null;
  /** The gateway's address, `http://127.0.0.1:54321`, without a trailing slash. */
  url: string;
  /** Receives the mails of Auth; they are dropped if left out. */
  mailbox?: Mailbox;
  /** The SMTP server of the mailbox, for functions; functions have none if null or left out. */
  smtpUrl?: string | null;
  /** A program built from supabase/auth that runs in place of the stack's own Auth. */
  authProgram?: string;
  /** bcrypt's cost factor for new passwords; hosted's cost if left out. */
  passwordCost?: number;
  /** Whether functions start with their first request; at once if left out. */
  functionsOnDemand?: boolean;
}

/** A service of Supabase behind the gateway. */
export interface Service {
  /** Answers a request. Its path does not include the service's prefix (`/rest/v1`, …). */
  fetch?(request: Request): Response | Promise<Response>;
  /** The same with Node's own messages, for a service that only forwards them. */
  serve?(request: IncomingMessage, answer: ServerResponse): Promise<void>;
  /** Takes over a websocket handshake below the service's prefix. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Stops the service; resolves when nothing of it is running. */
  close(): Promise<void>;
}
