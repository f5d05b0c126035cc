import { z } from "@hono/zod-openapi";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";

/** A webhook of Resend, with the fields that are used. */
const resendReport = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().optional(),
    to: z.array(z.string()).optional(),
    bounce: z.object({ type: z.string() }).optional(),
  }),
});

/** A bounce or complaint. provider_id is Resend's id of the mail. */
export interface Report {
  provider_id: string;
  email: string;
  reason: "bounce" | "complaint";
}

/**
 * The permanent bounces and complaints in a signed body. Other reports are ignored.
 * Errors: UNAUTHORIZED, if the signature is not valid; INVALID_JSON.
 */
export function reportsIn(text: string, headers: Record<string, string>): Report[] {
  checkSignature(text, headers);
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
  // Transient bounces, such as of a full mailbox, are ignored.
  if (type === "email.bounced" && bounce === "Permanent") return "bounce";
  return undefined;
}

/** Resend signs as Standard Webhooks defines, with the older names of the headers. */
function checkSignature(text: string, headers: Record<string, string>): void {
  const secret = environment.resendWebhookSecret;
  if (!secret) {
    throw new ApiError("UNAUTHORIZED", "Set RESEND_WEBHOOK_SECRET to receive reports of Resend.");
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
