import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { checkEmail, text } from "./bodies.js";
import { insertEmailIdentity, refreshProviders, updateEmailIdentity } from "./identities.js";
import { hashOf, isLive } from "./one-time.js";
import { hashPassword } from "./passwords.js";
import { PKCE } from "./pkce.js";
import { Refusal } from "./refusals.js";
import { type Auth, write } from "./surroundings.js";
import {
  clearOneTimeTokens,
  confirmEmail,
  findUser,
  findUserByEmail,
  isBanned,
  setPassword,
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

/** What is proved: a type, the kept hash, and the address where the code was typed. */
export interface Proof {
  type: string;
  hash: string;
  email: string | null;
}

export const ONE_OF_TWO =
  "Confirmation link accepted. Please proceed to confirm link sent to the other email";

const E164 = /^\+?[1-9]\d{1,14}$/;

const bad = (message: string) => new Refusal(400, "validation_failed", message);
const expired = (email: string | null) =>
  new Refusal(
    403,
    "otp_expired",
    email === null ? "Email link is invalid or has expired" : "Token has expired or is invalid",
  );

/** Reads the body of POST /verify: a code with its address, or a hash alone. */
export function readProof(body: z.output<typeof proof>): Proof {
  const { type, token, token_hash: hash, email, phone } = body;
  if (type === "") throw bad("Verify requires a verification type");
  if ((token === "") === (hash === "")) {
    throw bad("Verify requires either a token or a token hash");
  }
  if (hash !== "") {
    if (email || phone || body.redirect_to) {
      throw bad("Only the token_hash and type should be provided");
    }
    return { type, hash, email: null };
  }
  if (phone !== "" && email === "") {
    if (!E164.test(phone)) throw bad("Invalid phone number format (E.164 required)");
    throw expired(""); // Nobody has a phone number here.
  }
  if (phone !== "" || email === "") {
    throw bad("Only an email address or phone number should be provided on verify");
  }
  const address = checkEmail(email);
  return { type, hash: hashOf(address, token), email: address };
}

/**
 * Takes a proof and, in the same transaction, lets its holder in; null when a change of address
 * still waits for the other half.
 */
export async function verify<T>(
  auth: Auth,
  given: Proof,
  letIn: (tx: Queryable, user: User) => Promise<T>,
): Promise<T | null> {
  // A password cannot be hashed inside the transaction, and only an invited user needs one.
  const spare = given.type === "invite" || given.type === "signup" ? await sparePassword() : "";
  return write(auth, async (tx) => {
    const { user, purpose } = await holderOf(auth, tx, given);
    if (purpose === "signup") {
      if (!user.encrypted_password && user.invited_at) await setPassword(tx, user.id, spare);
      await confirmEmail(tx, user.id);
      await updateEmailIdentity(tx, user.id, { email_verified: true });
    } else if (purpose === "recovery") {
      await updateUser(tx, user.id, "recovery_token = ''");
      await clearOneTimeTokens(tx, user.id);
      if (!user.email_confirmed_at) await confirmEmail(tx, user.id);
    } else {
      const { double_confirm_changes: both, enable_confirmations: confirms } =
        auth.config.auth.email;
      if (both && confirms && user.email && user.email_change_confirm_status === 0) {
        await acceptHalf(tx, user, given.hash);
        return null;
      }
      await applyEmailChange(tx, user);
    }
    await refreshProviders(tx, user.id);
    return letIn(tx, user);
  });
}

const sparePassword = () => hashPassword(randomBytes(32).toString("base64url"));

type Kind = "signup" | "recovery" | "email_change";

/** Whose token it is and what it is for. Throws `otp_expired`, `user_banned`. */
async function holderOf(
  auth: Auth,
  tx: Queryable,
  { type, hash, email }: Proof,
): Promise<{ user: User; purpose: Kind }> {
  const kinds: Record<string, Kind[]> = {
    signup: ["signup"],
    invite: ["signup"],
    recovery: ["recovery"],
    magiclink: ["recovery"],
    email: ["signup", "recovery"],
    email_change: ["email_change"],
  };
  const possible = kinds[type];
  if (!possible)
    throw bad(email === null ? "Invalid email verification type" : "Unsupported verification type");

  const user =
    email === null || type === "email_change"
      ? await findUser(tx, `not u.is_sso_user and ${condition(possible)}`, [
          hash,
          email === null ? hash : PKCE + hash,
        ])
      : await findUserByEmail(tx, email);
  if (!user) throw expired(email);
  if (isBanned(user)) throw new Refusal(403, "user_banned", "User is banned");
  // A typed code does not know in which flow its letter was sent.
  const fits = (kept: string) => kept === hash || (email !== null && kept === PKCE + hash);
  const held: Record<Kind, boolean> = {
    signup: fits(user.confirmation_token) && isLive(auth, user.confirmation_sent_at),
    recovery: fits(user.recovery_token) && isLive(auth, user.recovery_sent_at),
    email_change:
      [user.email_change_token_current, user.email_change_token_new].some(fits) &&
      isLive(auth, user.email_change_sent_at),
  };
  const purpose = possible.find((kind) => held[kind]);
  if (!purpose) throw expired(email);
  return { user, purpose };
}

function condition(kinds: Kind[]): string {
  const columns = kinds.flatMap((kind) => {
    if (kind === "signup") return ["confirmation_token"];
    if (kind === "recovery") return ["recovery_token"];
    return ["email_change_token_current", "email_change_token_new"];
  });
  const kept = columns.map((column) => `u.${column}`).join(", ");
  return `array[$1::text, $2::text] && array[${kept}]::text[]`;
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

/** The new address becomes the user's, confirmed. */
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
