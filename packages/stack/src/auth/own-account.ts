import { z } from "zod";
import type { Caller } from "./bearer.js";
import { checkEmail, json, text } from "./bodies.js";
import { challengeFields } from "./challenge.js";
import { type Auth, reader, write } from "./context.js";
import { hashOf, isLive, sendEmailChange } from "./one-time.js";
import { checkStrength } from "./passwords.js";
import { emailExists, noPhone, Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { endSessions } from "./sessions.js";
import { userJson } from "./user-json.js";
import {
  findUserWithAddress,
  mergeUserData,
  reloadUser,
  setPassword,
  type User,
  updateUser,
} from "./users.js";
import { applyEmailChange } from "./verify.js";

export const ownChanges = z.object({
  email: text,
  phone: text,
  password: z.string().nullish(),
  nonce: text,
  data: json,
  app_metadata: json,
  ...challengeFields,
});

const RECENT_SIGN_IN = "24 hours";

/** Applies a user's changes to their own account. A new password ends their other sessions. */
export async function changeOwnAccount(
  auth: Auth,
  { user, sessionId }: Caller,
  input: z.output<typeof ownChanges>,
  request: AuthRequest,
) {
  const email = input.email === "" ? "" : checkEmail(input.email);
  const movesTo = email !== (user.email ?? "") ? email : "";
  const { password } = input;
  if (input.phone !== "") throw noPhone(400, "Phone logins are disabled");
  if (password != null) checkStrength(auth.config, password);
  if (input.app_metadata) {
    throw new Refusal(403, "not_admin", "Updating app_metadata requires admin privileges");
  }
  if (user.is_anonymous && password && email === "") {
    throw new Refusal(
      422,
      "validation_failed",
      "Updating password of an anonymous user without an email or phone is not allowed",
    );
  }
  if (movesTo && (await findUserWithAddress(reader(auth), movesTo, user.id))) {
    throw emailExists();
  }
  let hash: string | null = null;
  if (password != null) {
    const confirms = auth.config.auth.email.secure_password_change;
    if (confirms && !(await signedInRecently(auth, sessionId))) {
      await redeemNonce(auth, user, input.nonce);
    }
    const { encrypted_password: before } = user;
    if (before && (await auth.passwords.matches(password, before))) {
      throw new Refusal(
        422,
        "same_password",
        "New password should be different from the old password.",
      );
    }
    hash = await auth.passwords.hash(password);
  }

  return write(auth, async (w) => {
    if (hash) {
      await setPassword(w, user.id, hash);
      await endSessions(w, user.id, "others", sessionId);
    }
    if (input.data) await mergeUserData(w, user.id, input.data);
    if (movesTo) {
      if (user.is_anonymous && !auth.config.auth.email.enable_confirmations) {
        await updateUser(w, user.id, "email_change = $2::text", [movesTo]);
        await applyEmailChange(w, await reloadUser(w, user.id));
      } else {
        await sendEmailChange(w, user, movesTo, request);
      }
    }
    return userJson(await reloadUser(w, user.id));
  });
}

async function signedInRecently(auth: Auth, sessionId: string | null): Promise<boolean> {
  const rows = await reader(auth).query(
    `select id from auth.sessions
     where id = $1::uuid and created_at > now() - interval '${RECENT_SIGN_IN}'`,
    [sessionId],
  );
  return rows.length > 0;
}

/** A nonce is valid once: of two concurrent requests, the second finds it redeemed. */
async function redeemNonce(auth: Auth, user: User, nonce: string): Promise<void> {
  if (nonce === "") {
    throw new Refusal(400, "reauthentication_needed", "Password update requires reauthentication");
  }
  const redeemed = await reader(auth).query(
    `update auth.users set reauthentication_token = '', updated_at = now()
     where id = $1::uuid and reauthentication_token = $2::text returning id`,
    [user.id, hashOf(user.email ?? "", nonce)],
  );
  if (redeemed.length === 0 || !isLive(auth, user.reauthentication_sent_at)) {
    throw new Refusal(422, "reauthentication_not_valid", "Nonce has expired or is invalid");
  }
}
