import { createHash, randomInt } from "node:crypto";
import type { Queryable } from "../db/database.js";
import type { Mail } from "../mail/mailbox.js";
import { milliseconds } from "./bodies.js";
import type { Auth, Writing } from "./context.js";
import { beginFlow, PKCE } from "./pkce.js";
import { Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { reloadUser, type User, updateUser } from "./users.js";

/** The purpose of a mail, as its link and `/verify` name it. */
export type Purpose = "signup" | "invite" | "recovery" | "magiclink" | "email_change";

type TokenType =
  | "confirmation_token"
  | "recovery_token"
  | "reauthentication_token"
  | "email_change_token_current"
  | "email_change_token_new";

/** A code of digits to type, and its stored hash. */
export interface OneTime {
  code: string;
  hash: string;
}

export function newOneTime(auth: Auth, email: string, prefix = ""): OneTime {
  const { otp_length: length } = auth.config.auth.email;
  const code = Array.from({ length }, () => randomInt(10)).join("");
  return { code, hash: prefix + hashOf(email, code) };
}

export function hashOf(email: string, code: string): string {
  return createHash("sha224").update(`${email}${code}`).digest("hex");
}

/** The link in a mail. */
export function actionLink(auth: Auth, purpose: Purpose, hash: string, redirectTo: string) {
  const query = new URLSearchParams({ token: hash, type: purpose, redirect_to: redirectTo });
  return `${auth.url}/auth/v1/verify?${query}`;
}

async function storeToken(
  tx: Queryable,
  userId: string,
  type: TokenType,
  relatesTo: string,
  hash: string,
): Promise<void> {
  await tx.query(
    `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
     values (gen_random_uuid(), $1::uuid, $2::text::auth.one_time_token_type, $3::text, $4::text)
     on conflict (user_id, token_type) do update
     set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
         created_at = now(), updated_at = now()`,
    [userId, type, hash, relatesTo],
  );
}

/** Stores the token that proves a user's current address. */
export async function storeOneTime(
  tx: Queryable,
  user: User,
  purpose: Exclude<Purpose, "email_change">,
  oneTime: OneTime,
): Promise<void> {
  const type =
    purpose === "signup" || purpose === "invite" ? "confirmation_token" : "recovery_token";
  const sent = type === "confirmation_token" ? "confirmation_sent_at" : "recovery_sent_at";
  const invited = purpose === "invite" ? ", invited_at = now()" : "";
  await updateUser(tx, user.id, `${type} = $2::text, ${sent} = now()${invited}`, [oneTime.hash]);
  await storeToken(tx, user.id, type, user.email ?? "", oneTime.hash);
}

/** Stores the tokens of an address change: for the old address, the new one, or both. */
export async function storeEmailChange(
  tx: Queryable,
  user: User,
  address: string,
  tokens: { current: OneTime | null; next: OneTime | null },
): Promise<void> {
  await updateUser(
    tx,
    user.id,
    `email_change = $2::text, email_change_sent_at = now(), email_change_confirm_status = 0,
     email_change_token_current = coalesce($3::text, email_change_token_current),
     email_change_token_new = coalesce($4::text, email_change_token_new)`,
    [address, tokens.current?.hash ?? null, tokens.next?.hash ?? null],
  );
  if (tokens.current) {
    const { hash } = tokens.current;
    await storeToken(tx, user.id, "email_change_token_current", user.email ?? "", hash);
  }
  if (tokens.next) {
    await storeToken(tx, user.id, "email_change_token_new", address, tokens.next.hash);
  }
}

/** The pause between two mails if `max_frequency` is 0, as hosted Auth reads it. */
const PAUSE_MS = 60_000;

/**
 * Throws `over_email_send_rate_limit` when a mail of this kind was sent less than `max_frequency`
 * ago.
 */
function checkFrequency(auth: Auth, sentAt: string | null): void {
  const pause = milliseconds(auth.config.auth.email.max_frequency) || PAUSE_MS;
  const left = sentAt ? Date.parse(sentAt) + pause - Date.now() : 0;
  if (left > 0) {
    throw new Refusal(
      429,
      "over_email_send_rate_limit",
      `For security purposes, you can only request this after ${Math.floor(left / 1000)} seconds.`,
    );
  }
}

/** The subjects are those of hosted Auth, because tests look mails up by subject. */
const wording: Record<Purpose, { subject: string; text: string }> = {
  signup: { subject: "Confirm your email address", text: "Open this link to finish signing up:" },
  invite: { subject: "You've been invited", text: "Open this link to accept the invitation:" },
  recovery: { subject: "Reset your password", text: "Open this link to choose a new password:" },
  magiclink: { subject: "Your sign-in link", text: "Open this link to sign in:" },
  email_change: {
    subject: "Confirm your new email address",
    text: "Open this link to confirm that your address changes:",
  },
};

function mail(
  auth: Auth,
  to: string,
  purpose: Purpose,
  { code, hash }: OneTime,
  redirectTo: string,
): Mail {
  return { to, code, link: actionLink(auth, purpose, hash, redirectTo), ...wording[purpose] };
}

/** Begins the PKCE flow that a request asks for; returns the prefix of its tokens. */
async function flowPrefix(q: Queryable, user: User, purpose: Purpose, { challenge }: AuthRequest) {
  if (!challenge) return "";
  await beginFlow(q, user.id, purpose, challenge);
  return PKCE;
}

/** Sends the mail of a purpose to a user, in the caller's transaction. */
export async function sendOneTime(
  w: Writing,
  user: User,
  purpose: Exclude<Purpose, "email_change">,
  request: AuthRequest,
): Promise<User> {
  const email = user.email ?? "";
  if (purpose === "signup") checkFrequency(w, user.confirmation_sent_at);
  if (purpose === "recovery" || purpose === "magiclink") {
    checkFrequency(w, user.recovery_sent_at);
  }
  const oneTime = newOneTime(w, email, await flowPrefix(w, user, purpose, request));
  await storeOneTime(w, user, purpose, oneTime);
  w.post(mail(w, email, purpose, oneTime, request.redirectTo));
  return reloadUser(w, user.id);
}

/**
 * Sends the mails of an address change: to the new address, and to the old one if both must
 * confirm.
 */
export async function sendEmailChange(
  w: Writing,
  user: User,
  address: string,
  request: AuthRequest,
): Promise<void> {
  checkFrequency(w, user.email_change_sent_at);
  const both = w.config.auth.email.double_confirm_changes && user.email;
  const prefix = await flowPrefix(w, user, "email_change", request);
  const current = both ? newOneTime(w, user.email as string, prefix) : null;
  const next = newOneTime(w, address, prefix);
  await storeEmailChange(w, user, address, { current, next });
  w.post(mail(w, address, "email_change", next, request.redirectTo));
  if (current) {
    w.post(mail(w, user.email as string, "email_change", current, request.redirectTo));
  }
}

/** Sends the code that `PUT /user` accepts as `nonce`. */
export async function sendReauthentication(w: Writing, user: User): Promise<void> {
  checkFrequency(w, user.reauthentication_sent_at);
  const email = user.email ?? "";
  const { code, hash } = newOneTime(w, email);
  await updateUser(
    w,
    user.id,
    "reauthentication_token = $2::text, reauthentication_sent_at = now()",
    [hash],
  );
  await storeToken(w, user.id, "reauthentication_token", email, hash);
  w.post({
    to: email,
    code,
    link: null,
    subject: `${code} is your verification code`,
    text: "This is your code:",
  });
}

/** A token is valid until `otp_expiry` seconds after it was sent. */
export function isLive(auth: Auth, sentAt: string | null): boolean {
  const life = auth.config.auth.email.otp_expiry * 1000;
  return sentAt !== null && Date.parse(sentAt) + life >= Date.now();
}
