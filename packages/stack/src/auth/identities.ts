import type { Queryable } from "../db/database.js";
import { mergeAppData, merged } from "./users.js";

type Json = Record<string, unknown>;

/** Adds the identity of an e-mail address to a user; returns the identity's data. */
export async function insertEmailIdentity(
  q: Queryable,
  userId: string,
  email: string,
  more: Json = {},
): Promise<Json> {
  const data = { email_verified: false, phone_verified: false, ...more, sub: userId, email };
  await q.query(
    `insert into auth.identities (
       provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at
     ) values ($1::text, $1::uuid, $2::text::jsonb, 'email', now(), now(), now())`,
    [userId, JSON.stringify(data)],
  );
  return data;
}

/** Updates the e-mail identity, if there is one; returns whether there was. */
export async function updateEmailIdentity(
  q: Queryable,
  userId: string,
  changes: Json,
): Promise<boolean> {
  const rows = await q.query(
    `update auth.identities
     set identity_data = ${merged("identity_data", "$2::text::jsonb")}, updated_at = now()
     where user_id = $1::uuid and provider = 'email' returning id`,
    [userId, JSON.stringify(changes)],
  );
  return rows.length > 0;
}

/** Sets `provider` and `providers` of app_metadata from the user's identities. */
export async function refreshProviders(q: Queryable, userId: string): Promise<void> {
  const rows = await q.query<{ provider: string }>(
    `select provider from auth.identities where user_id = $1::uuid
     group by provider order by min(created_at), provider`,
    [userId],
  );
  const providers = rows.map((row) => row.provider);
  await mergeAppData(q, userId, {
    providers,
    ...(providers.length > 0 && { provider: providers[0] }),
  });
}
