import { z } from "zod";
import { checkEmail, invalid, json, text } from "./bodies.js";
import { challengeFields } from "./challenge.js";
import { type Auth, reader, write } from "./context.js";
import { sendEmailChange, sendOneTime, sendReauthentication } from "./one-time.js";
import { noPhone, Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { signUp } from "./sign-up.js";
import { findUserByEmail, type User } from "./users.js";

export const recovery = z.object({ email: text, ...challengeFields });
export const otpRequest = z.object({
  email: text,
  phone: text,
  channel: text,
  create_user: z.boolean().default(true),
  data: json,
  ...challengeFields,
});
export const resendRequest = z.object({ type: text, email: text, phone: text, ...challengeFields });

function checkEmailLogins(auth: Auth, status: number): void {
  if (auth.config.auth.email.enable_signup) return;
  throw new Refusal(status, "email_provider_disabled", "Email logins are disabled");
}

/** Sends the mail for a new password. An unknown address gets the same answer. */
export async function recover(auth: Auth, email: string, request: AuthRequest): Promise<object> {
  checkEmailLogins(auth, 400);
  if (email === "") throw invalid("Password recovery requires an email");
  const user = await findUserByEmail(reader(auth), checkEmail(email));
  if (user) {
    await write(auth, (w) => sendOneTime(w, user, "recovery", request));
  }
  return {};
}

/**
 * Sends a link and a code to sign in with. Signs up a new address unless `create_user` is false.
 */
export async function sendOtp(
  auth: Auth,
  input: z.output<typeof otpRequest>,
  request: AuthRequest,
) {
  if (input.email !== "" && input.phone !== "") {
    throw invalid("Only an email address or phone number should be provided");
  }
  if (input.phone !== "") throw noPhone(400, "Unsupported phone provider");
  if (input.email === "") throw invalid("One of email or phone must be set");
  if (input.channel !== "") throw invalid("Channel should only be specified with Phone OTP");
  checkEmailLogins(auth, 422);
  const email = checkEmail(input.email);
  let user = await findUserByEmail(reader(auth), email);
  if (!user && !input.create_user) {
    throw new Refusal(422, "otp_disabled", "Signups not allowed for otp");
  }
  if (!user?.email_confirmed_at) {
    await signUp(auth, { email, password: null, data: input.data ?? {} }, request);
    // With confirmations on, the mail that confirms the address signs in as well.
    if (auth.config.auth.email.enable_confirmations) return {};
    user = await findUserByEmail(reader(auth), email);
  }
  const known = user as User;
  await write(auth, (w) => sendOneTime(w, known, "magiclink", request));
  return {};
}

/**
 * Resends the mail that confirms a sign-up or an address change. The answer is the same if there is
 * nothing to confirm.
 */
export async function resend(
  auth: Auth,
  input: z.output<typeof resendRequest>,
  request: AuthRequest,
) {
  const { type, email, phone } = input;
  if (!["signup", "email_change", "sms", "phone_change"].includes(type)) {
    throw invalid("Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (email === "" && type === "signup") throw invalid("Type provided requires an email address");
  if (phone === "" && type === "sms") throw invalid("Type provided requires a phone number");
  if (email !== "" && phone !== "") {
    throw invalid("Only an email address or phone number should be provided.");
  }
  if (phone !== "") throw noPhone(400, "Phone logins are disabled");
  if (email === "") throw invalid("Missing email address or phone number");
  checkEmailLogins(auth, 400);
  const user = await findUserByEmail(reader(auth), checkEmail(email));
  if (user && type === "signup" && !user.email_confirmed_at) {
    await write(auth, (w) => sendOneTime(w, user, "signup", request));
  }
  if (user && type === "email_change" && user.email_change !== "") {
    const { email_change: address } = user;
    await write(auth, (w) => sendEmailChange(w, user, address, request));
  }
  return {};
}

/** Sends the code that a password change requires. */
export async function reauthenticate(auth: Auth, user: User): Promise<object> {
  if (!user.email) {
    throw invalid("Reauthentication requires the user to have an email or a phone number");
  }
  if (!user.email_confirmed_at) {
    throw new Refusal(422, "email_not_confirmed", "Please verify your email first.");
  }
  await write(auth, (w) => sendReauthentication(w, user));
  return {};
}
