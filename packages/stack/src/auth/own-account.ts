import { z } from "zod";
import type { Caller } from "./bearer.js";
import { checkEmail, json, text } from "./bodies.js";
import { hashOf, isLive, sendEmailChange } from "./one-time.js";
import { checkStrength, hashPassword, passwordMatches } from "./passwords.js";
import { challengeFields } from "./pkce.js";
import { Refusal } from "./refusals.js";
import { endSessions } from "./sessions.js";
import { type Auth, reader, write } from "./surroundings.js";
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
import type { Visit } from "./visit.js";

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

/** What a user changes of their own account; a new password ends their other sessions. */
export async function changeOwnAccount(
  auth: Auth,
  { user, sessionId }: Caller,
  wish: z.output<typeof ownChanges>,
  visit: Visit,
) {
  const email = wish.email === "" ? "" : checkEmail(wish.email);
  const movesTo = email !== (user.email ?? "") ? email : "";
  const { password } = wish;
  if (wish.phone !== "") {
    throw new Refusal(400, "phone_provider_disabled", "Phone accounts are not in the local stack");
  }
  if (password != null) checkStrength(password, auth.config.auth.minimum_password_length);
  if (wish.app_metadata) {
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
    throw new Refusal(
      422,
      "email_exists",
      "A user with this email address has already been registered",
    );
  }
  let hash: string | null = null;
  if (password != null) {
    const confirms = auth.config.auth.email.secure_password_change;
    if (confirms && !(await signedInRecently(auth, sessionId))) checkNonce(auth, user, wish.nonce);
    if (user.encrypted_password && (await passwordMatches(password, user.encrypted_password))) {
      throw new Refusal(
        422,
        "same_password",
        "New password should be different from the old password.",
      );
    }
    hash = await hashPassword(password);
  }

  return write(auth, async (tx, post) => {
    if (hash) {
      await setPassword(tx, user.id, hash);
      await endSessions(tx, user.id, "others", sessionId);
    }
    if (wish.data) await mergeUserData(tx, user.id, wish.data);
    if (movesTo) {
      if (user.is_anonymous && !auth.config.auth.email.enable_confirmations) {
        await updateUser(tx, user.id, "email_change = $2::text", [movesTo]);
        await applyEmailChange(tx, await reloadUser(tx, user.id));
      } else {
        await sendEmailChange(auth, tx, post, user, movesTo, visit);
      }
    }
    return userJson(await reloadUser(tx, user.id));
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

function checkNonce(auth: Auth, user: User, nonce: string): void {
  if (nonce === "") {
    throw new Refusal(400, "reauthentication_needed", "Password update requires reauthentication");
  }
  const right = hashOf(user.email ?? "", nonce) === user.reauthentication_token;
  if (!right || !isLive(auth, user.reauthentication_sent_at)) {
    throw new Refusal(422, "reauthentication_not_valid", "Nonce has expired or is invalid");
  }
}
