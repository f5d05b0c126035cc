import type { Queryable, Settings } from "../db/database.js";
import type { Mail, Mailbox } from "../mail/mailbox.js";
import type { ServiceContext } from "../service.js";
import type { Passwords } from "./passwords.js";

/** The dependencies of all parts of this service. */
export interface Auth extends ServiceContext {
  mailbox: Mailbox;
  passwords: Passwords;
}

/** The settings of hosted Auth's own connection: its role, the role's search path, UTC. */
const asAuthAdmin: Settings = {
  role: "supabase_auth_admin",
  search_path: "auth",
  timezone: "UTC",
};

/** Runs single statements as Supabase Auth. */
export function reader(auth: Auth): Queryable {
  return { query: (sql, params) => auth.db.run(asAuthAdmin, sql, params) };
}

/**
 * The context of a writing request: its transaction, and a queue of mails to send after the commit.
 */
export interface Writing extends Auth, Queryable {
  post(mail: Mail): void;
}

/** Runs the work in one transaction and sends its mails after the commit. */
export async function write<T>(auth: Auth, work: (w: Writing) => Promise<T>): Promise<T> {
  const mails: Mail[] = [];
  const post = (mail: Mail) => void mails.push(mail);
  const result = await auth.db.transaction(asAuthAdmin, (tx) =>
    work({ ...auth, query: (sql, params) => tx.query(sql, params), post }),
  );
  for (const mail of mails) auth.mailbox.deliver(mail);
  return result;
}
