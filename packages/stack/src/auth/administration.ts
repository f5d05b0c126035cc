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

function refusePhone(input: AdminUser): void {
  if (input.phone !== "" || input.phone_confirm) {
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

/** Sets the fields that an administrator may set when creating and when updating a user. */
async function setAsAdmin(tx: Queryable, id: string, input: AdminUser, ban: number | null) {
  if (input.role !== "") await updateUser(tx, id, "role = $2::text", [input.role.trim()]);
  if (input.email_confirm) await confirmEmail(tx, id);
  if (input.app_metadata) await mergeAppData(tx, id, input.app_metadata);
  if (ban !== null) await updateUser(tx, id, BAN, [String(ban)]);
}

/** Returns the user with this id. Throws 404. */
export async function findForAdmin(auth: Auth, id: string): Promise<User> {
  if (!isUuid(id)) throw new Refusal(404, "validation_failed", "user_id must be an UUID");
  const user = await findUserById(reader(auth), id);
  if (!user) throw new Refusal(404, "user_not_found", "User not found");
  return user;
}

/** Returns a page of users, newest first, with the total count. */
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

export async function createUser(auth: Auth, input: AdminUser) {
  refusePhone(input);
  if (input.email === "") throw invalid("Cannot create a user without either an email or phone");
  const email = checkEmail(input.email);
  if (await findUserWithAddress(reader(auth), email, null)) throw emailExists();
  if (input.password != null && input.password_hash !== "") {
    throw invalid("Only a password or a password hash should be provided");
  }
  if (input.password_hash !== "" && !isBcryptHash(input.password_hash)) {
    throw invalid(`Only a bcrypt hash can be given; others are ${NOT_HERE}`);
  }
  if (input.id !== "" && (!isUuid(input.id) || input.id === NO_INSTANCE)) {
    throw invalid("ID must conform to the uuid v4 format");
  }
  const ban = banOf(input);
  // Like hosted Auth, check only bcrypt's length limit: an administrator may set a weak password.
  if (input.password) checkLength(input.password);
  const { passwords } = auth;
  const hash = input.password ? passwords.hash(input.password) : passwords.placeholderHash;
  const passwordHash = input.password_hash || (await hash);
  try {
    return await write(auth, async (tx) => {
      const id = await insertUser(tx, {
        email,
        passwordHash,
        app: { provider: "email", providers: ["email"] },
        data: input.user_metadata ?? {},
        ...(input.aud && { aud: input.aud }),
        ...(input.id && { id: input.id }),
      });
      await insertEmailIdentity(tx, id, email);
      await setAsAdmin(tx, id, input, ban);
      return userJson(await reloadUser(tx, id));
    });
  } catch (error) {
    if (isTakenAddress(error)) throw emailExists();
    const cause = error instanceof Refusal ? (error.more.cause ?? error) : error;
    throw new Refusal(500, "unexpected_failure", "Database error creating new user", { cause });
  }
}

export async function changeUser(auth: Auth, user: User, input: AdminUser) {
  refusePhone(input);
  const email = input.email === "" ? "" : checkEmail(input.email);
  const ban = banOf(input);
  let hash: string | null = null;
  if (input.password != null) {
    checkStrength(auth.config, input.password);
    hash = input.password === "" ? null : await auth.passwords.hash(input.password);
  }
  const { id } = user;
  try {
    return await write(auth, async (tx) => {
      await setAsAdmin(tx, id, input, ban);
      if (input.password != null) {
        await setPassword(tx, id, hash);
        await endSessions(tx, id, "global", null);
      }
      if (email !== "") {
        const identityData = { email, email_verified: input.email_confirm };
        if (!(await updateEmailIdentity(tx, id, identityData))) {
          await insertEmailIdentity(tx, id, email, identityData);
        }
        const named = input.email_confirm ? ", is_anonymous = false" : "";
        await updateUser(tx, id, `email = $2::text${named}`, [email]);
      }
      if (input.user_metadata) await mergeUserData(tx, id, input.user_metadata);
      return userJson(await reloadUser(tx, id));
    });
  } catch (cause) {
    throw new Refusal(500, "unexpected_failure", "Error updating user", { cause });
  }
}

export const deletion = z.object({ should_soft_delete: flag });

/** Deletes a user; with `soft`, keeps the row and clears everything that identifies the person. */
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
    const hashed = (text: string) =>
      createHash("sha256").update(`${user.id}${text}`).digest("base64url");
    await updateUser(
      tx,
      user.id,
      `email = $2::text, email_change = $3::text, encrypted_password = null,
       confirmation_token = '', recovery_token = '', email_change_token_current = '',
       email_change_token_new = '', phone_change_token = '', deleted_at = now(),
       raw_user_meta_data = '{}', raw_app_meta_data = '{}'`,
      [hashed(user.email ?? ""), hashed(user.email_change)],
    );
    await clearOneTimeTokens(tx, user.id);
    for (const identity of user.identities ?? []) {
      await tx.query(
        `update auth.identities set identity_data = '{}', provider_id = $2::text, updated_at = now()
         where id = $1::uuid`,
        [identity.id, hashed(`${identity.provider}:${identity.provider_id}`)],
      );
    }
    await endSessions(tx, user.id, "global", null);
  });
  return {};
}
