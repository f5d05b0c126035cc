import { analyticsEvents } from "../analytics/mismatch.ts";
import { userEvents } from "../auth/events.ts";
import { productEvents } from "../catalog/events.ts";
import { contentEvents } from "../content/events.ts";
import { orderEvents } from "../orders/events.ts";
import { webhookEvents } from "../webhooks/events.ts";
import type { EventType } from "./event_type.ts";
import type { EventName } from "./schema.ts";

/** Every event type by name. Each capability defines its events in its own folder. */
const types: Record<EventName, EventType> = {
  ...orderEvents,
  ...productEvents,
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
