import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { webhook } from "./schema.ts";

/** A webhook whose receiver fails, before and after it was switched off for that. */
function unreached(active: boolean) {
  return {
    webhook: {
      id: sample.id("6"),
      tenant_id: sample.tenant_id,
      url: "https://shop.example.com/hooks",
      description: "The shop's backend",
      events: ["order.created"],
      filter: null,
      header_names: ["Authorization"],
      active,
      disabled_reason: active ? null : "failing",
      failing_since: sample.PLACED,
      created_at: sample.PLACED,
      updated_at: sample.MOVED,
    },
  };
}

/** The events about webhooks. */
export const webhookEvents = {
  ...defineEvent("webhook.failing", {
    description: "Every attempt to reach a webhook has failed for hours. It will be switched off.",
    carried: { webhook },
    sample: unreached(true),
  }),
  ...defineEvent("webhook.disabled", {
    description: "A webhook was switched off.",
    carried: { webhook },
    sample: unreached(false),
  }),
};
