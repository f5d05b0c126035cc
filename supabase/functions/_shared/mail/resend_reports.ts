import { z } from "@hono/zod-openapi";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";

/** What Resend posts of a mail, as far as it is looked at. */
const resendReport = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().optional(),
    to: z.array(z.string()).optional(),
    bounce: z.object({ type: z.string() }).optional(),
  }),
});

/** An address that gets no more mail, and the mail that told. */
export interface Report {
  provider_id: string;
  email: string;
  reason: "bounce" | "complaint";
}

/**
 * What a signed body says of addresses: those that do not exist, and complaints. Whatever else is reported changes
 * nothing. Errors: UNAUTHORIZED, where the signature is not Resend's; INVALID_JSON.
 */
export function reportsIn(text: string, headers: Record<string, string>): Report[] {
  insistOnSignature(text, headers);
  const parsed = resendReport.safeParse(JSON.parse(text));
  if (!parsed.success) throw new ApiError("INVALID_JSON");
  const { type, data } = parsed.data;
  const reason = reasonOf(type, data.bounce?.type);
  const { email_id } = data;
  if (!reason || !email_id) return [];
  return (data.to ?? []).map((email) => ({ provider_id: email_id, email, reason }));
}

function reasonOf(type: string, bounce: string | undefined): Report["reason"] | undefined {
  if (type === "email.complained") return "complaint";
  // Transient ones, such as a full mailbox, pass.
  if (type === "email.bounced" && bounce === "Permanent") return "bounce";
  return undefined;
}

/** Resend signs as Standard Webhooks say, under the names that headers had before. */
function insistOnSignature(text: string, headers: Record<string, string>): void {
  const secret = environment.resendWebhookSecret;
  if (!secret) {
    throw new ApiError("UNAUTHORIZED", "Set RESEND_WEBHOOK_SECRET to take what Resend reports.");
  }
  try {
    new Webhook(secret).verify(text, {
      "webhook-id": headers["svix-id"] ?? "",
      "webhook-timestamp": headers["svix-timestamp"] ?? "",
      "webhook-signature": headers["svix-signature"] ?? "",
    });
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw new ApiError("UNAUTHORIZED");
    throw error;
  }
}
