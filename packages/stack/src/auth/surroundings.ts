import type { Queryable, Settings } from "../db/database.js";
import type { Surroundings } from "../service.js";
import type { Letter, Mailbox } from "./mail.js";
import type { Passwords } from "./passwords.js";

/** What every part of this service is given. */
export interface Auth extends Surroundings {
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

/** What a request has while it writes: its transaction, and the letters that go out with the commit. */
export interface Writing extends Auth, Queryable {
  post(letter: Letter): void;
}

/** One request's writing: all or nothing. */
export async function write<T>(auth: Auth, work: (w: Writing) => Promise<T>): Promise<T> {
  const letters: Letter[] = [];
  const post = (letter: Letter) => void letters.push(letter);
  const result = await auth.db.transaction(asAuthAdmin, (tx) =>
    work({ ...auth, query: (sql, params) => tx.query(sql, params), post }),
  );
  for (const letter of letters) auth.mailbox.deliver(letter);
  return result;
}
