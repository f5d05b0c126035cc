import { randomUUID } from "node:crypto";
import type { Parameter, Queryable } from "../db/database.js";
import { isDatabaseError } from "../db/database.js";
import { Refusal } from "./refusals.js";

type Json = Record<string, unknown>;

export interface Identity {
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: Json;
  provider: string;
  last_sign_in_at: string | null;
  created_at: string;
  updated_at: string;
  email: string | null;
}

/** A row of auth.users; times are ISO 8601. */
export interface User {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: string | null;
  invited_at: string | null;
  phone: string | null;
  phone_confirmed_at: string | null;
  confirmation_token: string;
  confirmation_sent_at: string | null;
  confirmed_at: string | null;
  recovery_token: string;
  recovery_sent_at: string | null;
  email_change_token_current: string;
  email_change_token_new: string;
  email_change: string;
  email_change_sent_at: string | null;
  email_change_confirm_status: number;
  phone_change: string;
  phone_change_token: string;
  phone_change_sent_at: string | null;
  reauthentication_token: string;
  reauthentication_sent_at: string | null;
  last_sign_in_at: string | null;
  raw_app_meta_data: Json | null;
  raw_user_meta_data: Json | null;
  created_at: string;
  updated_at: string;
  banned_until: string | null;
  deleted_at: string | null;
  is_anonymous: boolean;
  identities: Identity[] | null;
}

export const NO_INSTANCE = "00000000-0000-0000-0000-000000000000";
export const AUDIENCE = "authenticated";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string) => UUID.test(text);

/** Columns that a hand-written seed may leave null but hosted Auth cannot read as null. */
const NEVER_NULL = [
  "aud",
  "role",
  "confirmation_token",
  "recovery_token",
  "email_change_token_new",
  "email_change_token_current",
  "email_change",
  "phone_change",
  "phone_change_token",
  "reauthentication_token",
  "created_at",
  "updated_at",
] as const;

/**
 * Finds the users of this instance that meet `condition` (SQL over `u`), with their identities.
 * Throws the error of hosted Auth for a row it cannot read.
 */
export async function findUsers(
  q: Queryable,
  condition: string,
  params: readonly Parameter[],
): Promise<User[]> {
  const rows = await q.query<{ user: User; identities: Identity[] }>(
    `select to_jsonb(u) as "user",
            coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
                      from auth.identities i where i.user_id = u.id), '[]') as identities
     from auth.users u
     where u.instance_id = '${NO_INSTANCE}' and ${condition}`,
    params,
  );
  return rows.map(({ user, identities }) => {
    const unreadable = NEVER_NULL.filter((column) => user[column] === null);
    if (unreadable.length > 0) {
      throw new Refusal(500, "unexpected_failure", "Database error querying schema", {
        cause: new Error(
          `auth.users ${user.id} has null in ${unreadable.join(", ")}: insert '' for tokens and a timestamp for times`,
        ),
      });
    }
    return { ...user, identities };
  });
}

export async function findUser(
  q: Queryable,
  condition: string,
  params: readonly Parameter[],
): Promise<User | null> {
  return (await findUsers(q, condition, params))[0] ?? null;
}

export async function findUserById(q: Queryable, id: string): Promise<User | null> {
  return findUser(q, "u.id = $1::uuid", [id]);
}

const OF_EMAIL = `lower(u.email) = lower($1::text) and u.aud = '${AUDIENCE}' and not u.is_sso_user`;

export async function findUserByEmail(q: Queryable, email: string): Promise<User | null> {
  return findUser(q, OF_EMAIL, [email]);
}

/**
 * Finds and locks the user: a second request with the same code waits, and then finds it redeemed.
 */
export async function lockUserByEmail(tx: Queryable, email: string): Promise<User | null> {
  return findUser(tx, `${OF_EMAIL} for update of u`, [email]);
}

/** Finds the user who has this address, directly or through an identity, other than `except`. */
export async function findUserWithAddress(q: Queryable, email: string, except: string | null) {
  return findUser(
    q,
    // An "or" would read all users. A join would compare all users with all identities if its plan was made while the
    // tables were empty.
    `u.aud = '${AUDIENCE}' and u.id is distinct from $2::uuid and u.id = any (array(
       select o.id from auth.users o
       where o.instance_id = '${NO_INSTANCE}' and lower(o.email) = lower($1::text) and not o.is_sso_user
       union all
       select i.user_id from auth.identities i where i.email = lower($1::text) and i.provider !~ '^sso:'
     ))
     order by u.created_at limit 1`,
    [email, except],
  );
}

/** Reads a user again after this transaction changed it. */
export async function reloadUser(q: Queryable, id: string): Promise<User> {
  const user = await findUserById(q, id);
  if (!user) throw new Refusal(500, "unexpected_failure", "Database error loading user");
  return user;
}

/** The data of a user before its row exists. */
export interface NewUser {
  email: string | null;
  passwordHash: string;
  aud?: string;
  id?: string;
  app: Json;
  data: Json;
  isAnonymous?: boolean;
}

/**
 * Inserts the row in two steps like hosted Auth: a trigger on insert sees an unconfirmed user
 * without a role. An error raised by a trigger becomes `Database error saving new user`.
 */
export async function insertUser(q: Queryable, user: NewUser): Promise<string> {
  const id = user.id ?? randomUUID();
  try {
    await q.query(
      `insert into auth.users (
         instance_id, id, aud, role, email, encrypted_password, confirmation_token, recovery_token,
         email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, is_anonymous,
         created_at, updated_at
       ) values (
         '${NO_INSTANCE}', $1::uuid, $2::text, '', $3::text, $4::text, '', '', '', '',
         $5::text::jsonb, $6::text::jsonb, $7::text::boolean, now(), now()
       )`,
      [
        id,
        user.aud ?? AUDIENCE,
        user.email,
        user.passwordHash,
        JSON.stringify(user.app),
        JSON.stringify(user.data),
        String(user.isAnonymous ?? false),
      ],
    );
    await updateUser(q, id, "role = 'authenticated'");
  } catch (cause) {
    throw new Refusal(500, "unexpected_failure", "Database error saving new user", { cause });
  }
  return id;
}

/** True when a concurrent request took the same address first. */
export function isTakenAddress(error: unknown): boolean {
  const cause = error instanceof Refusal ? error.more.cause : error;
  return (
    isDatabaseError(cause) &&
    cause.code === "23505" &&
    cause.constraint === "users_email_partial_key"
  );
}

/** Sets columns of one user; `$1` is the id, `params` start at `$2`. */
export async function updateUser(
  q: Queryable,
  id: string,
  assignments: string,
  params: readonly Parameter[] = [],
): Promise<void> {
  await q.query(`update auth.users set ${assignments}, updated_at = now() where id = $1::uuid`, [
    id,
    ...params,
  ]);
}

/** SQL that sets the keys of `changes` in a json object and removes those whose value is null. */
export const merged = (column: string, changes: string) =>
  `(coalesce(${column}, '{}') || ${changes}) - array(
     select key from jsonb_each(${changes}) where jsonb_typeof(value) = 'null')`;

export async function mergeUserData(q: Queryable, id: string, changes: Json): Promise<void> {
  const sql = `raw_user_meta_data = ${merged("raw_user_meta_data", "$2::text::jsonb")}`;
  await updateUser(q, id, sql, [JSON.stringify(changes)]);
}

export async function mergeAppData(q: Queryable, id: string, changes: Json): Promise<void> {
  const sql = `raw_app_meta_data = ${merged("raw_app_meta_data", "$2::text::jsonb")}`;
  await updateUser(q, id, sql, [JSON.stringify(changes)]);
}

export async function clearOneTimeTokens(q: Queryable, userId: string): Promise<void> {
  await q.query("delete from auth.one_time_tokens where user_id = $1::uuid", [userId]);
}

export async function confirmEmail(q: Queryable, id: string): Promise<void> {
  await updateUser(q, id, "email_confirmed_at = now(), confirmation_token = ''");
  await mergeUserData(q, id, { email_verified: true });
  await clearOneTimeTokens(q, id);
}

/** Sets the password and clears every token that was issued under the old one. */
export async function setPassword(q: Queryable, id: string, hash: string | null): Promise<void> {
  await updateUser(
    q,
    id,
    `encrypted_password = $2::text, confirmation_token = '', confirmation_sent_at = null,
     recovery_token = '', recovery_sent_at = null, email_change_token_current = '',
     email_change_token_new = '', email_change_sent_at = null, phone_change_token = '',
     phone_change_sent_at = null, reauthentication_token = '', reauthentication_sent_at = null`,
    [hash],
  );
  await clearOneTimeTokens(q, id);
}

export function isBanned(user: User): boolean {
  return user.banned_until !== null && Date.parse(user.banned_until) > Date.now();
}
