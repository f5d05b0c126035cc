import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { checkEmail, json, text } from "./bodies.js";
import { insertEmailIdentity } from "./identities.js";
import {
  actionLink,
  keepEmailChange,
  keepOneTime,
  newOneTime,
  type Purpose,
  sendEmailChange,
  sendOneTime,
  sendReauthentication,
} from "./one-time.js";
import { checkStrength, hashPassword } from "./passwords.js";
import { challengeFields } from "./pkce.js";
import { Refusal } from "./refusals.js";
import { askBeforeUserCreated, emailUser, signUp } from "./sign-up.js";
import { type Auth, reader, write } from "./surroundings.js";
import { userJson } from "./user-json.js";
import {
  findUserByEmail,
  findUserWithAddress,
  insertUser,
  mergeUserData,
  type NewUser,
  reloadUser,
  type User,
} from "./users.js";
import type { Visit } from "./visit.js";

const bad = (message: string) => new Refusal(400, "validation_failed", message);
const emailExists = () =>
  new Refusal(422, "email_exists", "A user with this email address has already been registered");

/** A password nobody knows, for those who come by letter. */
const unknownPassword = () => randomBytes(36).toString("base64url");

/** Sends the letter for a new password; an unknown address is answered alike. */
export async function recover(auth: Auth, email: string, visit: Visit): Promise<object> {
  if (email === "") throw bad("Password recovery requires an email");
  const user = await findUserByEmail(reader(auth), checkEmail(email));
  if (user) {
    await write(auth, (tx, post) => sendOneTime(auth, tx, post, user, "recovery", visit));
  }
  return {};
}

export const otpRequest = z.object({
  email: text,
  phone: text,
  channel: text,
  create_user: z.boolean().default(true),
  data: json,
  ...challengeFields,
});

/** Sends a link and a code to sign in with; signs a new address up unless that is not wanted. */
export async function sendOtp(auth: Auth, wish: z.output<typeof otpRequest>, visit: Visit) {
  if (wish.phone !== "") {
    throw new Refusal(400, "phone_provider_disabled", "Unsupported phone provider");
  }
  if (wish.email === "") throw bad("One of email or phone must be set");
  if (!auth.config.auth.email.enable_signup) {
    throw new Refusal(422, "email_provider_disabled", "Email logins are disabled");
  }
  const email = checkEmail(wish.email);
  let user = await findUserByEmail(reader(auth), email);
  if (!user && !wish.create_user) {
    throw new Refusal(422, "otp_disabled", "Signups not allowed for otp");
  }
  if (!user?.email_confirmed_at) {
    await signUp(auth, { email, password: unknownPassword(), data: wish.data ?? {} }, visit);
    // With confirmations on, the letter that confirms the address signs in as well.
    if (auth.config.auth.email.enable_confirmations) return {};
    user = await findUserByEmail(reader(auth), email);
  }
  const known = user as User;
  await write(auth, (tx, post) => sendOneTime(auth, tx, post, known, "magiclink", visit));
  return {};
}

export const recovery = z.object({ email: text, ...challengeFields });
export const resendRequest = z.object({ type: text, email: text, phone: text, ...challengeFields });

/** Sends again what confirms a sign-up or a change of address; answers alike when there is nothing. */
export async function resend(auth: Auth, wish: z.output<typeof resendRequest>, visit: Visit) {
  if (!["signup", "email_change", "sms", "phone_change"].includes(wish.type)) {
    throw bad("Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (wish.email === "" && wish.type === "signup") {
    throw bad("Type provided requires an email address");
  }
  if (wish.phone !== "") {
    throw new Refusal(400, "phone_provider_disabled", "Phone logins are disabled");
  }
  if (wish.email === "") throw bad("Missing email address or phone number");
  const user = await findUserByEmail(reader(auth), checkEmail(wish.email));
  if (user && wish.type === "signup" && !user.email_confirmed_at) {
    await write(auth, (tx, post) => sendOneTime(auth, tx, post, user, "signup", visit));
  }
  if (user && wish.type === "email_change" && user.email_change !== "") {
    await write(auth, (tx, post) =>
      sendEmailChange(auth, tx, post, user, user.email_change, visit),
    );
  }
  return {};
}

/** Sends the code that a change of password asks for. */
export async function reauthenticate(auth: Auth, user: User): Promise<object> {
  if (!user.email) {
    throw bad("Reauthentication requires the user to have an email or a phone number");
  }
  if (!user.email_confirmed_at) {
    throw new Refusal(422, "email_not_confirmed", "Please verify your email first.");
  }
  await write(auth, (tx, post) => sendReauthentication(auth, tx, post, user));
  return {};
}

export const invitation = z.object({ email: text, data: json });

/** Makes a user without a password and sends the letter with which they come in. */
export async function invite(auth: Auth, wish: z.output<typeof invitation>, visit: Visit) {
  const email = checkEmail(wish.email);
  const known = await findUserByEmail(reader(auth), email);
  if (known?.email_confirmed_at) throw emailExists();
  const newcomer = known ? null : await newcomerOf(auth, email, "", wish.data ?? {}, visit);
  return write(auth, async (tx, post) => {
    const user = known ?? (await insertNewcomer(tx, newcomer as NewUser, email));
    return userJson(await sendOneTime(auth, tx, post, user, "invite", visit));
  });
}

async function newcomerOf(
  auth: Auth,
  email: string,
  hash: string,
  data: Record<string, unknown>,
  visit: Visit,
): Promise<NewUser> {
  const user = emailUser(email, hash, data);
  await askBeforeUserCreated(auth, user, visit.ip);
  return user;
}

async function insertNewcomer(tx: Queryable, user: NewUser, email: string): Promise<User> {
  const id = await insertUser(tx, user);
  await insertEmailIdentity(tx, id, email);
  return reloadUser(tx, id);
}

export const linkRequest = z.object({
  type: text,
  email: text,
  new_email: text,
  password: text,
  data: json,
  redirect_to: text,
});

/** Makes what a letter would carry and hands it to the administrator instead of sending it. */
export async function generateLink(auth: Auth, wish: z.output<typeof linkRequest>, visit: Visit) {
  const email = checkEmail(wish.email);
  const known = await findUserByEmail(reader(auth), email);
  let { type, password } = wish;
  if (!known && type === "magiclink") {
    type = "signup";
    password = unknownPassword();
  }
  if (type === "email_change_current" || type === "email_change_new") {
    return generateEmailChange(auth, known, type, wish.new_email, visit);
  }
  if (type !== "signup" && type !== "invite" && type !== "recovery" && type !== "magiclink") {
    throw bad(`Invalid email action link type requested: ${type}`);
  }
  const purpose: Exclude<Purpose, "email_change"> = type;
  const isNew = purpose === "signup" || purpose === "invite";
  if (!known && !isNew) throw new Refusal(404, "user_not_found", "User with this email not found");
  if (known?.email_confirmed_at && isNew) throw emailExists();

  let newcomer: NewUser | null = null;
  if (!known) {
    if (purpose === "signup") {
      if (password === "") throw bad("Signup requires a valid password");
      checkStrength(password, auth.config.auth.minimum_password_length);
    }
    const hash = purpose === "signup" ? await hashPassword(password) : "";
    newcomer = await newcomerOf(auth, email, hash, wish.data ?? {}, visit);
  }
  const oneTime = newOneTime(auth, email);
  return write(auth, async (tx) => {
    const user = known ?? (await insertNewcomer(tx, newcomer as NewUser, email));
    if (known && purpose === "signup" && wish.data) await mergeUserData(tx, known.id, wish.data);
    await keepOneTime(tx, user, purpose, oneTime);
    return {
      ...userJson(await reloadUser(tx, user.id)),
      action_link: actionLink(auth, purpose, oneTime.hash, visit.redirectTo),
      email_otp: oneTime.code,
      hashed_token: oneTime.hash,
      verification_type: purpose,
      redirect_to: visit.redirectTo,
    };
  });
}

async function generateEmailChange(
  auth: Auth,
  user: User | null,
  type: "email_change_current" | "email_change_new",
  newEmail: string,
  visit: Visit,
) {
  if (!user) throw new Refusal(404, "user_not_found", "User with this email not found");
  if (type === "email_change_current" && !auth.config.auth.email.double_confirm_changes) {
    throw bad("Enable secure email change to generate link for current email");
  }
  const address = checkEmail(newEmail);
  if (await findUserWithAddress(reader(auth), address, user.id)) throw emailExists();
  const current = type === "email_change_current";
  const oneTime = newOneTime(auth, current ? (user.email ?? "") : address);
  return write(auth, async (tx) => {
    await keepEmailChange(tx, user, address, {
      current: current ? oneTime : null,
      next: current ? null : oneTime,
    });
    return {
      ...userJson(await reloadUser(tx, user.id)),
      action_link: actionLink(auth, "email_change", oneTime.hash, visit.redirectTo),
      email_otp: oneTime.code,
      hashed_token: oneTime.hash,
      verification_type: type,
      redirect_to: visit.redirectTo,
    };
  });
}
