import { randomUUID } from "node:crypto";
import type { Message } from "../../supabase/functions/_shared/mail/transport.ts";

/** A message, with some fields changed. */
export function messageOf(more: Partial<Message> = {}): Message {
  return {
    id: randomUUID(),
    from: { name: "Amber & Oak", address: "shop@amber.example" },
    to: { name: "Ann", address: "ann@example.com" },
    subject: "Thanks",
    html: "<p>Thanks</p>",
    text: "Thanks",
    headers: {},
    ...more,
  };
}
