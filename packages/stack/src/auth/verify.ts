import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { checkEmail, invalid, text } from "./bodies.js";
import { type Auth, type Writing, write } from "./context.js";
import { insertEmailIdentity, refreshProviders, updateEmailIdentity } from "./identities.js";
import { hashOf, isLive } from "./one-time.js";
import { PKCE } from "./pkce.js";
import { Refusal } from "./refusals.js";
import {
  clearOneTimeTokens,
  confirmEmail,
  findUser,
  isBanned,
  lockUserByEmail,
  type User,
  updateUser,
} from "./users.js";

export const proof = z.object({
  type: text,
  token: text,
  token_hash: text,
  email: text,
  phone: text,
  redirect_to: text,
});

/** The proof of an address: a type, the stored hash, and the address if a code was typed. */
export interface Proof {
  type: string;
  hash: string;
  email: string | null;
}

export const ONE_OF_TWO =
  "Confirmation link accepted. Please proceed to confirm link sent to the other email";

const expired = (email: string | null) =>
  new Refusal(
    403,
    "otp_expired",
    email === null ? "Email link is invalid or has expired" : "Token has expired or is invalid",
  );

const E164 = /^\+?[1-9]\d{1,14}$/;

/** Reads the body of POST /verify: a code with its address, or a hash alone. */
export function readProof(body: z.output<typeof proof>): Proof {
  const { type, token, token_hash: hash, email, phone } = body;
  if (type === "") throw invalid("Verify requires a verification type");
  if ((token === "") === (hash === "")) {
    throw invalid("Verify requires either a token or a token hash");
  }
  if (hash !== "") {
    if (email || phone || body.redirect_to) {
      throw invalid("Only the token_hash and type should be provided");
    }
    return { type, hash, email: null };
  }
  if (phone !== "" && email === "") {
    if (!E164.test(phone)) throw invalid("Invalid phone number format (E.164 required)");
    throw expired(phone); // No user of this stack has a phone number.
  }
  if (phone !== "" || email === "") {
    throw invalid("Only an email address or phone number should be provided on verify");
  }
  const address = checkEmail(email, 422);
  return { type, hash: hashOf(address, token), email: address };
}

/**
 * Redeems a proof and calls `onVerified` in the same transaction. Returns null when an address
 * change still waits for the other confirmation.
 */
export async function verify<T>(
  auth: Auth,
  given: Proof,
  onVerified: (w: Writing, user: User) => Promise<T>,
): Promise<T | null> {
  return write(auth, async (w) => {
    const { user, purpose } = await holderOf(w, given);
    if (purpose === "signup") {
      await confirmEmail(w, user.id);
      await updateEmailIdentity(w, user.id, { email_verified: true });
    } else if (purpose === "recovery") {
      await updateUser(w, user.id, "recovery_token = ''");
      await clearOneTimeTokens(w, user.id);
      if (!user.email_confirmed_at) await confirmEmail(w, user.id);
    } else {
      const { double_confirm_changes: both, enable_confirmations: confirms } =
        auth.config.auth.email;
      if (both && confirms && user.email && user.email_change_confirm_status === 0) {
        await acceptHalf(w, user, given.hash);
        return null;
      }
      await applyEmailChange(w, user);
    }
    await refreshProviders(w, user.id);
    return onVerified(w, user);
  });
}

/** The columns that store the tokens of each kind. */
const TOKENS = {
  signup: ["confirmation_token"],
  recovery: ["recovery_token"],
  email_change: ["email_change_token_current", "email_change_token_new"],
} as const;
type Kind = keyof typeof TOKENS;

const KINDS = new Map<string, Kind[]>([
  ["signup", ["signup"]],
  ["invite", ["signup"]],
  ["recovery", ["recovery"]],
  ["magiclink", ["recovery"]],
  ["email", ["signup", "recovery"]],
  ["email_change", ["email_change"]],
]);

/**
 * Locks the token's user: a second request with the same token waits, and then finds it redeemed.
 */
const OF_TOKEN = `u.id = (
  select o.user_id from auth.one_time_tokens o
  where o.token_hash in ($1::text, $2::text)
    and o.token_type::text in (select jsonb_array_elements_text($3::text::jsonb)) limit 1
) for update of u`;

/** Finds the user and the purpose of a token. Throws `otp_expired`, `user_banned`. */
async function holderOf(
  w: Writing,
  { type, hash, email }: Proof,
): Promise<{ user: User; purpose: Kind }> {
  const possible = KINDS.get(type);
  if (!possible) {
    throw invalid(
      email === null ? "Invalid email verification type" : "Unsupported verification type",
    );
  }
  // A typed code does not say in which flow its mail was sent.
  const hashes = email === null ? [hash] : [hash, PKCE + hash];
  const user =
    email === null || type === "email_change"
      ? await findUser(w, OF_TOKEN, [
          hash,
          hashes[1] ?? null,
          JSON.stringify(possible.flatMap((kind) => TOKENS[kind])),
        ])
      : await lockUserByEmail(w, email);
  if (!user) throw expired(email);
  if (isBanned(user)) throw new Refusal(403, "user_banned", "User is banned");
  const sent: Record<Kind, string | null> = {
    signup: user.confirmation_sent_at,
    recovery: user.recovery_sent_at,
    email_change: user.email_change_sent_at,
  };
  const purpose = possible.find(
    (kind) => TOKENS[kind].some((column) => hashes.includes(user[column])) && isLive(w, sent[kind]),
  );
  if (!purpose) throw expired(email);
  return { user, purpose };
}

async function acceptHalf(tx: Queryable, user: User, hash: string): Promise<void> {
  const half = user.email_change_token_current.endsWith(hash)
    ? "email_change_token_current"
    : "email_change_token_new";
  await updateUser(tx, user.id, `email_change_confirm_status = 1, ${half} = ''`);
  await tx.query(
    `delete from auth.one_time_tokens
     where user_id = $1::uuid and token_type = $2::text::auth.one_time_token_type`,
    [user.id, half],
  );
}

/** Sets the new address as the user's confirmed address. */
export async function applyEmailChange(tx: Queryable, user: User): Promise<void> {
  const email = user.email_change;
  if (!(await updateEmailIdentity(tx, user.id, { email, email_verified: true }))) {
    await insertEmailIdentity(tx, user.id, email, { email_verified: true });
  }
  await updateUser(
    tx,
    user.id,
    `email = email_change, email_change = '', email_change_token_current = '',
     email_change_token_new = '', email_change_confirm_status = 0, is_anonymous = false`,
  );
  await clearOneTimeTokens(tx, user.id);
  if (!user.email_confirmed_at) await confirmEmail(tx, user.id);
}
