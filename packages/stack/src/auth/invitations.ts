import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { checkEmail, invalid, json, text } from "./bodies.js";
import { type Auth, reader, write } from "./context.js";
import { insertEmailIdentity } from "./identities.js";
import {
  actionLink,
  hashOf,
  newOneTime,
  type Purpose,
  sendOneTime,
  storeEmailChange,
  storeOneTime,
} from "./one-time.js";
import { checkStrength } from "./passwords.js";
import { emailExists, Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { askBeforeUserCreated, emailUser } from "./sign-up.js";
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

export const invitation = z.object({ email: text, data: json });
export const linkRequest = z.object({
  type: text,
  email: text,
  new_email: text,
  password: text,
  data: json,
  redirect_to: text,
});

/** Creates a user without a password and sends them an invitation by mail. */
export async function invite(auth: Auth, input: z.output<typeof invitation>, request: AuthRequest) {
  const email = checkEmail(input.email);
  const known = await findUserByEmail(reader(auth), email);
  if (known?.email_confirmed_at) throw emailExists();
  const newUser = known ? null : await createNewUser(auth, email, "", input.data, request);
  return write(auth, async (w) => {
    const user = known ?? (await insertNewUser(w, newUser as NewUser, email));
    return userJson(await sendOneTime(w, user, "invite", request));
  });
}

async function createNewUser(
  auth: Auth,
  email: string,
  hash: string,
  data: Record<string, unknown> | null,
  request: AuthRequest,
): Promise<NewUser> {
  const user = emailUser(email, hash, data ?? {});
  await askBeforeUserCreated(auth, user, request.ip);
  return user;
}

async function insertNewUser(tx: Queryable, user: NewUser, email: string): Promise<User> {
  const id = await insertUser(tx, user);
  await insertEmailIdentity(tx, id, email);
  return reloadUser(tx, id);
}

const isMailType = (type: string): type is Exclude<Purpose, "email_change"> =>
  ["signup", "invite", "recovery", "magiclink"].includes(type);
const isChangeType = (type: string) => /^email_change_(current|new)$/.test(type);

/**
 * Creates the link and code of a mail and returns them to the administrator instead of sending
 * them.
 */
export async function generateLink(
  auth: Auth,
  input: z.output<typeof linkRequest>,
  request: AuthRequest,
) {
  const email = checkEmail(input.email);
  const known = await findUserByEmail(reader(auth), email);
  const isMagicLinkSignUp = !known && input.type === "magiclink";
  const type = isMagicLinkSignUp ? "signup" : input.type;
  if (!isMailType(type) && !isChangeType(type)) {
    throw invalid(`Invalid email action link type requested: ${type}`);
  }
  const isNew = type === "signup" || type === "invite";
  if (!known && !isNew) throw new Refusal(404, "user_not_found", "User with this email not found");
  if (known?.email_confirmed_at && isNew) throw emailExists();

  let newUser: NewUser | null = null;
  if (!known) {
    let hash = type === "invite" ? "" : await auth.passwords.placeholderHash;
    if (type === "signup" && !isMagicLinkSignUp) {
      if (input.password === "") throw invalid("Signup requires a valid password");
      checkStrength(auth.config, input.password);
      hash = await auth.passwords.hash(input.password);
    }
    newUser = await createNewUser(auth, email, hash, input.data, request);
  }
  const address = isMailType(type) ? email : await newAddressOf(auth, known as User, type, input);
  const oneTime = newOneTime(auth, type === "email_change_new" ? address : email);
  return write(auth, async (w) => {
    const user = known ?? (await insertNewUser(w, newUser as NewUser, email));
    if (known && type === "signup" && input.data) await mergeUserData(w, known.id, input.data);
    if (isMailType(type)) await storeOneTime(w, user, type, oneTime);
    else {
      const current = type === "email_change_current";
      await storeEmailChange(w, user, address, {
        current: current ? oneTime : null,
        next: current ? null : oneTime,
      });
    }
    const purpose = isMailType(type) ? type : "email_change";
    return {
      ...userJson(await reloadUser(w, user.id)),
      action_link: actionLink(auth, purpose, oneTime.hash, request.redirectTo),
      email_otp: oneTime.code,
      // Hosted Auth hashes the current address even where the new one has to be proved.
      hashed_token: hashOf(email, oneTime.code),
      verification_type: type,
      redirect_to: request.redirectTo,
    };
  });
}

async function newAddressOf(
  auth: Auth,
  user: User,
  type: string,
  input: z.output<typeof linkRequest>,
): Promise<string> {
  if (type === "email_change_current" && !auth.config.auth.email.double_confirm_changes) {
    throw invalid("Enable secure email change to generate link for current email");
  }
  const address = checkEmail(input.new_email);
  if (await findUserWithAddress(reader(auth), address, user.id)) throw emailExists();
  return address;
}
