import { analyticsEvents } from "../_shared/analytics/mismatch.ts";
import { userEvents } from "../_shared/auth/events.ts";
import { productEvents } from "../_shared/catalog/events.ts";
import { contentEvents } from "../_shared/content/events.ts";
import { discountEvents } from "../_shared/discounts/events.ts";
import type { EventType } from "../_shared/events/event_type.ts";
import type { EventName } from "../_shared/events/schema.ts";
import { orderEvents } from "../_shared/orders/events.ts";
import { payoutEvents } from "../_shared/payouts/events.ts";
import { webhookEvents } from "../_shared/webhooks/events.ts";

/** Every event type by name. Each capability defines its events in its own folder. */
const types: Record<EventName, EventType> = {
  ...orderEvents,
  ...productEvents,
  ...discountEvents,
  ...payoutEvents,
  ...userEvents,
  ...contentEvents,
  ...analyticsEvents,
  ...webhookEvents,
};

export const eventTypes = Object.entries(types).map(([name, type]) => ({
  name: name as EventName,
  ...type,
}));

/** An example of an event's body. */
export const exampleOf = (name: EventName): Record<string, unknown> => types[name].example;
