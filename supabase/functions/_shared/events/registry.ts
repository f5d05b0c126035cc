import { analyticsEvents } from "../analytics/mismatch.ts";
import { userEvents } from "../auth/events.ts";
import { productEvents } from "../catalog/events.ts";
import { contentEvents } from "../content/events.ts";
import { orderEvents } from "../orders/events.ts";
import { webhookEvents } from "../webhooks/events.ts";
import type { EventType } from "./event_type.ts";
import type { EventName } from "./schema.ts";

/** Every kind of event, by its name. What a capability tells of stands in its own folder. */
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

/** The body of an event of this name, as it might be. */
export const exampleOf = (name: EventName): Record<string, unknown> => types[name].example;
