import { createHash, randomUUID } from "node:crypto";
import type { Queryable } from "../db/database.js";
import type { Method } from "./access-token.js";
import { invalid } from "./bodies.js";
import type { Challenge } from "./challenge.js";
import { type Auth, write } from "./context.js";
import { Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { openSession } from "./sessions.js";
import { isUuid } from "./users.js";

/** Prefix of tokens in mails whose link returns a code instead of a session. */
export const PKCE = "pkce_";
const CODE_LIVES = "5 minutes";

/** Maps a purpose to the flow's name in auth.flow_state and in the session's `amr`. */
const flows: Record<string, Method> = {
  signup: "email/signup",
  magiclink: "magiclink",
  recovery: "recovery",
  email_change: "email_change",
};

/** Stores the challenge until the link in the mail is followed. */
export async function beginFlow(
  tx: Queryable,
  userId: string,
  purpose: string,
  { challenge, method }: Challenge,
): Promise<void> {
  await tx.query(
    `insert into auth.flow_state (
       id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
       authentication_method, created_at, updated_at
     ) values (
       gen_random_uuid(), $1::uuid, $2::text, $3::text::auth.code_challenge_method, $4::text,
       'email', $5::text, now(), now()
     )`,
    [userId, randomUUID(), method, challenge, flows[purpose] ?? purpose],
  );
}

/** Returns the code that the client which began the flow exchanges for its session. */
export async function issueCode(tx: Queryable, userId: string, purpose: string): Promise<string> {
  const [flow] = await tx.query<{ auth_code: string }>(
    `update auth.flow_state set auth_code_issued_at = now(), updated_at = now()
     where id = (
       select id from auth.flow_state
       where user_id = $1::uuid and authentication_method = $2::text
       order by created_at desc limit 1
     )
     returning auth_code`,
    [userId, flows[purpose] ?? purpose],
  );
  if (!flow) throw new Refusal(400, "flow_state_not_found", "No associated flow state found.");
  return flow.auth_code;
}

/** Exchanges a code for a session, once. */
export async function redeemCode(auth: Auth, code: string, verifier: string, request: AuthRequest) {
  if (code === "" || verifier === "") {
    throw invalid("invalid request: both auth code and code verifier should be non-empty");
  }
  const unknown = () =>
    new Refusal(404, "flow_state_not_found", "invalid flow state, no valid flow state found");
  if (!isUuid(code)) throw unknown();
  return write(auth, async (w) => {
    const [flow] = await w.query<{
      id: string;
      user_id: string;
      code_challenge: string;
      code_challenge_method: string;
      authentication_method: Method;
      over: boolean;
    }>(
      `select id, user_id, code_challenge, code_challenge_method::text, authentication_method,
              now() > interval '${CODE_LIVES}' + case authentication_method
                when 'magiclink' then coalesce(auth_code_issued_at, created_at)
                else created_at end as over
       from auth.flow_state where auth_code = $1::text and auth_code_issued_at is not null
       for update`,
      [code],
    );
    if (!flow) throw unknown();
    if (flow.over) {
      throw new Refusal(422, "flow_state_expired", "invalid flow state, flow state has expired");
    }
    const answer =
      flow.code_challenge_method === "s256"
        ? createHash("sha256").update(verifier).digest("base64url")
        : verifier;
    if (answer !== flow.code_challenge) {
      throw new Refusal(
        400,
        "bad_code_verifier",
        "code challenge does not match previously saved code verifier",
      );
    }
    await w.query("delete from auth.flow_state where id = $1::uuid", [flow.id]);
    return openSession(w, flow.user_id, flow.authentication_method, request);
  });
}
