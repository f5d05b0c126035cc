import type { z } from "zod";
import { invalid, text } from "./bodies.js";

export const challengeFields = { code_challenge: text, code_challenge_method: text };

/** The challenge that the redeemer of a code must answer (RFC 7636). */
export interface Challenge {
  challenge: string;
  method: "s256" | "plain";
}

/** Throws `validation_failed`. */
export function readChallenge(body: {
  code_challenge: z.output<typeof text>;
  code_challenge_method: z.output<typeof text>;
}): Challenge | null {
  const { code_challenge: challenge } = body;
  const method = body.code_challenge_method.toLowerCase();
  if (challenge === "" && method === "") return null;
  if (challenge === "" || (method !== "s256" && method !== "plain")) {
    throw invalid("PKCE flow requires code_challenge_method and code_challenge");
  }
  if (challenge.length < 43 || challenge.length > 128) {
    throw invalid("code challenge has to be between 43 and 128 characters");
  }
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) {
    throw invalid(
      "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
    );
  }
  return { challenge, method };
}
