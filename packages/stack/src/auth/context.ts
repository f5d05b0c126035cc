import type { Queryable, Settings } from "../db/database.js";
import type { Mail, Mailbox } from "../mail/mailbox.js";
import type { ServiceContext } from "../service.js";
import type { Passwords } from "./passwords.js";

/** What every part of this service is given. */
export interface Auth extends ServiceContext {
  mailbox: Mailbox;
  passwords: Passwords;
}

/** Hosted Auth's own connection: its role, that role's search path, UTC. */
const asAuthAdmin: Settings = {
  role: "supabase_auth_admin",
  search_path: "auth",
  timezone: "UTC",
};

/** Single statements as Supabase Auth. */
export function reader(auth: Auth): Queryable {
  return { query: (sql, params) => auth.db.run(asAuthAdmin, sql, params) };
}

/** What a request has while it writes: its transaction, and the mails that go out with the commit. */
export interface Writing extends Auth, Queryable {
  post(mail: Mail): void;
}

/** One request's writing: all or nothing. */
export async function write<T>(auth: Auth, work: (w: Writing) => Promise<T>): Promise<T> {
  const mails: Mail[] = [];
  const post = (mail: Mail) => void mails.push(mail);
  const result = await auth.db.transaction(asAuthAdmin, (tx) =>
    work({ ...auth, query: (sql, params) => tx.query(sql, params), post }),
  );
  for (const mail of mails) auth.mailbox.deliver(mail);
  return result;
}
