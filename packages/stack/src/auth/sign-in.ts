import { type Auth, reader, write } from "./context.js";
import { weaknessOf } from "./passwords.js";
import { Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { openSession } from "./sessions.js";
import { findUserByEmail, isBanned } from "./users.js";

/**
 * Signs in with e-mail and password. An unknown address, a user without a password and a wrong
 * password cost the same time and get the same answer.
 */
export async function signIn(auth: Auth, email: string, password: string, request: AuthRequest) {
  if (!auth.config.auth.email.enable_signup) {
    throw new Refusal(422, "email_provider_disabled", "Email logins are disabled");
  }
  const user = await findUserByEmail(reader(auth), email);
  if (user?.encrypted_password && isBanned(user)) {
    throw new Refusal(400, "user_banned", "User is banned");
  }
  const matches = await auth.passwords.matches(password, user?.encrypted_password);
  if (!user || !matches) {
    throw new Refusal(400, "invalid_credentials", "Invalid login credentials");
  }
  if (!user.email_confirmed_at) {
    throw new Refusal(400, "email_not_confirmed", "Email not confirmed");
  }
  const session = await write(auth, (w) => openSession(w, user.id, "password", request));
  // A password that fails newer requirements still signs in; the response reports the weakness.
  return { ...session, weak_password: weaknessOf(auth.config, password) };
}
