import { createHash } from "node:crypto";
import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { checkEmail, flag, invalid, json, milliseconds, text } from "./bodies.js";
import { type Auth, reader, write } from "./context.js";
import { insertEmailIdentity, updateEmailIdentity } from "./identities.js";
import { checkLength, checkStrength, isBcryptHash } from "./passwords.js";
import { emailExists, NOT_HERE, noPhone, Refusal } from "./refusals.js";
import { endSessions } from "./sessions.js";
import { userJson } from "./user-json.js";
import {
  AUDIENCE,
  clearOneTimeTokens,
  confirmEmail,
  findUserById,
  findUsers,
  findUserWithAddress,
  insertUser,
  isTakenAddress,
  isUuid,
  mergeAppData,
  mergeUserData,
  NO_INSTANCE,
  reloadUser,
  setPassword,
  type User,
  updateUser,
} from "./users.js";

export const adminUser = z.object({
  id: text,
  aud: text,
  role: text,
  email: text,
  phone: text,
  password: z.string().nullish(),
  password_hash: text,
  email_confirm: flag,
  phone_confirm: flag,
  user_metadata: json,
  app_metadata: json,
  ban_duration: text,
});
type AdminUser = z.output<typeof adminUser>;

function refusePhone(wish: AdminUser): void {
  if (wish.phone !== "" || wish.phone_confirm) {
    throw noPhone(400, "Phone logins are disabled");
  }
}

/** Milliseconds, 0 to lift a ban, null for no change. */
function banOf({ ban_duration: duration }: AdminUser): number | null {
  if (duration === "") return null;
  if (duration === "none") return 0;
  const length = milliseconds(duration);
  if (length === null) {
    throw invalid(`invalid format for ban duration: time: invalid duration "${duration}"`);
  }
  return length;
}

const BAN = `banned_until = case when $2::text = '0' then null
  else now() + make_interval(secs => $2::text::float8 / 1000) end`;

/** The fields that an administrator may set of a new user and of an existing one. */
async function setAsAdmin(tx: Queryable, id: string, wish: AdminUser, ban: number | null) {
  if (wish.role !== "") await updateUser(tx, id, "role = $2::text", [wish.role.trim()]);
  if (wish.email_confirm) await confirmEmail(tx, id);
  if (wish.app_metadata) await mergeAppData(tx, id, wish.app_metadata);
  if (ban !== null) await updateUser(tx, id, BAN, [String(ban)]);
}

/** The user an administrator names. Throws 404. */
export async function findForAdmin(auth: Auth, id: string): Promise<User> {
  if (!isUuid(id)) throw new Refusal(404, "validation_failed", "user_id must be an UUID");
  const user = await findUserById(reader(auth), id);
  if (!user) throw new Refusal(404, "user_not_found", "User not found");
  return user;
}

/** A page of users, newest first, with how many there are. */
export async function listUsers(auth: Auth, query: Record<string, string>) {
  const number = (name: string, standard: number) => {
    const value = query[name] || String(standard);
    if (!/^\d{1,9}$/.test(value)) {
      throw invalid(
        `Bad Pagination Parameters: strconv.ParseUint: parsing "${value}": invalid syntax`,
      );
    }
    return Number(value);
  };
  const page = Math.max(number("page", 1), 1);
  const perPage = number("per_page", 50) || 50;
  const filter = query.filter ? `%${query.filter}%` : null;
  const matching = `u.aud = '${AUDIENCE}' and ($1::text is null
    or u.email like $1::text or u.raw_user_meta_data ->> 'full_name' ilike $1::text)`;
  const q = reader(auth);
  const [count] = await q.query<{ total: number }>(
    `select count(*) as total from auth.users u
     where u.instance_id = '${NO_INSTANCE}' and ${matching}`,
    [filter],
  );
  const users = await findUsers(
    q,
    `${matching} order by u.created_at desc, u.id limit $2::text::int offset $3::text::bigint`,
    [filter, String(perPage), String((page - 1) * perPage)],
  );
  return {
    // Hosted leaves the identities out of a list.
    users: users.map((user) => userJson({ ...user, identities: null })),
    total: count?.total ?? 0,
    page,
    pages: Math.ceil((count?.total ?? 0) / perPage),
  };
}

export async function createUser(auth: Auth, wish: AdminUser) {
  refusePhone(wish);
  if (wish.email === "") throw invalid("Cannot create a user without either an email or phone");
  const email = checkEmail(wish.email);
  if (await findUserWithAddress(reader(auth), email, null)) throw emailExists();
  if (wish.password != null && wish.password_hash !== "") {
    throw invalid("Only a password or a password hash should be provided");
  }
  if (wish.password_hash !== "" && !isBcryptHash(wish.password_hash)) {
    throw invalid(`Only a bcrypt hash can be given; others are ${NOT_HERE}`);
  }
  if (wish.id !== "" && (!isUuid(wish.id) || wish.id === NO_INSTANCE)) {
    throw invalid("ID must conform to the uuid v4 format");
  }
  const ban = banOf(wish);
  // Hosted asks no strength of a password that an administrator sets, but bcrypt's limit holds.
  if (wish.password) checkLength(wish.password);
  const { passwords } = auth;
  const hash = wish.password ? passwords.hash(wish.password) : passwords.nobodysHash;
  const passwordHash = wish.password_hash || (await hash);
  try {
    return await write(auth, async (tx) => {
      const id = await insertUser(tx, {
        email,
        passwordHash,
        app: { provider: "email", providers: ["email"] },
        data: wish.user_metadata ?? {},
        ...(wish.aud && { aud: wish.aud }),
        ...(wish.id && { id: wish.id }),
      });
      await insertEmailIdentity(tx, id, email);
      await setAsAdmin(tx, id, wish, ban);
      return userJson(await reloadUser(tx, id));
    });
  } catch (error) {
    if (isTakenAddress(error)) throw emailExists();
    const cause = error instanceof Refusal ? (error.more.cause ?? error) : error;
    throw new Refusal(500, "unexpected_failure", "Database error creating new user", { cause });
  }
}

export async function changeUser(auth: Auth, user: User, wish: AdminUser) {
  refusePhone(wish);
  const email = wish.email === "" ? "" : checkEmail(wish.email);
  const ban = banOf(wish);
  let hash: string | null = null;
  if (wish.password != null) {
    checkStrength(auth.config, wish.password);
    hash = wish.password === "" ? null : await auth.passwords.hash(wish.password);
  }
  const { id } = user;
  try {
    return await write(auth, async (tx) => {
      await setAsAdmin(tx, id, wish, ban);
      if (wish.password != null) {
        await setPassword(tx, id, hash);
        await endSessions(tx, id, "global", null);
      }
      if (email !== "") {
        const says = { email, email_verified: wish.email_confirm };
        if (!(await updateEmailIdentity(tx, id, says))) {
          await insertEmailIdentity(tx, id, email, says);
        }
        const named = wish.email_confirm ? ", is_anonymous = false" : "";
        await updateUser(tx, id, `email = $2::text${named}`, [email]);
      }
      if (wish.user_metadata) await mergeUserData(tx, id, wish.user_metadata);
      return userJson(await reloadUser(tx, id));
    });
  } catch (cause) {
    throw new Refusal(500, "unexpected_failure", "Error updating user", { cause });
  }
}

export const deletion = z.object({ should_soft_delete: flag });

/** Removes a user, or with `soft` all that says who they were. */
export async function deleteUser(auth: Auth, user: User, soft: boolean): Promise<object> {
  await write(auth, async (tx) => {
    if (!soft) {
      try {
        await tx.query("delete from auth.users where id = $1::uuid", [user.id]);
      } catch (cause) {
        throw new Refusal(500, "unexpected_failure", "Database error deleting user", { cause });
      }
      return;
    }
    if (user.deleted_at) return;
    const veil = (text: string) =>
      createHash("sha256").update(`${user.id}${text}`).digest("base64url");
    await updateUser(
      tx,
      user.id,
      `email = $2::text, email_change = $3::text, encrypted_password = null,
       confirmation_token = '', recovery_token = '', email_change_token_current = '',
       email_change_token_new = '', phone_change_token = '', deleted_at = now(),
       raw_user_meta_data = '{}', raw_app_meta_data = '{}'`,
      [veil(user.email ?? ""), veil(user.email_change)],
    );
    await clearOneTimeTokens(tx, user.id);
    for (const identity of user.identities ?? []) {
      await tx.query(
        `update auth.identities set identity_data = '{}', provider_id = $2::text, updated_at = now()
         where id = $1::uuid`,
        [identity.id, veil(`${identity.provider}:${identity.provider_id}`)],
      );
    }
    await endSessions(tx, user.id, "global", null);
  });
  return {};
}
