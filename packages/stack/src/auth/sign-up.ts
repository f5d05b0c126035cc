import { randomUUID } from "node:crypto";
import type { Queryable } from "../db/database.js";
import { checkEmail, invalid } from "./bodies.js";
import { type Auth, reader, type Writing, write } from "./context.js";
import { callHook } from "./hooks.js";
import { insertEmailIdentity, refreshProviders } from "./identities.js";
import { sendOneTime } from "./one-time.js";
import { checkStrength } from "./passwords.js";
import { noPhone, Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { openSession } from "./sessions.js";
import { userJson } from "./user-json.js";
import {
  AUDIENCE,
  confirmEmail,
  findUserWithAddress,
  insertUser,
  mergeUserData,
  type NewUser,
  reloadUser,
  type User,
} from "./users.js";

export interface Applicant {
  email: string;
  phone?: string;
  /** Null for a user who signs in by mail and has no password. */
  password: string | null;
  data: Record<string, unknown>;
}

/** Throws `signup_disabled`. */
function checkOpen(auth: Auth): void {
  if (!auth.config.auth.enable_signup) {
    throw new Refusal(422, "signup_disabled", "Signups not allowed for this instance");
  }
}

/** Calls the hook that may refuse a new user, in a separate transaction like hosted Auth. */
export async function askBeforeUserCreated(auth: Auth, user: NewUser, ip: string) {
  if (!auth.config.auth.hook.before_user_created.enabled) return;
  const now = new Date().toISOString();
  const event = {
    user: {
      id: user.id,
      aud: user.aud ?? AUDIENCE,
      role: "",
      email: user.email ?? "",
      phone: "",
      app_metadata: user.app,
      user_metadata: user.data,
      identities: [],
      created_at: now,
      updated_at: now,
      is_anonymous: user.isAnonymous ?? false,
    },
  };
  await write(auth, (w) => callHook(w, "before_user_created", ip, event));
}

export const emailUser = (
  email: string,
  passwordHash: string,
  data: Applicant["data"],
): NewUser => ({
  id: randomUUID(),
  email,
  passwordHash,
  app: { provider: "email", providers: ["email"] },
  data,
});

/**
 * Signs up with e-mail and password. Returns a session, or, with confirmations on, the user alone,
 * and sends a mail to the address. A taken address is refused, or, with confirmations on, gets the
 * answer of a new one, so that it cannot be discovered.
 */
export async function signUp(auth: Auth, applicant: Applicant, request: AuthRequest) {
  checkOpen(auth);
  const { password, data } = applicant;
  if (password === "") throw invalid("Signup requires a valid password");
  if (password !== null) checkStrength(auth.config, password);
  if (applicant.phone) {
    if (applicant.email === "") throw noPhone(400, "Phone signups are disabled");
    throw invalid("Only an email address or phone number should be provided on signup.");
  }
  if (!auth.config.auth.email.enable_signup) {
    throw new Refusal(400, "email_provider_disabled", "Email signups are disabled");
  }
  const email = checkEmail(applicant.email);
  const confirms = auth.config.auth.email.enable_confirmations;
  // Hashed before the transaction, which must not wait for it. A taken address is hashed too, so that the response time
  // does not reveal it.
  const { passwords } = auth;
  const hash = await (password === null ? passwords.placeholderHash : passwords.hash(password));
  const known = await findUserWithAddress(reader(auth), email, null);
  const newUser = known ? null : emailUser(email, hash, data);
  if (newUser) await askBeforeUserCreated(auth, newUser, request.ip);
  const signedUp = await write(auth, async (w) => {
    if (known?.email_confirmed_at) {
      if (confirms) return userJson(disguised(known, data));
      throw new Refusal(422, "user_already_exists", "User already registered");
    }
    // Like hosted Auth, fails with 500 if a concurrent request has taken the address.
    const id = known?.id ?? (await insertUser(w, newUser as NewUser));
    await claimAddress(w, id, email, data);
    if (confirms) return userJson(await requestConfirmation(w, id, request));
    await confirmEmail(w, id);
    return id;
  });
  if (typeof signedUp !== "string") return signedUp;
  // Another transaction, as in hosted Auth: a user whose token hook fails has an account, but no session.
  return write(auth, (w) => openSession(w, signedUp, "password", request));
}

/** The first unconfirmed identity wins: its data replaces the user's metadata. */
async function claimAddress(
  tx: Queryable,
  id: string,
  email: string,
  data: Applicant["data"],
): Promise<void> {
  const held = await tx.query(
    "select id from auth.identities where user_id = $1::uuid and provider = 'email'",
    [id],
  );
  if (held.length > 0) return;
  await mergeUserData(tx, id, await insertEmailIdentity(tx, id, email, data));
  await refreshProviders(tx, id);
}

async function requestConfirmation(w: Writing, id: string, request: AuthRequest): Promise<User> {
  const user = await reloadUser(w, id);
  const asked = await sendOneTime(w, user, "signup", request);
  return asked.invited_at ? { ...asked, raw_user_meta_data: {}, identities: [] } : asked;
}

/** Answers a sign-up with a taken address: the same shape as for a new user. */
function disguised(known: User, data: Applicant["data"]): User {
  const now = new Date().toISOString();
  return {
    ...known,
    id: randomUUID(),
    role: "",
    phone: null,
    email_change: "",
    email_change_sent_at: null,
    created_at: now,
    updated_at: now,
    confirmation_sent_at: now,
    last_sign_in_at: null,
    confirmed_at: null,
    email_confirmed_at: null,
    phone_confirmed_at: null,
    raw_app_meta_data: { provider: "email", providers: ["email"] },
    raw_user_meta_data: data,
    identities: [],
  };
}

/** Signs in a new anonymous user. */
export async function signUpAnonymously(auth: Auth, data: Applicant["data"], request: AuthRequest) {
  if (!auth.config.auth.enable_anonymous_sign_ins) {
    throw new Refusal(422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled");
  }
  checkOpen(auth);
  const user: NewUser = {
    id: randomUUID(),
    email: null,
    passwordHash: "",
    app: {},
    data,
    isAnonymous: true,
  };
  await askBeforeUserCreated(auth, user, request.ip);
  try {
    return await write(auth, async (w) =>
      openSession(w, await insertUser(w, user), "anonymous", request),
    );
  } catch (cause) {
    throw new Refusal(500, "unexpected_failure", "Database error creating anonymous user", {
      cause,
    });
  }
}
