import type { Queryable, Settings } from "../db/database.js";
import type { Surroundings } from "../service.js";
import type { Letter, Mailbox } from "./mail.js";

/** What every part of this service is given. */
export interface Auth extends Surroundings {
  mailbox: Mailbox;
}

/** Hosted Auth's own connection: its role, that role's search path, UTC. */
export const asAuthAdmin: Settings = {
  role: "supabase_auth_admin",
  search_path: "auth",
  timezone: "UTC",
};

/** Single statements as Supabase Auth. */
export function reader(auth: Auth): Queryable {
  return { query: (sql, params) => auth.db.run(asAuthAdmin, sql, params) };
}

/** One request's writing: all or nothing, and letters go out only once it is committed. */
export async function write<T>(
  auth: Auth,
  work: (tx: Queryable, post: (letter: Letter) => void) => Promise<T>,
): Promise<T> {
  const letters: Letter[] = [];
  const result = await auth.db.transaction(asAuthAdmin, (tx) => {
    letters.length = 0;
    return work(tx, (letter) => letters.push(letter));
  });
  for (const letter of letters) auth.mailbox.deliver(letter);
  return result;
}
